import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { Client } from '../../src/client/contract.ts'
import { RemoteConsole } from '../../src/controlplane/console/remote.ts'
import { createDelegatedAccess } from '../../src/controlplane/delegated-access.ts'
import { startMetricsServer } from '../../src/controlplane/metrics-server.ts'
import { serving } from './serving.ts'

const credentials = createCredentials({ now: Date.UTC(2026, 0, 1), hosts: ['127.0.0.1'], adminToken: 'admin-token' })

/** A cluster with the users Jane, who may read /metrics, and Joe, who may not. */
async function cluster() {
  const { ask } = serving({
    authorizationModes: ['RBAC'],
    credentials,
    tokens: [
      { token: 'jane-token', caller: { name: 'jane', groups: ['readers'] } },
      { token: 'joe-token', caller: { name: 'joe', groups: [] } },
    ],
  })
  const admin = { authorization: 'Bearer admin-token', 'content-type': 'application/json' }
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  await ask('POST', `${rbac}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'metrics' },
    rules: [{ nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get'] }],
  }, admin) // biome-ignore format: one call
  await ask('POST', `${rbac}/clusterrolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'metrics' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
  }, admin) // biome-ignore format: one call
  const asked: string[] = []
  let isDown = false
  const client: Client = {
    async call(call) {
      if (call.verb !== 'create') return { ok: false, status: { code: 404, message: 'not found' } } as never
      const [plural = '', ...group] = call.resource.split('.')
      asked.push(plural)
      const { code, body } = isDown
        ? { code: 503, body: { message: 'the server is down' } }
        : await ask('POST', `/apis/${group.join('.')}/v1/${plural}`, call.object, admin)
      return (code < 300 ? { ok: true, kind: 'object', object: body } : { ok: false, status: body }) as never
    },
    watch: () => ({ cancel: () => {} }),
  }
  return {
    client,
    asked,
    stop: () => {
      isDown = true
    },
  }
}

async function accessTo(more: { readonly alwaysAllowPaths?: readonly string[] } = {}) {
  const clock = new VirtualClock(0)
  const { client, asked, stop } = await cluster()
  const refusal = createDelegatedAccess({ client, clock, log: silentLogger, ...more })
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const refused = await refusal({ method, path, query: new URLSearchParams(), headers })
    return refused === undefined ? 'allowed' : `${refused.code} ${String(refused.body)}`
  }
  return { get, asked, stop, clock }
}

const jane = { authorization: 'Bearer jane-token' }
const joe = { authorization: 'Bearer joe-token' }

describe('delegated authentication and authorization', () => {
  it('answers health requests of every client, and no paths below them', async () => {
    const { get, asked } = await accessTo()
    for (const path of ['/healthz', '/readyz', '/livez']) expect(await get(path)).toBe('allowed')
    expect(asked).toEqual([])
    expect(await get('/healthz/ping', joe)).toMatch(/^403 /)
  })

  it('asks the cluster for the owner of a token and for their rights', async () => {
    const { get } = await accessTo()
    expect(await get('/metrics', jane)).toBe('allowed')
    expect(await get('/debug/queue', jane)).toBe('allowed')
    expect(await get('/metrics', { authorization: 'Bearer admin-token' })).toBe('allowed')
    expect(JSON.parse((await get('/metrics', joe)).slice(4))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'forbidden: User "joe" cannot get path "/metrics"',
      reason: 'Forbidden',
      details: {},
      code: 403,
    })
    expect(await get('/metrics')).toContain('forbidden: User \\"system:anonymous\\" cannot get path \\"/metrics\\"')
    expect(await get('/metrics', jane, 'POST')).toContain('User \\"jane\\" cannot post path \\"/metrics\\"')
  })

  it('answers an invalid token with Unauthorized', async () => {
    const { get } = await accessTo()
    expect(JSON.parse((await get('/metrics', { authorization: 'bearer wrong' })).slice(4))).toMatchObject({
      code: 401,
      reason: 'Unauthorized',
      message: 'Unauthorized',
    })
  })

  it.each(['Basic amFuZTpqYW5l', 'Bearer', 'Bearer ', ''])('treats %j as no credentials', async (authorization) => {
    const { get } = await accessTo()
    expect(await get('/metrics', { authorization })).toContain('User \\"system:anonymous\\" cannot get path')
  })

  it('caches decisions for ten seconds, and failures not at all', async () => {
    const { get, asked, clock, stop } = await accessTo()
    for (let i = 0; i < 5; i++) await get('/metrics', jane)
    expect(asked).toEqual(['tokenreviews', 'subjectaccessreviews'])
    clock.advanceTo(9_999)
    stop()
    expect(await get('/metrics', jane)).toBe('allowed')
    clock.advanceTo(10_000)
    expect(await get('/metrics', jane)).toMatch(/^401 /)
    expect(await get('/metrics')).toBe('500 Internal Server Error: "/metrics"\n')
    expect(asked.length).toBe(4)
  })

  it('serves other paths without authorization only if configured', async () => {
    const { get } = await accessTo({ alwaysAllowPaths: ['/metrics', '/debug/*'] })
    expect(await get('/metrics')).toBe('allowed')
    expect(await get('/debug/queue')).toBe('allowed')
    expect(await get('/configz', joe)).toMatch(/^403 /)
  })
})

describe('the server of metrics', () => {
  let server: RunningServer | undefined
  afterEach(() => server?.close())

  const start = async (tls: boolean) => {
    const clock = new RealClock()
    const { client } = await cluster()
    server = await startMetricsServer(
      {
        host: '127.0.0.1',
        port: 0,
        accessClient: client,
        ...(tls ? { certificate: { certificate: credentials.serverCertificate, key: credentials.serverKey } } : {}),
      },
      {
        clock,
        log: silentLogger,
        metrics: new MetricRegistry(),
        driver: () => undefined,
        isElected: true,
        console: new RemoteConsole({
          clock,
          log: silentLogger,
          kubernetes: 'v1.36',
          address: () => server?.url ?? '',
          hostNames: [],
        }),
      },
    )
    return server
  }

  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<string>((resolve, reject) => {
      const send = url.startsWith('https:') ? httpsRequest : httpRequest
      const request = send(url, { headers, agent: false, ...({ rejectUnauthorized: false } as object) }, (response) => {
        response.resume()
        resolve(`${response.statusCode}`)
      })
      request.on('error', reject)
      request.end()
    })

  it('requires an allowed user for everything except health, and a host name of this machine', async () => {
    const { url } = await start(false)
    expect(url).toMatch(/^http:/)
    expect(await get(`${url}/readyz`)).toBe('200')
    expect(await get(`${url}/metrics`)).toBe('403')
    expect(await get(`${url}/debug/queue`, joe)).toBe('403')
    expect(await get(`${url}/metrics`, jane)).toBe('200')
    expect(await get(`${url}/metrics`, { ...jane, host: 'evil.example' })).toBe('403')
    expect(await get(`${url}/readyz`, { host: 'evil.example' })).toBe('403')
  })

  it('serves HTTPS with the given certificate', async () => {
    const { url } = await start(true)
    expect(url).toMatch(/^https:/)
    expect(await get(`${url}/metrics`)).toBe('403')
    expect(await get(`${url}/metrics`, jane)).toBe('200')
  })
})
