import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'

const isBuilt = existsSync('dist/cli.js')
const folder = mkdtempSync(join(tmpdir(), 'berth-stop-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function start(args: readonly string[], ready: RegExp): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['bin/berth', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    const listen = (chunk: Buffer) => {
      said += String(chunk)
      if (ready.test(said)) resolve(child)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)))
  })
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }]
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } },
  ]
}

/** Open connections of browsers, proxies and hanging clients. */
async function guests(kubeconfig: string): Promise<readonly Socket[]> {
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const { hostname: host, port } = new URL(config.clusters[0].cluster.server)
  const user = config.users[0].user
  const decoded = (text: string) => Buffer.from(text, 'base64')
  const tls = {
    host,
    port: Number(port),
    rejectUnauthorized: false,
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  }
  const secure = async (sends: string, answers: boolean) => {
    const socket = connectTls(tls)
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    socket.write(sends)
    if (answers) await new Promise((resolve) => socket.once('readable', resolve))
    return socket
  }
  const silent = connectTcp({ host, port: Number(port) })
  await new Promise((resolve) => silent.once('connect', resolve))
  const sockets = [
    silent,
    await secure('', false),
    await secure('GET /api HTTP/1.1\r\nhost: ', false),
    await secure('POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{', false),
    await secure('GET /api HTTP/1.1\r\nhost: x\r\n\r\n', true),
    await secure('GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nhost: x\r\n\r\n', true),
  ]
  for (const socket of sockets) socket.on('error', () => {})
  return sockets
}

describe.runIf(isBuilt)('SIGTERM (needs a build)', () => {
  it.each([
    ['berth apiserver', ['apiserver', '--ephemeral'], /ready at/],
    ['berth up', ['up', '--nodes', '2'], /Ctrl-C stops/],
  ] as const)('ends %s beside connections that are silent, half-sent, idle, or watch', async (name, args, ready) => {
    const kubeconfig = join(folder, name.replace(' ', '-'))
    const dataDir = ['--data-dir', `${kubeconfig}-data`]
    const child = await start([...args, '--port', '0', '--kubeconfig', kubeconfig, ...dataDir], ready)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const sockets = await guests(kubeconfig)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    for (const socket of sockets) socket.destroy()
  })
})
