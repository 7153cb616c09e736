import { expect, it } from 'vitest'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { serving } from './serving.ts'

// BERTH_SEED=… repeats a run, BERTH_FUZZ=… sets its length.
const seed = process.env['BERTH_SEED'] ?? 'apiserver-fuzz'
const requests = Number(process.env['BERTH_FUZZ'] ?? 4000)

const methods = ['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'BREW']
const words = [
  'api',
  'apis',
  'v1',
  'apps',
  'batch',
  'namespaces',
  'default',
  'pods',
  'nodes',
  'deployments',
  'configmaps',
  'events',
  'x',
  'status',
  'scale',
  'binding',
  'eviction',
  'watch',
  '..',
  '%00',
  '',
  'customresourcedefinitions',
  'apiextensions.k8s.io',
  'leases',
  'coordination.k8s.io',
]
const collections = [
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/nodes',
  '/api/v1/namespaces',
  '/api/v1/namespaces/default/events',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/apps/v1/namespaces/default/statefulsets',
  '/apis/batch/v1/namespaces/default/jobs',
  '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/api/v1/namespaces/default/services',
  '/api/v1/persistentvolumes',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
]
const subresources = [
  '',
  '/status',
  '/scale',
  '/binding',
  '/eviction',
  '/ephemeralcontainers',
  '/resize',
  '/finalize',
  '/log',
  '/nonsense',
]
const queries = [
  '',
  'dryRun=All',
  'fieldValidation=Strict',
  'labelSelector=a%20in%20(b',
  'labelSelector=a%3Db',
  'fieldSelector=spec.nodeName%3Dx',
  'limit=-1',
  'limit=3',
  'continue=abc',
  'resourceVersion=0',
  'resourceVersion=x',
  'resourceVersionMatch=Exact',
  'gracePeriodSeconds=0',
  'propagationPolicy=Orphan',
  'fieldManager=f&force=true',
  'pretty=1',
  'nonsense=1',
  'timeoutSeconds=1',
]
const contentTypes = [
  'application/json',
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  '',
]
const keys = [
  'metadata',
  'name',
  'namespace',
  'labels',
  'annotations',
  'spec',
  'status',
  'containers',
  'replicas',
  'template',
  'selector',
  'matchLabels',
  'taints',
  'tolerations',
  'finalizers',
  'ownerReferences',
  'kind',
  'apiVersion',
  'data',
  'items',
  '__proto__',
  'constructor',
  'image',
  'resources',
  'requests',
  'cpu',
  'conditions',
  'type',
  'versions',
  'schema',
  'target',
  'deletionTimestamp',
  'resourceVersion',
  'uid',
  '$patch',
  'op',
  'path',
  'value',
  'from',
]
const scalars = [
  'x',
  '',
  'web',
  '-1',
  '1',
  1,
  0,
  -5,
  2 ** 60,
  1.5,
  true,
  false,
  null,
  '100m',
  '🚢',
  'add',
  '/metadata/labels/x',
  'default',
  '2026-01-01T00:00:00Z',
]

function value(random: RandomStream, depth: number): unknown {
  const kind = random.int(depth > 5 ? 1 : 4)
  if (kind === 0) return random.pick(scalars)
  if (kind === 1) return Array.from({ length: random.int(4) }, () => value(random, depth + 1))
  const object: [string, unknown][] = []
  for (let i = random.int(6); i > 0; i--) object.push([random.pick(keys), value(random, depth + 1)])
  return Object.fromEntries(object)
}

function body(random: RandomStream): string {
  const kind = random.int(6)
  if (kind === 0) return ''
  if (kind === 1)
    return random.pick([
      '{',
      '[]',
      'null',
      '"x"',
      '12',
      '{"a":}',
      'k8s\u0000\u0001\u0002',
      '- a\n- b',
      'a: &a [*a]',
      '{"metadata":{"name":"x"}}',
    ])
  const object = value(random, 0)
  const named =
    typeof object === 'object' && object !== null && !Array.isArray(object)
      ? {
          ...object,
          metadata: {
            name: random.pick(['a', 'b', 'web', 'Bad_Name']),
            ...(random.int(2) === 0 ? { labels: value(random, 4) } : {}),
          },
        }
      : object
  return JSON.stringify(random.int(3) === 0 ? object : named)
}

function url(random: RandomStream): string {
  const query = random.pick(queries)
  const path =
    random.int(4) === 0
      ? `/${Array.from({ length: random.int(7) }, () => random.pick(words)).join('/')}`
      : random.pick(collections) +
        (random.int(2) === 0 ? '' : `/${random.pick(['a', 'b', 'web', 'default'])}${random.pick(subresources)}`)
  return query === '' ? path : `${path}?${query}`
}

it(`answers ${requests} random requests (seed ${seed}) without an internal error`, { timeout: 600_000 }, async () => {
  const { raw, registry } = serving()
  const random = createRandom(seed).stream('requests')
  const codes = new Map<number, number>()
  for (let i = 0; i < requests; i++) {
    const method = random.pick(methods)
    const target = url(random)
    const sent = method === 'GET' ? undefined : body(random)
    const headers = {
      'content-type': random.pick(contentTypes),
      accept: random.pick([
        '',
        '*/*',
        'application/json',
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        'application/yaml',
        'text/html',
      ]),
    }
    const described = `request ${i} of seed ${seed}: ${method} ${target} ${headers['content-type']} ${sent}`
    const response = await raw(method, target, sent, headers).catch((error: Error) => {
      throw new Error(`${described}\n${error.stack}`)
    })
    codes.set(response.code, (codes.get(response.code) ?? 0) + 1)
    // Upstream itself fails for these: a path that ends in /watch, a version that is not a number.
    const isExpected = response.code === 504 || /\/watch\/*(\?|$)|resourceVersion=x/.test(target)
    expect(response.code, described).toBeLessThan(isExpected ? 505 : 500)
    if (response.kind === 'stream') {
      const sink = { write: () => true, isFull: false, onDrain() {}, keep() {}, unkeep() {}, end() {} }
      response.start(sink)()
    }
  }
  // The requests covered both valid and invalid input.
  expect(codes.get(200) ?? 0).toBeGreaterThan(requests / 50)
  expect(codes.get(400) ?? 0).toBeGreaterThan(requests / 50)
  expect(({} as Record<string, unknown>)['name']).toBeUndefined()
  expect(registry.store.count('pods')).toBeLessThan(20)
})
