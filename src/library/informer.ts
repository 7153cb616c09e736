import type { WatchEvent } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { parseRoute } from '../apiserver/route.ts'
import type { DirectClient } from '../client/contract.ts'
import type { KindTable } from '../registry/kinds/kind.ts'
import type { AsyncWork } from './async-work.ts'
import type { ClientList, ClientObject } from './object-client.ts'
import { BufferedWatch } from './object-watch.ts'

type WatchCallback = (phase: string, object: unknown, event?: unknown) => void

/** The class `Watch` of `@kubernetes/client-node`, for its `ListWatch`. */
export interface ClientWatch {
  /** Never read. TypeScript needs it to accept this object as a `Watch` of client 1.x; for 2.x, write `as never`. */
  readonly config: never
  watch(
    path: string,
    queryParams: Readonly<Record<string, string | number | boolean | undefined>>,
    callback: WatchCallback,
    done: (error: unknown) => void,
  ): Promise<AbortController>
}

/** The interface `Informer` of `@kubernetes/client-node`, with its cache. */
export interface Informer<T extends ClientObject> {
  on(verb: 'add' | 'update' | 'delete' | 'change', callback: (object: T) => void): void
  on(verb: 'error' | 'connect', callback: (error?: unknown) => void): void
  off(verb: 'add' | 'update' | 'delete' | 'change', callback: (object: T) => void): void
  off(verb: 'error' | 'connect', callback: (error?: unknown) => void): void
  start(): Promise<void>
  stop(): Promise<void>
  get(name: string, namespace?: string): T | undefined
  list(namespace?: string): readonly T[]
}

export interface InformerHost {
  readonly work: AsyncWork
  readonly client: DirectClient
  readonly kinds: KindTable
}

/** Watches paths of the API. Callbacks run as tasks, in the turn after the change. */
export function createClientWatch({ work, client, kinds }: InformerHost): ClientWatch {
  return {
    config: undefined as never,
    async watch(path, queryParams, callback, done) {
      const route = parseRoute('GET', path, new URLSearchParams())
      const kind = route.kind === 'resource' ? kinds.served(route.group, route.version, route.plural) : undefined
      if (route.kind !== 'resource' || kind === undefined)
        throw new Error(`${path}: the cluster does not serve this path`)
      const text = (name: string) => (queryParams[name] === undefined ? undefined : String(queryParams[name]))
      const [labelSelector, fieldSelector, resourceVersion] = ['labelSelector', 'fieldSelector', 'resourceVersion'].map(
        text,
      )
      const controller = new AbortController()
      const run = (action: () => void) => work.start(`informer ${path}`, async () => action())
      const deliver = (event: WatchEvent): void => {
        if (controller.signal.aborted) return
        if (event.type === 'BOOKMARK') return
        const object = structuredClone(event.type === 'ERROR' ? event.status : shown(event.object, kind))
        run(() => callback(event.type, object, { type: event.type, object }))
        if (event.type === 'ERROR') run(() => done(null))
      }
      const watch = new BufferedWatch(
        work,
        client,
        {
          resource: kind.resource,
          ...(route.namespace === undefined ? {} : { namespace: route.namespace }),
          ...(labelSelector === undefined ? {} : { labelSelector }),
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
        (events) => {
          for (const event of events) deliver(event)
        },
      )
      controller.signal.addEventListener('abort', () => watch.cancel())
      return controller
    },
  }
}

function shown(object: KubeObject, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  return { ...object, apiVersion, kind }
}

const verbs = ['add', 'update', 'delete', 'error', 'connect'] as const
type Verb = (typeof verbs)[number]
// biome-ignore lint/suspicious/noExplicitAny: callbacks get an object or an error, depending on the verb
type Callback = (value?: any) => void

/** Lists, then watches; keeps the objects, and calls back on changes: `makeInformer` of the client without its KubeConfig. */
export class ListWatchInformer<T extends ClientObject> implements Informer<T> {
  private readonly callbacks = new Map<Verb, Callback[]>(verbs.map((verb) => [verb, []]))
  private readonly objects = new Map<string, T>()
  private readonly watcher: ClientWatch
  private readonly path: string
  private readonly listFn: () => Promise<ClientList<T>>
  private readonly labelSelector: string | undefined
  private version = ''
  private request: AbortController | undefined
  private isStopped = false

  constructor(watcher: ClientWatch, path: string, listFn: () => Promise<ClientList<T>>, labelSelector?: string) {
    this.watcher = watcher
    this.path = path
    this.listFn = listFn
    this.labelSelector = labelSelector
  }

  on(verb: Verb | 'change', callback: Callback): void {
    for (const callbacks of this.callbacksOf(verb)) callbacks.push(callback)
  }

  off(verb: Verb | 'change', callback: Callback): void {
    for (const callbacks of this.callbacksOf(verb)) {
      const at = callbacks.indexOf(callback)
      if (at >= 0) callbacks.splice(at, 1)
    }
  }

  async start(): Promise<void> {
    this.isStopped = false
    await this.connect()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.disconnect()
  }

  get(name: string, namespace?: string): T | undefined {
    return this.objects.get(`${namespace ?? ''}/${name}`)
  }

  list(namespace?: string): readonly T[] {
    const all = [...this.objects.values()]
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata?.namespace === namespace)
  }

  /** Called first, and whenever a watch ends. */
  private async connect(error?: unknown): Promise<void> {
    this.disconnect()
    if (error !== null && error !== undefined) {
      this.call('error', error)
      return
    }
    if (this.isStopped) return
    this.call('connect')
    try {
      if (this.version === '') await this.relist()
      const selection = this.labelSelector === undefined ? {} : { labelSelector: this.labelSelector }
      this.request = await this.watcher.watch(
        this.path,
        { resourceVersion: this.version, ...selection },
        (phase, object) => this.take(phase, object as T & { readonly code?: number }),
        (ended) => void this.connect(ended),
      )
    } catch (failure) {
      this.call('error', failure)
    }
  }

  private disconnect(): void {
    this.request?.abort()
    this.request = undefined
  }

  private async relist(): Promise<void> {
    const { items, metadata } = await this.listFn()
    const there = new Set(items.map(keyOf))
    for (const [key, object] of [...this.objects]) if (!there.has(key)) this.remove(object)
    for (const object of items) this.put(object)
    this.version = metadata?.resourceVersion ?? ''
  }

  private take(phase: string, object: T & { readonly code?: number }): void {
    if (phase === 'ERROR') {
      if (object.code === 410) this.version = ''
      return
    }
    if (phase === 'DELETED') this.remove(object)
    else this.put(object)
    this.version = object.metadata?.resourceVersion ?? this.version
  }

  private put(object: T): void {
    const key = keyOf(object)
    const known = this.objects.get(key)
    const version = known?.metadata?.resourceVersion
    if (version !== undefined && version === object.metadata?.resourceVersion) return
    this.objects.set(key, object)
    this.call(known === undefined ? 'add' : 'update', object)
  }

  private remove(object: T): void {
    if (this.objects.delete(keyOf(object))) this.call('delete', object)
  }

  private call(verb: Verb, value?: unknown): void {
    for (const callback of [...(this.callbacks.get(verb) ?? [])]) callback(value)
  }

  private callbacksOf(verb: Verb | 'change'): readonly Callback[][] {
    const names = verb === 'change' ? (['add', 'update', 'delete'] as const) : [verb]
    return names.map((name) => {
      const callbacks = this.callbacks.get(name)
      if (callbacks === undefined) throw new Error(`Unknown verb: ${name}`)
      return callbacks
    })
  }
}

function keyOf({ metadata }: ClientObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}
