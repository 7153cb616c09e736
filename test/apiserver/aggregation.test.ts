import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from '../../src/controlplane/api-process.ts'

const start = (more: Partial<ApiProcessOptions>) =>
  startApiProcess({ host: '127.0.0.1', port: 0, clock: new RealClock(), log: silentLogger, ...more })

interface Reply {
  readonly code: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any
}

type Headers = Readonly<Record<string, string>>

function ask(api: ApiProcess, method: string, path: string, object?: object, headers: Headers = {}): Promise<Reply> {
  const { credentials, server } = api
  const identity = { cert: credentials.adminCertificate, key: credentials.adminKey }
  const sent = { 'content-type': 'application/json', ...headers }
  return new Promise((resolve, reject) => {
    const options = { method, ca: credentials.caCertificate, ...identity, headers: sent, agent: false as const }
    const outgoing = request(`${server.url}${path}`, options, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        text += chunk
        if (path.includes('watch=true') && text.includes('\n')) outgoing.destroy()
      })
      incoming.on('close', () => {
        const isJson = String(incoming.headers['content-type']).includes('json') && !path.includes('watch=true')
        resolve({ code: incoming.statusCode ?? 0, text, body: isJson ? JSON.parse(text) : undefined })
      })
    })
    outgoing.on('error', (error) => (path.includes('watch=true') ? undefined : reject(error)))
    outgoing.end(object === undefined ? undefined : JSON.stringify(object))
  })
}

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'

const definition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

const registration = (port: number) => ({
  metadata: { name: 'v1.example.com' },
  spec: {
    ...{ group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
    service: { namespace: 'default', name: 'api', port },
    insecureSkipTLSVerify: true,
  },
})

async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** The second server is behind the first one, which passes the identity of the caller. */
describe('an API of another server', () => {
  let front: ApiProcess
  let behind: ApiProcess
  const addresses = new Map<string, string>()
  const condition = async () =>
    (await ask(front, 'GET', `${apiServices}/v1.example.com`)).body.status?.conditions?.[0] ?? {}

  beforeAll(async () => {
    front = await start({ webhookServices: addresses })
    behind = await start({
      authorizationModes: ['RBAC'],
      identity: {
        requestHeader: {
          clientCa: front.credentials.caCertificate,
          allowedNames: ['front-proxy-client'],
          usernameHeaders: ['X-Remote-User'],
          uidHeaders: ['X-Remote-Uid'],
          groupHeaders: ['X-Remote-Group'],
          extraHeadersPrefix: ['X-Remote-Extra-'],
        },
      },
    })
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await ask(behind, 'POST', definitions, definition)).code).toBe(201)
  })
  afterAll(async () => {
    await front?.close()
    await behind?.close()
  })

  it('an API of another server is unavailable while its service is missing, and then while it does not answer', async () => {
    expect((await ask(front, 'POST', apiServices, registration(443))).code).toBe(201)
    expect(await until(condition, ({ status }) => status === 'False')).toMatchObject({
      reason: 'ServiceNotFound',
      message: 'service/api in "default" is not present',
    })
    expect(await ask(front, 'GET', widgets)).toMatchObject({ code: 503, text: 'service unavailable\n' })
    addresses.set('default/api', '127.0.0.1:1')
    await ask(front, 'DELETE', `${apiServices}/v1.example.com`)
    await ask(front, 'POST', apiServices, registration(443))
    const failed = await until(condition, ({ status }) => status === 'False')
    expect(failed.reason).toBe('FailedDiscoveryCheck')
    expect(failed.message).toContain('connect: connection refused')
    await ask(front, 'DELETE', `${apiServices}/v1.example.com`)
  })

  it('an API of another server is served by the first server, with the identity of the caller', async () => {
    addresses.set('default/api', `127.0.0.1:${behind.server.port}`)
    await ask(front, 'POST', apiServices, registration(443))
    expect(await until(condition, ({ status }) => status === 'True')).toMatchObject({ reason: 'Passed' })
    const made = await ask(front, 'POST', widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
    })
    expect([made.code, made.body.kind]).toEqual([201, 'Widget'])
    expect((await ask(behind, 'GET', `${widgets}/a`)).code).toBe(200)
    const asJane = { 'impersonate-user': 'jane', 'impersonate-group': 'dev' }
    expect((await ask(front, 'GET', widgets, undefined, asJane)).body.message).toBe(
      'widgets.example.com is forbidden: User "jane" cannot list resource "widgets" in API group "example.com" in the namespace "default"',
    )
    expect((await ask(front, 'GET', `${widgets}?watch=true`)).text).toContain('"name":"a"')
  })

  it('an API of another server is part of the discovery of the first server', async () => {
    const groups = (await ask(front, 'GET', '/apis')).body.groups.map(({ name }: { name: string }) => name)
    expect(groups.at(-1)).toBe('example.com')
    expect((await ask(front, 'GET', '/apis/example.com')).body.versions).toEqual([
      { groupVersion: 'example.com/v1', version: 'v1' },
    ])
    expect((await ask(front, 'GET', '/apis/example.com/v1')).body.resources[0].name).toBe('widgets')
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const { items } = (await ask(front, 'GET', '/apis', undefined, { accept })).body
    expect(items.at(-1)).toMatchObject({
      metadata: { name: 'example.com' },
      versions: [{ version: 'v1', freshness: 'Current', resources: [{ resource: 'widgets', scope: 'Namespaced' }] }],
    })
    expect((await ask(front, 'GET', '/openapi/v3/apis/example.com/v1')).body.openapi).toBe('3.0.0')
  })

  it('trusts only proxies with a certificate of the configured authority', async () => {
    const claimed = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' }
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const { body } = await ask(behind, 'POST', path, {}, claimed)
    expect(body.status.userInfo.username).toBe('kubernetes-admin')
    const { credentials } = front
    // The administrator of the first server is not one of its proxies.
    const foreign = { ...behind, credentials: { ...behind.credentials, ...identityOf(credentials) } } as ApiProcess
    expect((await ask(foreign, 'POST', path, {}, claimed)).code).toBe(401)
  })
})

const identityOf = ({ adminCertificate, adminKey }: ApiProcess['credentials']) => ({ adminCertificate, adminKey })
