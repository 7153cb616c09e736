import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/api/objects/meta.ts'
import { nameOf, namespace, objectPath } from '../cluster/diff-case.ts'
import { type Seed, seeds } from '../cluster/diff-seeds.ts'
import { serving } from './serving.ts'

/** Members of Object.prototype: a table that is a plain object seems to have them. */
const hostile = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']

/** Not a member of any object, until the trap below adds it to every plain object. */
const trapName = 'berth-trap'

interface Sent {
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const queryNames = [
  'allowWatchBookmarks',
  'continue',
  'dryRun',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'labelSelector',
  'limit',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
]

const pods = `/api/v1/namespaces/${namespace}/pods`

/** The name at every place of the request outside an object. */
function requestsWith(name: string): readonly Sent[] {
  const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } })
  const paths = [
    `/${name}`,
    `/api/${name}`,
    `/apis/${name}`,
    `/apis/${name}/${name}`,
    `/apis/${name}/${name}/${name}/${name}`,
    `/apis/apps/${name}`,
    `/apis/apps/${name}/deployments`,
    `/api/v1/${name}`,
    `/api/v1/${name}/${name}`,
    `/api/v1/namespaces/${name}/pods`,
    `/api/v1/namespaces/${name}/${name}/${name}`,
    `${pods}/${name}`,
    `${pods}/${name}/${name}`,
    `/api/v1/nodes/${name}/${name}`,
    `/openapi/${name}`,
    `/openapi/v3/${name}`,
    `/openapi/v3/apis/${name}/${name}`,
    `/healthz/${name}`,
    `/readyz?exclude=${name}`,
    `/livez?${name}=${name}`,
    `/debug/${name}`,
    `/version/${name}`,
    `/metrics/${name}`,
  ]
  const selectors = [
    `labelSelector=${name}`,
    `labelSelector=${name}%3D${name}`,
    `labelSelector=!${name}`,
    `labelSelector=${name}%20in%20(${name})`,
    `labelSelector=${name}%20${name}%20(x)`,
    `fieldSelector=${name}%3D${name}`,
    `fieldSelector=metadata.${name}%3Dx`,
    `fieldSelector=metadata.name%3D${name}`,
  ]
  return [
    ...paths.flatMap((url) => [
      { method: 'GET', url },
      { method: 'POST', url, body: pod },
      { method: 'PATCH', url, body: '{}', headers: { 'content-type': 'application/merge-patch+json' } },
      { method: 'DELETE', url },
    ]),
    ...[...queryNames.map((query) => `${query}=${name}`), `${name}=${name}`, ...selectors].flatMap((query) => [
      { method: 'GET', url: `${pods}?${query}` },
      { method: 'GET', url: `/api/v1/nodes?${query}` },
      { method: 'GET', url: `/api/v1/events?${query}` },
      { method: 'POST', url: `${pods}?dryRun=All&${query}`, body: pod },
      { method: 'DELETE', url: `${pods}/none?${query}` },
      { method: 'DELETE', url: `${pods}?dryRun=All&${query}` },
    ]),
    ...[name, `application/${name}`, `application/json;${name}=${name}`, `application/json;charset=${name}`].flatMap(
      (type) => [
        ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({
          method,
          url: method === 'POST' ? pods : `${pods}/${name}`,
          body: pod,
          headers: { 'content-type': type },
        })),
        { method: 'GET', url: pods, headers: { accept: type, 'accept-encoding': name } },
      ],
    ),
    ...['', '/apis', '/openapi/v2', '/openapi/v3', pods].map((url) => ({
      method: 'GET',
      url,
      headers: { accept: `application/json;as=${name};g=${name};v=${name}, application/${name}` },
    })),
    {
      method: 'GET',
      url: pods,
      headers: { 'impersonate-user': name, 'impersonate-group': name, [`impersonate-extra-${name}`]: name },
    },
    ...patchesWith(name).map(([type, body]) => ({
      method: 'PATCH',
      url: `${pods}/${patched}?dryRun=All`,
      body,
      headers: { 'content-type': `application/${type}` },
    })),
  ]
}

const patched = nameOf(seeds.find(({ resource }) => resource === 'pods') as Seed)

function patchesWith(name: string): readonly (readonly [type: string, body: string])[] {
  const member = (value: unknown) => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`
  const labels = `{"metadata":{"labels":${member('x')},"annotations":${member('x')}}}`
  return [
    ...[`/${name}`, `/${name}/${name}`, `/metadata/${name}`, `/metadata/labels/${name}`, `/spec/containers/${name}`]
      .flatMap((path) =>
        ['add', 'remove', 'replace', 'test', name]
          .map((op) => ({ op, path, value: name }) as JsonObject)
          .concat([
            { op: 'copy', from: path, path: '/metadata/labels/x' },
            { op: 'move', from: '/metadata/labels', path },
          ]),
      )
      .map((operation) => ['json-patch+json', JSON.stringify([operation])] as const),
    ...['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'].flatMap((type) =>
      [
        member({ x: 'y' }),
        labels,
        `{"metadata":${member(name)}}`,
        `{"spec":{"nodeSelector":${member('x')}}}`,
        `{"spec":{"containers":[{"name":"c","resources":{"requests":${member('1')}}}]}}`,
        `{"spec":{"containers":[{"name":"c","$patch":${JSON.stringify(name)}}]}}`,
        `{"spec":{"$setElementOrder/${name}":[${JSON.stringify(name)}],"$retainKeys":[${JSON.stringify(name)}]}}`,
        `{"metadata":{"$deleteFromPrimitiveList/${name}":["x"],"$deleteFromPrimitiveList/finalizers":["${name}"]}}`,
      ].map((body) => [type, body] as const),
    ),
  ]
}

/** The texts of an object with the name at each place in turn: in place of a value, of a key, and as one more member. */
function* variants(object: JsonObject, name: string): Generator<string> {
  const render = (value: Json, change: (at: Json, key?: string) => string | undefined): string => {
    const changed = change(value)
    if (changed !== undefined) return changed
    if (Array.isArray(value)) return `[${value.map((item) => render(item as Json, change)).join(',')}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const members = Object.entries(value).map(([key, inner]) => {
      const asKey = change(value, key)
      return `${JSON.stringify(asKey ?? key)}:${render(inner as Json, change)}`
    })
    return `{${members.join(',')}}`
  }
  const places: [Json, string | undefined][] = []
  render(object, (at, key) => {
    if (key !== undefined || typeof at === 'string' || (typeof at === 'object' && at !== null)) places.push([at, key])
    return undefined
  })
  // Equal values at different places share no identity to find them by, so places are counted.
  for (let place = 0; place < places.length; place++) {
    let count = 0
    yield render(object, (at, key) => {
      const isPlace = key !== undefined || typeof at === 'string' || (typeof at === 'object' && at !== null)
      if (!isPlace || count++ !== place) return undefined
      if (key !== undefined) return name
      if (typeof at === 'string') return JSON.stringify(name)
      if (Array.isArray(at)) return JSON.stringify([name])
      const rest = JSON.stringify(at).slice(1, -1)
      return `{${rest}${rest === '' ? '' : ','}${JSON.stringify(name)}:"x"}`
    })
  }
}

const collectionOf = (seed: Seed) => objectPath(seed).slice(0, -nameOf(seed).length - 1)

async function furnished() {
  const server = serving({ authorizationModes: ['AlwaysAllow'] })
  await server.ask('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  })
  for (const seed of seeds) await server.ask('POST', collectionOf(seed), seed.object)
  return server
}

type Server = Awaited<ReturnType<typeof furnished>>

async function answerTo({ raw }: Server, { method, url, body, headers }: Sent): Promise<string> {
  try {
    const bytes = body === undefined ? undefined : String(body)
    const response = await raw(method, url, bytes, { 'content-type': 'application/json', ...headers })
    return response.kind === 'full' ? `${response.code} ${String(response.body)}` : `${response.code} (stream)`
  } catch (error) {
    return `${(error as Error).stack?.split('\n').slice(0, 3).join(' ')}`
  }
}

const unchanged = (seed: Seed) => JSON.stringify(seed.object)

/** Longer with BERTH_FUZZ: each kind, by every verb. */
const isLong = process.env['BERTH_FUZZ'] !== undefined
const chosen = new Set(['nodes', 'services', 'secrets', 'resourcequotas', 'replicationcontrollers', 'limitranges'])

function* objectsWith(name: string): Generator<Sent> {
  for (const seed of seeds) {
    if (!isLong && !chosen.has(seed.resource) && nameOf(seed) !== patched) continue
    for (const body of variants(seed.object, name)) {
      if (body === unchanged(seed)) continue
      yield { method: 'PUT', url: `${objectPath(seed)}?dryRun=All`, body }
      if (!isLong) continue
      yield { method: 'POST', url: `${collectionOf(seed)}?dryRun=All`, body }
      yield { method: 'PATCH', url: `${objectPath(seed)}?dryRun=All`, body, headers: strategic }
    }
  }
}

const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

/**
 * `setOwn` writes any name as a member of the object itself. `passes` counts only strings, and a prototype has none.
 * `objectsEqual` also counts the members on both sides.
 */
const harmless = ['setOwn', 'passes', 'objectsEqual']

const plain = (text: string, name: string) =>
  text.replaceAll(name, 'NAME').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')

describe('names that plain objects inherit', () => {
  it.each(hostile)('answers names that plain objects inherit like any other name: %s', async (name) => {
    const other = name.replace(/[a-z](?=_*$)/, 'x')
    const server = await furnished()
    const wrong: string[] = []
    const all = (named: string) => [...requestsWith(named), ...(isLong ? objectsWith(named) : [])]
    const others = all(other)
    for (const [index, sent] of all(name).entries()) {
      const expected = await answerTo(server, others[index] as Sent)
      const given = await answerTo(server, sent)
      if (plain(given, name) !== plain(expected, other))
        wrong.push(`${sent.method} ${sent.url} ${String(sent.body ?? '')}: ${given}, not ${expected}`.slice(0, 600))
    }
    expect(wrong).toEqual([])
  })

  const hits = new Map<string, string>()
  let sending = ''

  beforeEach(() => {
    hits.clear()
    const note = (how: string) => {
      const frames = new Error('trap').stack?.split('\n').slice(2) ?? []
      const caller = frames.find((frame) => !frame.includes('hostile-names.test.ts')) ?? ''
      if (!caller.includes('/src/') || harmless.some((name) => caller.includes(`at ${name} `))) return
      const at = caller.replace(/^.*\/src\//, 'src/').replace(/\)$/, '')
      if (!hits.has(`${how} at ${at}`)) hits.set(`${how} at ${at}`, sending)
    }
    Object.defineProperty(Object.prototype, trapName, {
      configurable: true,
      get() {
        if (Object.hasOwn(this as object, trapName)) return undefined
        note('read')
        return undefined
      },
      set(value: unknown) {
        note('written')
        Object.defineProperty(this, trapName, { value, configurable: true, enumerable: true, writable: true })
      },
    })
  })

  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, trapName)
  })

  it('looks up names only among own members', async () => {
    const server = await furnished()
    for (const sent of [...requestsWith(trapName), ...objectsWith(trapName)]) {
      sending = `${sent.method} ${sent.url} ${String(sent.body ?? '').slice(0, 200)}`
      await answerTo(server, sent)
    }
    expect([...hits].map(([at, sent]) => `${at}: ${sent}`)).toEqual([])
  })
})
