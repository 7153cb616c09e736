import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Call, Outcome, WatchEvent, WatchRequest } from '../../src/api/call.ts'
import type { ConfigMap } from '../../src/api/objects/cluster.ts'
import type { KubeObject, StringMap } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { Client } from '../../src/client/contract.ts'

/** An empty cluster of Kubernetes' dialect that has the namespace `default` with its service account. */
export interface ContractCluster {
  readonly client: Client
  /** Compacts the history of the cluster, so that older versions get 410. Absent if the cluster does not support it. */
  readonly expireHistory?: () => void | Promise<void>
  /** Whether a watch may begin with the whole state; a server with an old etcd cannot do that. Default: yes. */
  readonly streamsLists?: boolean
  close(): void | Promise<void>
}

/** The behavior of every client, whether the cluster is in the same process or behind HTTP. */
export function describeClientContract(name: string, create: () => ContractCluster | Promise<ContractCluster>): void {
  describe(`the client contract: ${name}`, () => {
    let cluster: ContractCluster
    const watches: Watching[] = []
    const call = (request: Call) => cluster.client.call(request)
    const watch = (request: WatchRequest): Watching => {
      const watching = new Watching(cluster.client, request)
      watches.push(watching)
      return watching
    }

    beforeEach(async () => {
      cluster = await create()
    })
    afterEach(async () => {
      for (const watching of watches.splice(0)) watching.cancel()
      await cluster.close()
    })

    describeReadsAndWrites(call)
    describePatches(call)
    describeDeletions(call)
    describeLists(call, () => cluster)
    describeWatches(call, watch, () => cluster)
  })
}

type Caller = (call: Call) => Promise<Outcome>

const at = { resource: 'configmaps', namespace: 'default' } as const

function config(name: string, data: StringMap = {}, labels: StringMap = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels }, data }
}

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'example.test/main' }] },
})

const create = (object: KubeObject, resource = 'configmaps'): Call => ({
  verb: 'create',
  resource,
  namespace: 'default',
  object,
})

function objectOf<T extends KubeObject = ConfigMap>(outcome: Outcome): T {
  if (!outcome.ok) throw new Error(`${outcome.status.reason}: ${outcome.status.message}`)
  if (outcome.kind !== 'object') throw new Error(`an object was expected, not a ${outcome.kind}`)
  return outcome.object as T
}

function listOf(outcome: Outcome) {
  if (!outcome.ok) throw new Error(`${outcome.status.reason}: ${outcome.status.message}`)
  if (outcome.kind !== 'list') throw new Error(`a list was expected, not a ${outcome.kind}`)
  return outcome
}

const reasonOf = (outcome: Outcome) => (outcome.ok ? 'ok' : `${outcome.status.code} ${outcome.status.reason}`)
const namesOf = (objects: readonly KubeObject[]) => objects.map((object) => object.metadata.name)

function describeReadsAndWrites(call: Caller): void {
  it('creates an object and reads it back', async () => {
    const created = await call(create(config('a', { x: '1' })))
    expect(created).toMatchObject({ ok: true, created: true })
    const made = objectOf(created)
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(made.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(0)
    expect(objectOf(await call({ verb: 'get', ...at, name: 'a' }))).toEqual(made)
  })

  it('generates a name from a prefix', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'web-', namespace: 'default' } }
    const made = objectOf(await call(create(object as unknown as KubeObject)))
    expect(made.metadata.name).toMatch(/^web-[a-z0-9]{5}$/)
  })

  it.each<[string, Call, string]>([
    ['to create what exists', create(config('here')), '409 AlreadyExists'],
    ['to read what does not exist', { verb: 'get', ...at, name: 'nope' }, '404 NotFound'],
    ['to delete what does not exist', { verb: 'delete', ...at, name: 'nope' }, '404 NotFound'],
    ['to update what does not exist', { verb: 'update', ...at, name: 'nope', object: config('nope') }, '404 NotFound'],
    ['an invalid name', create(config('No Name')), '422 Invalid'],
    ['a namespace that does not exist', { ...create(config('a')), namespace: 'nope' } as Call, '400 BadRequest'],
    ['a resource that does not exist', { verb: 'list', resource: 'wishes.example.test' }, '404 NotFound'],
    ['an invalid label selector', { verb: 'list', ...at, labelSelector: 'a in (' }, '400 BadRequest'],
    ['a field that cannot be selected by', { verb: 'list', ...at, fieldSelector: 'data.x=1' }, '400 BadRequest'],
  ])('rejects %s', async (_, request, reason) => {
    objectOf(await call(create(config('here'))))
    expect(reasonOf(await call(request))).toBe(reason)
  })

  it('rejects an update of an object that has changed since it was read', async () => {
    const first = objectOf(await call(create(config('a', { x: '1' }))))
    const second = objectOf(
      await call({ verb: 'update', ...at, name: 'a', object: { ...first, data: { x: '2' } } as never }),
    )
    expect(second.data).toEqual({ x: '2' })
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion))
    const stale = await call({ verb: 'update', ...at, name: 'a', object: { ...first, data: { x: '3' } } as never })
    expect(reasonOf(stale)).toBe('409 Conflict')
    expect(objectOf(await call({ verb: 'get', ...at, name: 'a' })).data).toEqual({ x: '2' })
  })

  it('does not change the version for an update without changes', async () => {
    const first = objectOf(await call(create(config('a', { x: '1' }))))
    const same = objectOf(await call({ verb: 'update', ...at, name: 'a', object: first }))
    expect(same.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
  })

  it('executes a dry run without writing', async () => {
    expect(objectOf(await call({ ...create(config('a')), dryRun: true } as Call)).metadata.name).toBe('a')
    expect(reasonOf(await call({ verb: 'get', ...at, name: 'a' }))).toBe('404 NotFound')
  })

  it('keeps the status and the spec of a pod separate', async () => {
    objectOf(await call(create(pod('p'), 'pods')))
    const where = { resource: 'pods', namespace: 'default', name: 'p' } as const
    const patch = { kind: 'merge', patch: { status: { message: 'hello' } } } as const
    const plain = objectOf<Pod>(await call({ verb: 'patch', ...where, patch }))
    expect(plain.status?.message).toBeUndefined()
    const status = objectOf<Pod>(await call({ verb: 'patch', ...where, subresource: 'status', patch }))
    expect(status.status?.message).toBe('hello')
  })
}

function describePatches(call: Caller): void {
  it.each<[string, Call & { verb: 'patch' }, StringMap | undefined]>([
    [
      'a JSON patch',
      {
        verb: 'patch',
        ...at,
        name: 'a',
        patch: {
          kind: 'json',
          operations: [
            { op: 'test', path: '/data/x', value: '1' },
            { op: 'replace', path: '/data/x', value: '2' },
            { op: 'add', path: '/data/new', value: 'n' },
          ],
        },
      },
      { x: '2', y: '1', new: 'n' },
    ],
    [
      'a merge patch, in which null removes',
      { verb: 'patch', ...at, name: 'a', patch: { kind: 'merge', patch: { data: { x: null, new: 'n' } } } },
      { y: '1', new: 'n' },
    ],
    [
      'a strategic merge patch',
      { verb: 'patch', ...at, name: 'a', patch: { kind: 'strategic', patch: { data: { y: '2' } } } },
      { x: '1', y: '2' },
    ],
  ])('applies %s', async (_, request, expected) => {
    objectOf(await call(create(config('a', { x: '1', y: '1' }))))
    expect(objectOf(await call(request)).data).toEqual(expected)
  })

  it('merges lists by their key in a strategic merge patch', async () => {
    objectOf(await call(create(pod('p'), 'pods')))
    const condition = (type: string, status: string) => ({ type, status })
    const patch = (conditions: object[]): Call => ({
      verb: 'patch',
      resource: 'pods',
      namespace: 'default',
      name: 'p',
      subresource: 'status',
      patch: { kind: 'strategic', patch: { status: { conditions } } as never },
    })
    await call(patch([condition('A', 'True'), condition('B', 'True')]))
    const patched = objectOf<Pod>(await call(patch([condition('B', 'False')])))
    const found = new Map(patched.status?.conditions?.map(({ type, status }) => [type, status]))
    expect([found.get('A'), found.get('B')]).toEqual(['True', 'False'])
  })

  it('rejects a patch with an old version', async () => {
    const { metadata } = objectOf(await call(create(config('a'))))
    const patch = (resourceVersion: string): Call => ({
      verb: 'patch',
      ...at,
      name: 'a',
      patch: { kind: 'merge', patch: { metadata: { resourceVersion }, data: { x: '1' } } },
    })
    objectOf(await call(patch(metadata.resourceVersion as string)))
    expect(reasonOf(await call(patch(metadata.resourceVersion as string)))).toBe('409 Conflict')
  })
}

function describeDeletions(call: Caller): void {
  it('deletes an object', async () => {
    objectOf(await call(create(config('a'))))
    expect((await call({ verb: 'delete', ...at, name: 'a' })).ok).toBe(true)
    expect(reasonOf(await call({ verb: 'get', ...at, name: 'a' }))).toBe('404 NotFound')
  })

  it('deletes only the object with the given uid', async () => {
    const { uid, resourceVersion } = objectOf(await call(create(config('a')))).metadata
    const remove = (preconditions: { uid?: string; resourceVersion?: string }): Call => ({
      verb: 'delete',
      ...at,
      name: 'a',
      options: { preconditions },
    })
    expect(reasonOf(await call(remove({ uid: '00000000-0000-4000-8000-000000000000' })))).toBe('409 Conflict')
    expect(reasonOf(await call(remove({ resourceVersion: '1' })))).toBe('409 Conflict')
    expect((await call(remove({ uid: uid as string, resourceVersion: resourceVersion as string }))).ok).toBe(true)
  })

  it('keeps an object with finalizers until the last one is removed', async () => {
    const object = config('a')
    await call(create({ ...object, metadata: { ...object.metadata, finalizers: ['example.test/hold'] } }))
    expect((await call({ verb: 'delete', ...at, name: 'a' })).ok).toBe(true)
    expect(objectOf(await call({ verb: 'get', ...at, name: 'a' })).metadata.deletionTimestamp).toBeDefined()
    const patch = { kind: 'merge', patch: { metadata: { finalizers: null } } } as const
    await call({ verb: 'patch', ...at, name: 'a', patch })
    expect(reasonOf(await call({ verb: 'get', ...at, name: 'a' }))).toBe('404 NotFound')
  })

  it('gives a running pod its grace period, unless it is deleted at once', async () => {
    const where = { resource: 'pods', namespace: 'default', name: 'p' } as const
    objectOf(await call(create(pod('p'), 'pods')))
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p', namespace: 'default' },
      target: { kind: 'Node', name: 'n' },
    }
    expect((await call({ verb: 'create', ...where, subresource: 'binding', object: binding })).ok).toBe(true)
    expect((await call({ verb: 'delete', ...where, options: { gracePeriodSeconds: 7 } })).ok).toBe(true)
    const { metadata, spec } = objectOf<Pod>(await call({ verb: 'get', ...where }))
    expect([spec.nodeName, metadata.deletionGracePeriodSeconds]).toEqual(['n', 7])
    expect((await call({ verb: 'delete', ...where, options: { gracePeriodSeconds: 0 } })).ok).toBe(true)
    expect(reasonOf(await call({ verb: 'get', ...where }))).toBe('404 NotFound')
  })

  it('deletes all objects that a selector matches', async () => {
    for (const [name, tier] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const) {
      objectOf(await call(create(config(name, {}, { tier }))))
    }
    expect((await call({ verb: 'deletecollection', ...at, labelSelector: 'tier=x' })).ok).toBe(true)
    expect(namesOf(listOf(await call({ verb: 'list', ...at, labelSelector: 'tier' })).items)).toEqual(['b'])
  })
}

function describeLists(call: Caller, cluster: () => ContractCluster): void {
  it.each([
    ['tier=x', undefined, ['a', 'c']],
    ['tier in (x, y),tier!=y', undefined, ['a', 'c']],
    ['!tier', undefined, ['d']],
    ['tier', 'metadata.name!=a', ['b', 'c']],
    [undefined, 'metadata.name=b', ['b']],
  ])('lists by label selector %s and field selector %s', async (labelSelector, fieldSelector, expected) => {
    for (const [name, tier] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
      ['d', undefined],
    ] as const) {
      objectOf(await call(create(config(name, {}, tier === undefined ? {} : { tier }))))
    }
    const listed = listOf(
      await call({
        verb: 'list',
        ...at,
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      }),
    )
    expect(namesOf(listed.items).filter((name) => name.length === 1)).toEqual(expected)
  })

  it('lists in pages of one revision', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await call(create(config(name, {}, { paged: 'yes' })))
    const request = { verb: 'list', ...at, labelSelector: 'paged', limit: 2 } as const
    const pages = [listOf(await call(request))]
    await call(create(config('bb', {}, { paged: 'yes' })))
    await call({ verb: 'delete', ...at, name: 'd' })
    for (let next = pages[0]?.continue; next !== undefined && next !== ''; next = pages[pages.length - 1]?.continue) {
      pages.push(listOf(await call({ ...request, continue: next })))
    }
    expect(pages.map((page) => namesOf(page.items))).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(new Set(pages.map((page) => page.resourceVersion)).size).toBe(1)
  })

  it('answers 410 for a page of a compacted revision', async ({ skip }) => {
    const { expireHistory } = cluster()
    if (expireHistory === undefined) return skip('this cluster cannot be made to forget')
    for (const name of ['a', 'b', 'c']) await call(create(config(name)))
    const first = listOf(await call({ verb: 'list', ...at, limit: 1 }))
    await call(create(config('d')))
    await expireHistory()
    const next = await call({ verb: 'list', ...at, limit: 1, continue: first.continue as string })
    expect(reasonOf(next)).toBe('410 Expired')
  })
}

function describeWatches(
  call: Caller,
  watch: (request: WatchRequest) => Watching,
  cluster: () => ContractCluster,
): void {
  it('sends the current state first, then changes', async ({ skip }) => {
    if (cluster().streamsLists === false) return skip('this server does not stream lists')
    await call(create(config('a', {}, { w: '' })))
    const watching = watch({ ...at, labelSelector: 'w' })
    await watching.until(1)
    await call(create(config('b', {}, { w: '' })))
    await call({ verb: 'patch', ...at, name: 'a', patch: { kind: 'merge', patch: { data: { x: '1' } } } })
    await call({ verb: 'delete', ...at, name: 'b' })
    await watching.until(4)
    expect(watching.seen()).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b'])
  })

  it('sends only what happened after the version of a list', async () => {
    await call(create(config('before', {}, { w: '' })))
    const { resourceVersion } = listOf(await call({ verb: 'list', ...at }))
    await call(create(config('after', {}, { w: '' })))
    const watching = watch({ ...at, labelSelector: 'w', resourceVersion })
    await watching.until(1)
    await call({ verb: 'delete', ...at, name: 'before' })
    await watching.until(2)
    expect(watching.seen()).toEqual(['ADDED after', 'DELETED before'])
    const versions = watching.objects().map((object) => Number(object.metadata.resourceVersion))
    expect(versions).toEqual([...versions].sort((a, b) => a - b))
    expect(versions[0]).toBeGreaterThan(Number(resourceVersion))
  })

  it('resumes from the version of the last event without a gap', async () => {
    const { resourceVersion } = listOf(await call({ verb: 'list', ...at }))
    const first = watch({ ...at, resourceVersion })
    await call(create(config('a')))
    await first.until(1)
    first.cancel()
    await call(create(config('b')))
    const last = first.objects()[0]?.metadata.resourceVersion as string
    const second = watch({ ...at, resourceVersion: last })
    await second.until(1)
    expect(second.seen()).toEqual(['ADDED b'])
  })

  it('sends ADDED for an object that starts to match a selector, and DELETED for one that stops', async () => {
    const { resourceVersion } = listOf(await call({ verb: 'list', ...at }))
    const watching = watch({ ...at, labelSelector: 'on=yes', resourceVersion })
    const label = (on: string | null): Call => ({
      verb: 'patch',
      ...at,
      name: 'a',
      patch: { kind: 'merge', patch: { metadata: { labels: { on } } } },
    })
    await call(create(config('a')))
    await call(label('yes'))
    await call(label(null))
    await watching.until(2)
    expect(watching.seen()).toEqual(['ADDED a', 'DELETED a'])
  })

  it('watches one object by its name', async () => {
    const watching = watch({ ...at, fieldSelector: 'metadata.name=b', resourceVersion: await present(call) })
    for (const name of ['a', 'b', 'c']) await call(create(config(name)))
    await call({ verb: 'delete', ...at, name: 'b' })
    await watching.until(2)
    expect(watching.seen()).toEqual(['ADDED b', 'DELETED b'])
  })

  it('watches all namespaces if none is given', async () => {
    await call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'other' } } })
    const watching = watch({ resource: 'configmaps', labelSelector: 'w', resourceVersion: await present(call) })
    await call(create(config('a', {}, { w: '' })))
    const elsewhere = { ...config('b', {}, { w: '' }), metadata: { name: 'b', namespace: 'other', labels: { w: '' } } }
    await call({ verb: 'create', resource: 'configmaps', namespace: 'other', object: elsewhere })
    await watching.until(2)
    expect(watching.seen()).toEqual(['ADDED a', 'ADDED b'])
  })

  it('marks the end of the initial state in a streaming list', async ({ skip }) => {
    if (cluster().streamsLists === false) return skip('this server does not stream lists')
    await call(create(config('a', {}, { w: '' })))
    const watching = watch({ ...at, labelSelector: 'w', sendInitialEvents: true, bookmarks: true })
    await watching.until(2)
    expect(watching.seen()).toEqual(['ADDED a', 'BOOKMARK end of initial events'])
  })

  it('ends a watch from a compacted version with an ERROR of 410', async ({ skip }) => {
    const { expireHistory } = cluster()
    if (expireHistory === undefined) return skip('this cluster cannot be made to forget')
    const past = await present(call)
    for (const name of ['a', 'b']) await call(create(config(name)))
    await expireHistory()
    const watching = watch({ ...at, resourceVersion: past })
    await watching.ended
    expect(watching.events.at(-1)).toMatchObject({ type: 'ERROR', status: { code: 410 } })
  })

  it('sends nothing after a watch was canceled, and reports its end once', async () => {
    const watching = watch({ ...at, resourceVersion: await present(call) })
    watching.cancel()
    watching.cancel()
    await watching.ended
    await call(create(config('a')))
    await call({ verb: 'get', ...at, name: 'a' })
    expect([watching.events, watching.ends]).toEqual([[], 1])
  })
}

async function present(call: Caller): Promise<string> {
  return listOf(await call({ verb: 'list', ...at })).resourceVersion
}

/** A watch that stores its events, with promises for later events. */
class Watching {
  readonly events: WatchEvent[] = []
  readonly ended: Promise<void>
  ends = 0
  private readonly handle: { cancel(): void }
  private waiting: { readonly count: number; readonly resolve: () => void }[] = []

  constructor(client: Client, request: WatchRequest) {
    let onEnd = () => {}
    this.ended = new Promise((resolve) => {
      onEnd = resolve
    })
    this.handle = client.watch(
      request,
      (events) => this.take(events),
      () => {
        this.ends++
        onEnd()
      },
    )
  }

  cancel(): void {
    this.handle.cancel()
  }

  /** Resolves when this number of events has arrived. Bookmarks that mark nothing are not counted. */
  until(count: number): Promise<void> {
    if (this.events.length >= count) return Promise.resolve()
    return new Promise((resolve) => this.waiting.push({ count, resolve }))
  }

  seen(): string[] {
    return this.events.map((event) => {
      if (event.type === 'ERROR') return `ERROR ${event.status.code}`
      return event.type === 'BOOKMARK'
        ? 'BOOKMARK end of initial events'
        : `${event.type} ${event.object.metadata.name}`
    })
  }

  objects(): KubeObject[] {
    return this.events.flatMap((event) => ('object' in event ? [event.object] : []))
  }

  private take(events: readonly WatchEvent[]): void {
    for (const event of events) {
      if (event.type !== 'BOOKMARK' || event.initialEventsEnd === true) this.events.push(event)
    }
    this.waiting = this.waiting.filter(({ count, resolve }) => {
      if (this.events.length < count) return true
      resolve()
      return false
    })
  }
}
