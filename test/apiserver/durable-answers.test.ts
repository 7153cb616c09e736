import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { type StoreChange, StoreUnavailable } from '../../src/store/contract.ts'
import { createStore, type Journal, type JournalOwner } from '../../src/store/memory-store.ts'
import { serving } from './serving.ts'

/** A disk whose writes succeed or fail as the test decides. */
class SlowDisk implements Journal {
  readonly trouble = undefined
  private owner: JournalOwner | undefined
  private pending: StoreChange[] = []
  private waiters: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []

  attach(owner: JournalOwner): void {
    this.owner = owner
  }

  refuses(): undefined {
    return undefined
  }

  append(changes: readonly StoreChange[]): void {
    this.pending.push(...changes)
  }

  durable(): Promise<void> {
    if (this.pending.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => this.waiters.push({ resolve, reject }))
  }

  write(): void {
    const changes = this.pending.splice(0)
    if (changes.length > 0) this.owner?.landed(changes)
    for (const { resolve } of this.waiters.splice(0)) resolve()
  }

  fail(): void {
    this.owner?.lost(this.pending.splice(0))
    for (const { reject } of this.waiters.splice(0)) reject(new StoreUnavailable('the disk failed'))
  }
}

const path = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, more = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more })
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}
const review = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
}

/** Runs all work that is ready, so that answers without a pending condition have arrived. */
const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

let disk: SlowDisk
let server: ReturnType<typeof serving>

beforeEach(async () => {
  disk = new SlowDisk()
  server = serving({ store: createStore({ journal: disk }) })
  disk.write()
})

type Ask = [name: string, method: string, url: string, body: unknown, code: number]
const asks: Ask[] = [
  ['a create', 'POST', path, configMap('y'), 201],
  ['a get', 'GET', `${path}/x`, undefined, 200],
  ['a get of what is not there', 'GET', `${path}/none`, undefined, 404],
  ['a list', 'GET', path, undefined, 200],
  ['a list of another kind', 'GET', '/api/v1/nodes', undefined, 200],
  ['a list from the cache', 'GET', `${path}?resourceVersion=0`, undefined, 200],
  ['a page of a list', 'GET', `${path}?limit=1`, undefined, 200],
  ['a refusal of what exists', 'POST', path, configMap('x'), 409],
  ['a conflict', 'PUT', `${path}/x`, configMap('x', { metadata: { name: 'x', resourceVersion: '1' } }), 409],
  ['a dry run', 'POST', `${path}?dryRun=All`, configMap('z'), 201],
  ['an access review', 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, 201],
  ['a version that is too large', 'GET', `${path}?resourceVersion=9999`, undefined, 504],
  ['discovery', 'GET', '/apis', undefined, 200],
  ['a path that does not exist', 'GET', '/apis/example.com/v2/widgets', undefined, 404],
]

describe('while a write is not on disk', () => {
  it.each(asks)('delays %s until the write is on disk', async (...[, method, url, body, code]: Ask) => {
    void server.ask('POST', path, configMap('x'))
    void server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    let answer: Awaited<ReturnType<typeof server.ask>> | undefined
    void server.ask(method, url, body).then((given) => {
      answer = given
    })
    await settle()
    expect(answer).toBeUndefined()
    disk.write()
    await settle()
    expect(answer?.code).toBe(code)
  })

  it.each(asks)('fails %s if the disk fails', async (...[, method, url, body]: Ask) => {
    void server.ask('POST', path, configMap('x'))
    void server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    const asked = server.ask(method, url, body)
    await settle()
    disk.fail()
    expect((await asked).body).toMatchObject({ code: 503, reason: 'ServiceUnavailable', message: 'the disk failed' })
    expect((await server.ask('GET', `${path}/x`)).code).toBe(404)
  })

  it('answers probes while a write is not on disk', async () => {
    void server.ask('POST', path, configMap('x'))
    expect((await server.ask('GET', '/livez')).text).toBe('ok')
  })

  it('sends the initial events of a watch when they are on disk, and later events after them', async () => {
    disk.write()
    const streamed = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const watches = await Promise.all([server.watch(`${path}?watch=1`), server.watch(`${path}?watch=1${streamed}`)])
    const early = await Promise.all(watches.map(({ events }) => events.length))
    expect(early).toEqual([0, 1])
    void server.ask('POST', path, configMap('x'))
    const asked = Promise.all([server.watch(`${path}?watch=1`), server.watch(`${path}?watch=1${streamed}`)])
    void server.ask('POST', path, configMap('y'))
    await settle()
    expect(watches.map(({ events }) => events.length)).toEqual([0, 1])
    disk.write()
    for (const { events } of await asked) {
      await settle()
      expect(events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`).slice(0, 2)).toEqual([
        'ADDED x',
        'ADDED y',
      ])
    }
  })

  it('sends bookmarks only for revisions that are on disk', async () => {
    const { events } = await server.watch(`${path}?watch=1&allowWatchBookmarks=true`)
    const { resourceVersion } = (await server.ask('GET', path)).body.metadata
    void server.ask('POST', path, configMap('x'))
    await settle()
    server.clock.advanceTo(server.clock.now() + 61_000)
    expect(events).toMatchObject([{ type: 'BOOKMARK', object: { metadata: { resourceVersion } } }])
  })

  it('delays reads and rejections of a client in the same process, and shows it only what is on disk', async () => {
    const client = createInProcessClient(server.registry)
    void server.ask('POST', path, configMap('x'))
    const at = { resource: 'configmaps', namespace: 'default' }
    const told: string[] = []
    const calls = [
      { verb: 'get', ...at, name: 'x' },
      { verb: 'list', ...at },
      { verb: 'get', ...at, name: 'none' },
    ] as const
    for (const call of calls) void client.call(call).then((outcome) => told.push(`${call.verb} ${outcome.ok}`))
    client.watch(
      { resource: 'configmaps' },
      (events) => told.push(...events.map(({ type }) => type)),
      () => {},
    )
    await settle()
    expect(told).toEqual([])
    disk.write()
    await settle()
    expect(told.sort()).toEqual(['ADDED', 'get false', 'get true', 'list true'])
  })

  it('reports a failed disk to a client in the same process', async () => {
    const client = createInProcessClient(server.registry)
    const object = { ...configMap('x'), metadata: { name: 'x', namespace: 'default' } }
    const called = client.call({ verb: 'create', resource: 'configmaps', namespace: 'default', object } as never)
    disk.fail()
    expect(await called).toMatchObject({ ok: false, status: { reason: 'ServiceUnavailable' } })
  })
})
