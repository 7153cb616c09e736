import { readFileSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { join, resolve } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  buildParts,
  eventually,
  freePort,
  missing,
  type RealCluster,
  startBerth,
  startRealCluster,
  stop,
} from './real-parts.ts'

const reason = missing()

interface Asked {
  readonly token?: string
  readonly certificate?: { readonly cert: string; readonly key: string }
  readonly host?: string
}

/** The cluster authorizes the readers of /metrics of `berth run`. */
describe.skipIf(reason !== undefined)(
  `metrics of berth run on kube-apiserver v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster()
      cluster.kubectl('apply', '-f', resolve('deploy/taint-eviction.yaml'))
      for (const name of ['reader', 'stranger']) cluster.kubectl('create', 'sa', name, '-n', 'kube-system')
      cluster.kubectl('create', 'clusterrole', 'metrics', '--verb=get', '--non-resource-url=/metrics')
      const subject = '--serviceaccount=kube-system:reader'
      cluster.kubectl('create', 'clusterrolebinding', 'metrics', '--clusterrole=metrics', subject)
    })
    afterAll(() => cluster?.close())

    const token = (account: string) => cluster.kubectl('create', 'token', account, '-n', 'kube-system').trim()

    const get = (url: string, { token: bearer, certificate, host }: Asked = {}) =>
      new Promise<string>((done) => {
        const headers = {
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...(host === undefined ? {} : { host }),
        }
        const send = url.startsWith('https:') ? secureRequest : plainRequest
        const options = { headers, agent: false, rejectUnauthorized: false, ...certificate }
        const request = send(url, options, (response) => {
          let body = ''
          response.on('data', (chunk: Buffer) => {
            body += String(chunk)
          })
          response.on('end', () => done(`${response.statusCode} ${body}`))
        })
        request.on('error', (error) => done(error.message))
        request.end()
      })

    /** berth with the rights that its manifest grants. */
    const serving = async (name: string, scheme: 'http' | 'https') => {
      const port = await freePort()
      const tls = [
        ...['--tls-cert-file', join(cluster.folder, 'server.crt')],
        ...['--tls-private-key-file', join(cluster.folder, 'server.key')],
      ]
      const config = load(readFileSync(cluster.kubeconfig, 'utf8')) as { readonly users: readonly object[] }
      const user = { token: token('berth-taint-eviction') }
      const kubeconfig = join(cluster.folder, `${name}.kubeconfig`)
      writeFileSync(kubeconfig, JSON.stringify({ ...config, users: [{ ...config.users[0], user }] }))
      const where = ['--metrics-bind-address', `127.0.0.1:${port}`, ...(scheme === 'https' ? tls : [])]
      const args = ['--controllers', 'taint-eviction', '--leader-elect=false', ...where]
      const berth = startBerth(cluster, name, args, { kubeconfig })
      const url = `${scheme}://127.0.0.1:${port}`
      await eventually(
        `${name} is alive`,
        () => get(`${url}/livez`),
        (text) => text === '200 ok',
      )
      return { url, berth }
    }

    it('only users that the cluster authorizes can read metrics', async () => {
      const { url, berth } = await serving('plain', 'http')
      expect(await get(`${url}/metrics`, { token: token('reader') })).toMatch(/^200 /)
      const denied = await get(`${url}/metrics`, { token: token('stranger') })
      expect(JSON.parse(denied.slice(4))).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: 'forbidden: User "system:serviceaccount:kube-system:stranger" cannot get path "/metrics"',
      })
      expect(await get(`${url}/metrics`)).toContain('forbidden: User \\"system:anonymous\\" cannot get path')
      expect(JSON.parse((await get(`${url}/metrics`, { token: 'wrong' })).slice(4))).toMatchObject({
        code: 401,
        reason: 'Unauthorized',
      })
      expect(await get(`${url}/debug/evictions`, { token: token('reader') })).toMatch(/^403 /)
      expect(await get(`${url}/metrics`, { token: token('reader'), host: 'evil.example' })).toMatch(/^403 /)
      await stop(berth)
    })

    it('metrics are read over HTTPS with a client certificate of the cluster', async () => {
      const { url, berth } = await serving('secure', 'https')
      const { users } = load(readFileSync(cluster.kubeconfig, 'utf8')) as {
        readonly users: readonly { readonly user: Readonly<Record<string, string>> }[]
      }
      const pem = (name: string) => Buffer.from(users[0]?.user[name] ?? '', 'base64').toString()
      const certificate = { cert: pem('client-certificate-data'), key: pem('client-key-data') }
      expect(await get(`${url}/metrics`, { certificate })).toMatch(/^200 /)
      expect(await get(`${url}/metrics`)).toMatch(/^403 /)
      await stop(berth)
    })
  },
)
