import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseOf, withFeatureGates } from '../../src/api/releases/release-of.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { must } from '../../src/base/result.ts'
import { createWebhookSender } from '../../src/controlplane/ports-webhooks.ts'
import { serving } from '../apiserver/serving.ts'
import { allow, patching, startWebhookServer, type WebhookServer } from './webhook-server.ts'

let hooks: WebhookServer
let server: ReturnType<typeof serving>
const group = '/apis/admissionregistration.k8s.io/v1'
const maps = '/api/v1/namespaces/default/configmaps'
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  hooks = await startWebhookServer(Date.now())
})
afterAll(() => hooks.close())
beforeEach(() => {
  hooks.received.length = 0
  const registryOptions = { webhookServices: new Map([['default/hooks', `127.0.0.1:${hooks.port}`]]) }
  server = serving({ sendToWebhook: createWebhookSender(new RealClock()), registryOptions })
})

interface HookOptions {
  readonly name?: string
  readonly [field: string]: unknown
}

const rule = (resource: string, operations = ['*'], apiGroups = ['']) => ({
  operations,
  apiGroups,
  apiVersions: ['*'],
  resources: [resource],
})

async function configure(kind: 'Mutating' | 'Validating', name: string, ...webhooks: readonly HookOptions[]) {
  const answer = await server.ask(
    'POST',
    `${group}/${kind.toLowerCase()}webhookconfigurations`,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: webhooks.map(({ path = '/allow', ...hook }, i) => ({
        name: `hook-${i}.example.com`,
        clientConfig: { url: `${hooks.url}${String(path)}`, caBundle: hooks.caBundle },
        rules: [rule('configmaps')],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...hook,
      })),
    },
    json,
  )
  expect(answer.text).toContain(name)
  expect(answer.code).toBe(201)
}

const configMap = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data: { a: '1' },
})

const create = (name: string, more: object = {}, query = '') =>
  server.ask('POST', `${maps}${query}`, configMap(name, more), json)

describe('a validating webhook', () => {
  it('sends the same review to a validating webhook as kube-apiserver', async () => {
    await configure('Validating', 'v', {})
    const answer = await create('x', {}, '?fieldManager=me&fieldValidation=Strict')
    expect(answer.code).toBe(201)
    expect(hooks.received).toHaveLength(1)
    const [{ review, path, query, headers } = { review: {}, path: '', query: '', headers: {} }] = hooks.received
    expect([path, query]).toEqual(['/allow', '?timeout=10s'])
    expect(headers['user-agent']).toBe('kube-apiserver-admission')
    const { uid, object, ...request } = review.request
    expect(uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(object.metadata).toMatchObject({ name: 'x', namespace: 'default', uid: answer.body.metadata.uid })
    expect(object.metadata).not.toHaveProperty('resourceVersion')
    expect(request).toEqual({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'x',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'kubernetes-admin', groups: ['system:masters'] },
      oldObject: null,
      dryRun: false,
      options: {
        kind: 'CreateOptions',
        apiVersion: 'meta.k8s.io/v1',
        fieldManager: 'me',
        fieldValidation: 'Strict',
      },
    })
  })

  it('rejects with the message, reason and code of a validating webhook', async () => {
    await configure('Validating', 'v', { path: '/deny' })
    hooks.on('/deny', () => ({
      response: { allowed: false, status: { message: 'not today', reason: 'Nope', code: 418 } },
    }))
    const { code, body } = await create('x')
    expect(code).toBe(418)
    expect(body.message).toBe('admission webhook "hook-0.example.com" denied the request: not today')
    expect(body.reason).toBe('Nope')
    expect((await server.ask('GET', `${maps}/x`)).code).toBe(404)
  })

  it('rejects with code 400 if a validating webhook gives no explanation', async () => {
    await configure('Validating', 'v', { path: '/deny' })
    hooks.on('/deny', () => ({ response: { allowed: false } }))
    const { code, body } = await create('x')
    expect(code).toBe(400)
    expect(body.message).toBe('admission webhook "hook-0.example.com" denied the request without explanation')
  })
})

describe('a mutating webhook', () => {
  it('validates the object after mutating webhooks, and shows the change to later webhooks', async () => {
    await configure('Mutating', 'm', { path: '/label' }, { name: 'second.example.com', path: '/allow' })
    hooks.on('/label', patching({ op: 'add', path: '/metadata/labels', value: { by: 'webhook' } }))
    const { code, body } = await create('x')
    expect(code).toBe(201)
    expect(body.metadata.labels).toEqual({ by: 'webhook' })
    const [first, second] = hooks.received
    expect(first?.review.request.object.metadata).not.toHaveProperty('uid')
    expect(second?.review.request.object.metadata.labels).toEqual({ by: 'webhook' })
  })

  it('calls a mutating webhook again if a later one changed the object and its policy is IfNeeded', async () => {
    await configure(
      'Mutating',
      'm',
      { path: '/first', reinvocationPolicy: 'IfNeeded' },
      { name: 'second.example.com', path: '/label' },
    )
    hooks.on('/first', allow)
    hooks.on('/label', patching({ op: 'add', path: '/metadata/labels', value: { by: 'webhook' } }))
    await create('x')
    expect(hooks.received.map(({ path }) => path)).toEqual(['/first', '/label', '/first'])
  })

  it('shows a mutating webhook an object with generateName before it has a name', async () => {
    await configure('Mutating', 'm', { path: '/allow' })
    const { body } = await server.ask('POST', maps, { ...configMap(''), metadata: { generateName: 'g-' } }, json)
    expect(body.metadata.name).toMatch(/^g-[a-z0-9]{5}$/)
    expect(hooks.received[0]?.review.request.object.metadata.name).toBeUndefined()
    expect(hooks.received[0]?.review.request).not.toHaveProperty('name')
  })

  it('reaches the service of a webhook through the configured address', async () => {
    await configure('Mutating', 'm', {
      clientConfig: { service: { namespace: 'default', name: 'hooks', path: '/svc' }, caBundle: hooks.caBundle },
    })
    expect((await create('x')).code).toBe(201)
    expect(hooks.received[0]?.path).toBe('/svc')
    expect(hooks.received[0]?.headers['host']).toBe('hooks.default.svc:443')
  })
})

describe('a webhook that fails', () => {
  const cases: readonly [string, string, Parameters<WebhookServer['on']>[1], RegExp][] = [
    ['hangs up', '/hang', () => 'hang up', /Post "https:\/\/127.0.0.1:\d+\/hang\?timeout=10s": EOF$/],
    [
      'answers 500',
      '/500',
      () => ({ raw: 'boom', code: 500 }),
      /failed to call webhook: an error on the server \("boom"\) has prevented the request from succeeding$/,
    ],
    [
      'answers with another uid',
      '/uid',
      () => ({ uid: 'x', response: { allowed: true } }),
      /received invalid webhook response: expected response.uid="[0-9a-f-]+", got "x"$/,
    ],
    ['answers without JSON', '/text', () => ({ raw: 'hello' }), /json parse error: invalid character 'h'/],
    ['never stops answering', '/endless', () => ({ endless: true }), /the response has more than 16777216 bytes$/],
  ]
  it.each(cases)('%s: the request fails, or passes with failurePolicy Ignore', async (_, path, behavior, message) => {
    hooks.on(path, behavior)
    await configure('Validating', 'v', { path })
    const { code, body } = await create('x')
    expect(code).toBe(500)
    expect(body.message).toMatch(/^Internal error occurred: failed calling webhook "hook-0.example.com": /)
    expect(body.message).toMatch(message)
    await server.ask('DELETE', `${group}/validatingwebhookconfigurations/v`)
    await configure('Validating', 'w', { path, failurePolicy: 'Ignore' })
    expect((await create('x')).code).toBe(201)
  })

  it('stops waiting for a webhook after timeoutSeconds', async () => {
    hooks.on('/never', () => 'no answer')
    await configure('Validating', 'v', { path: '/never', timeoutSeconds: 1 })
    const { body } = await create('x')
    expect(body.message).toMatch(/\?timeout=1s": context deadline exceeded$/)
  })

  it('calls a webhook whose bundle is the certificate of the server, at a path without repeated slashes', async () => {
    const clientConfig = { url: `${hooks.url}//allow/`, caBundle: hooks.certificate }
    await configure('Validating', 'v', { clientConfig })
    expect((await create('x')).code).toBe(201)
    expect(hooks.received.map(({ path }) => path)).toEqual(['/allow'])
  })

  it('does not call a webhook whose certificate is not trusted', async () => {
    await configure('Validating', 'v', { clientConfig: { url: `${hooks.url}/allow` } })
    const { body } = await create('x')
    expect(body.message).toMatch(/tls: failed to verify certificate: x509: certificate signed by unknown authority$/)
    expect(hooks.received).toEqual([])
  })
})

describe('webhooks of reviews', () => {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' }
  const spec = { user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods' } }
  const ask = () => server.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { ...review, spec }, json)
  const rules = [rule('subjectaccessreviews', ['CREATE'], ['authorization.k8s.io'])]
  const serve = (version: string, gates = new Map<string, boolean>()) => {
    const release = must(withFeatureGates(must(releaseOf(version)), gates))
    server = serving({ sendToWebhook: createWebhookSender(new RealClock()), registryOptions: { release } })
  }
  const gateOff = new Map([['ExcludeAdmissionWebhookVirtualResources', false]])

  it.each<[string, string, Map<string, boolean> | undefined]>([
    ['v1.34', '1.34', undefined],
    ['v1.36', '1.36', undefined],
    ['v1.37 without ExcludeAdmissionWebhookVirtualResources', '1.37', gateOff],
  ])('webhooks change and refuse reviews in %s', async (_, version, gates) => {
    serve(version, gates)
    await configure('Mutating', 'm', { path: '/rename', rules })
    await configure('Validating', 'v', { path: '/deny', rules })
    hooks.on('/rename', patching({ op: 'replace', path: '/spec/user', value: 'joe' }))
    hooks.on('/deny', allow)
    const { code, body } = await ask()
    expect([code, body.spec.user, body.status]).toEqual([201, 'joe', { allowed: true }])
    expect(hooks.received.map(({ path, review }) => [path, review.request.object.spec.user])).toEqual([
      ['/rename', 'jane'],
      ['/deny', 'joe'],
    ])
    hooks.on('/deny', () => ({ response: { allowed: false, status: { message: 'not today' } } }))
    const refused = await ask()
    expect([refused.code, refused.body.message]).toEqual([
      400,
      'admission webhook "hook-0.example.com" denied the request: not today',
    ])
  })

  it('rejects an invalid review before validating webhooks see it', async () => {
    serve('1.36')
    await configure('Validating', 'v', { path: '/deny', rules })
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    expect((await server.ask('POST', path, { ...review, spec: {} }, json)).code).toBe(422)
    expect(hooks.received).toEqual([])
  })

  it('shows no review to webhooks in v1.37', async () => {
    serve('1.37')
    await configure('Validating', 'v', { path: '/deny', rules })
    hooks.on('/deny', () => ({ response: { allowed: false } }))
    expect((await ask()).code).toBe(201)
    expect(hooks.received).toEqual([])
  })
})
