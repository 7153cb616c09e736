// The command as one file, as `npm run build -- --single` writes it.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../tidy/project.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-single-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const cache = join(folder, 'cache')
let file = ''

beforeAll(() => {
  const script = join(root, 'scripts/single-file.mjs')
  const code = `import(${JSON.stringify(script)}).then(async ({ buildSingleFile }) => console.log(await buildSingleFile(${JSON.stringify(root)}, ${JSON.stringify(folder)})))`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  file = stdout.trim()
})

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', XDG_CACHE_HOME: cache, ...env },
  })
  return { status, stdout, stderr }
}

const dump = join(root, 'docs/how-to/cluster.json')

describe('berth in one file', () => {
  test('the single file gives the same answers as the package, including pages and threads, and extracts itself once', () => {
    for (const args of [
      ['whatif', 'drain', 'node-1', '--from', dump],
      ['whatif', 'drain', 'node-1', '--from', dump, '-o', 'html'],
      ['whatif', 'fail', '--each-node', '--from', dump, '--threads', '2', '--for', '10m'],
    ]) {
      const { status, stdout, stderr } = run(file, args)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toBe(run(join(root, 'bin/berth'), args).stdout)
    }
    expect(readdirSync(join(cache, 'berth'))).toHaveLength(1)
  })

  test('runs a cluster with its log and journal, reads its kubeconfig, and serves the console', async () => {
    const args = ['up', '--nodes', '2', '--port', '0', '--data-dir', join(folder, 'data')]
    const up = spawn(file, args, { cwd: folder, env: { ...process.env, XDG_CACHE_HOME: cache } })
    const ended = new Promise((done) => up.on('exit', done))
    try {
      const said = await new Promise<string>((resolve, reject) => {
        let text = ''
        up.stdout.on('data', (chunk) => {
          text += String(chunk)
          if (text.includes('Ctrl-C stops')) resolve(text)
        })
        up.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
      })
      const kubeconfig = join(folder, 'data/kubeconfig')
      expect(run(file, ['whatif', 'cordon', 'node-1', '--kubeconfig', kubeconfig, '--brief'])).toMatchObject({
        status: 0,
      })
      const { port } = new URL(/https:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '')
      const page = await new Promise<string>((resolve, reject) =>
        get({ host: '127.0.0.1', port, path: '/console/', rejectUnauthorized: false }, (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += String(chunk)
          })
          response.on('end', () => resolve(text))
        }).on('error', reject),
      )
      expect(page).toContain('<title>')
    } finally {
      up.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
  })

  test('opens a journal with the native library in it', () => {
    const data = join(folder, 'journal')
    const code = `import { open } from 'lmdb'; const db = open({ path: ${JSON.stringify(data)} }); await db.put('a', 1); console.log(db.get('a'))`
    const [unpacked] = readdirSync(join(cache, 'berth'))
    const opened = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: join(cache, 'berth', unpacked as string),
      encoding: 'utf8',
    })
    expect(opened).toMatchObject({ status: 0, stdout: '1\n' })
  })

  test('the single file runs without a writable cache, and leaves no files behind', () => {
    const temporary = join(folder, 'tmp')
    mkdirSync(temporary)
    // A file where the folder should be: the superuser could write to a read-only folder.
    const blocked = join(folder, 'data.json')
    spawnSync('touch', [blocked])
    chmodSync(blocked, 0o400)
    const { status, stdout } = run(file, ['--version'], { XDG_CACHE_HOME: blocked, TMPDIR: temporary })
    expect({ status, stdout }).toEqual({ status: 0, stdout: run(file, ['--version']).stdout })
    expect(readdirSync(temporary)).toEqual([])
  })
})
