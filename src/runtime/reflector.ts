import type { WatchEvent } from '../api/call.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject, Status } from '../api/objects/meta.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import { type Logger, withFields } from '../base/log.ts'
import type { RandomStream } from '../base/random.ts'
import type { Client, WatchHandle } from '../client/contract.ts'
import { Backoff } from './backoff.ts'
import type { Change } from './controller.ts'

/** How a reflector gets the initial state. `stream` falls back to `pages` if the server does not support it. */
export type InitialList = 'stream' | 'pages'

export interface ReflectorOptions {
  readonly resource: string
  readonly client: Client
  readonly clock: Clock
  readonly random: RandomStream
  readonly log: Logger
  readonly initialList: InitialList
  readonly pageSize: number
  /** Receives changes in order. `revision`: all changes of the resource up to it have been delivered. */
  readonly onChanges: (changes: readonly Change[], revision: number) => void
  /** `synced` or `waiting` has changed. */
  readonly onState: () => void
}

// The constants of v1.36, client-go tools/cache, reflector.go.
const defaultBackoff = { firstMs: 800, maxMs: 30_000, resetMs: 120_000, jitter: 1 }
const shortWatchMs = 1000
const failuresOfLists = new Set(['NotFound', 'Unauthorized', 'Forbidden', 'ServiceUnavailable', 'Timeout', 'Expired'])

type ObjectEvent = Extract<WatchEvent, { readonly object: unknown }>

/**
 * Follows one resource: first the whole state, then every change, across lost connections and expired versions. It
 * delivers a history of additions, changes and deletions without gaps, but not every state of an object while the
 * connection was down.
 */
export class Reflector {
  private readonly options: ReflectorOptions
  private readonly log: Logger
  private readonly backoff: Backoff
  private known = new Map<string, KubeObject>()
  private lastVersion: string | undefined
  private handle: WatchHandle | undefined
  private timer: Cancel | undefined
  private stopped = false
  private hasSynced = false
  private canStream: boolean
  /** Callbacks of an abandoned list or watch carry an older number and are ignored. */
  private attempt = 0

  constructor(options: ReflectorOptions) {
    this.options = options
    this.log = withFields(options.log, { resource: options.resource })
    this.backoff = new Backoff(defaultBackoff, options.random)
    this.canStream = options.initialList === 'stream'
  }

  /** A complete state has been delivered. */
  get synced(): boolean {
    return this.hasSynced
  }

  /** True while it is disconnected and waits for the retry timer. */
  get waiting(): boolean {
    return this.timer !== undefined
  }

  start(): void {
    this.relist()
  }

  stop(): void {
    this.stopped = true
    this.attempt++
    this.timer?.()
    this.timer = undefined
    this.handle?.cancel()
    this.handle = undefined
  }

  private relist(): void {
    if (this.stopped) return
    if (this.canStream) this.stream()
    else void this.listPages(++this.attempt)
  }

  /** The state as a watch that starts with all objects, ended by a bookmark (KEP-3157). */
  private stream(): void {
    const gathered = new Map<string, KubeObject>()
    this.beginWatch({ sendInitialEvents: true }, (events) => {
      for (let i = 0; i < events.length; i++) {
        const event = events[i] as WatchEvent
        if (event.type === 'ERROR') return this.streamFailed(event.status)
        if (event.type !== 'BOOKMARK') {
          if (event.type === 'DELETED') gathered.delete(keyOf(event.object))
          else gathered.set(keyOf(event.object), event.object)
        } else if (event.initialEventsEnd === true) {
          this.replace(gathered, event.resourceVersion)
          return events.slice(i + 1)
        }
      }
      return undefined
    })
  }

  private streamFailed(status: Status): undefined {
    // A server without the feature reports this in several ways (Invalid, or that its etcd is too old). The failures
    // listed here would also affect a list.
    if (!failuresOfLists.has(status.reason ?? '')) {
      this.canStream = false
      this.log.debug({ reason: status.message }, 'the server does not support streaming lists; listing in pages')
      this.giveUpWatch()
      this.relist()
    } else this.listFailed(status)
    return undefined
  }

  private async listPages(attempt: number): Promise<void> {
    const { client, resource, pageSize } = this.options
    const gathered = new Map<string, KubeObject>()
    let next: string | undefined
    let limit: number | undefined = pageSize
    for (;;) {
      const outcome = await client.call({
        verb: 'list',
        resource,
        ...(limit === undefined ? {} : { limit }),
        ...(next === undefined ? {} : { continue: next }),
      })
      if (attempt !== this.attempt) return
      if (!outcome.ok) {
        if (next === undefined || !isExpired(outcome.status)) return this.listFailed(outcome.status)
        // The version of the paged list was compacted: list everything again, in one request.
        gathered.clear()
        next = undefined
        limit = undefined
        continue
      }
      if (outcome.kind !== 'list') return this.retryLater(`unexpected outcome of a list: ${outcome.kind}`)
      for (const object of outcome.items) gathered.set(keyOf(object), object)
      next = outcome.continue
      if (next !== undefined && next !== '') continue
      this.replace(gathered, outcome.resourceVersion)
      return this.rewatch()
    }
  }

  private listFailed(status: Status): void {
    this.giveUpWatch()
    // A resource that the cluster does not have is empty. It may be defined later, so it is polled.
    if (status.code === 404) this.replace(new Map(), '0')
    this.retryLater(status.message ?? status.reason ?? 'failed', () => this.relist())
  }

  /** Replaces the state, and delivers the differences. */
  private replace(state: Map<string, KubeObject>, version: string): void {
    const changes: Change[] = []
    for (const [key, before] of this.known) {
      const after = state.get(key)
      // For an object that was deleted and created again in the meantime, there are two changes.
      if (after === undefined || after.metadata.uid !== before.metadata.uid) changes.push(this.change(key, before))
    }
    for (const [key, after] of state) {
      const before = this.known.get(key)
      if (before === undefined || before.metadata.uid !== after.metadata.uid) {
        changes.push(this.change(key, undefined, after))
      } else if (before.metadata.resourceVersion !== after.metadata.resourceVersion) {
        changes.push(this.change(key, before, after))
      }
    }
    this.known = state
    this.lastVersion = version
    this.options.onChanges(changes, Number(version))
    if (this.hasSynced) return
    this.hasSynced = true
    this.options.onState()
  }

  private rewatch(): void {
    if (this.stopped) return
    if (this.lastVersion === undefined) this.relist()
    else this.beginWatch({ resourceVersion: this.lastVersion }, (events) => events)
  }

  /** `initial` gets events until it returns events: from there on, events are changes. */
  private beginWatch(
    from: { readonly resourceVersion?: string; readonly sendInitialEvents?: boolean },
    initial: (events: readonly WatchEvent[]) => readonly WatchEvent[] | undefined,
  ): void {
    const attempt = ++this.attempt
    const { client, clock, resource } = this.options
    const startedAt = clock.now()
    let isInitial = true
    let sawEvents = false
    this.handle = client.watch(
      { resource, bookmarks: true, ...from },
      (events) => {
        if (attempt !== this.attempt) return
        sawEvents = true
        let rest: readonly WatchEvent[] | undefined = events
        if (isInitial) {
          rest = initial(events)
          if (rest === undefined || attempt !== this.attempt) return
          isInitial = false
        }
        if (rest.length > 0) this.takeEvents(rest)
      },
      (error) => {
        if (attempt !== this.attempt) return
        this.handle = undefined
        const again = () => (isInitial && from.sendInitialEvents === true ? this.relist() : this.rewatch())
        if (error !== undefined) this.retryLater(error.message, again)
        else if (!sawEvents && clock.now() - startedAt < shortWatchMs) {
          this.retryLater('the watch ended immediately after it started', again)
        } else again()
      },
    )
  }

  private takeEvents(events: readonly WatchEvent[]): void {
    let changes: Change[] | undefined
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as WatchEvent
      if (event.type === 'ERROR') {
        this.deliver(changes ?? [])
        this.watchFailed(event.status)
        return
      }
      const change = event.type === 'BOOKMARK' ? this.noteBookmark(event.resourceVersion) : this.noteChange(event)
      if (change === undefined) continue
      // Most events arrive one by one.
      if (changes === undefined) changes = [change]
      else changes.push(change)
    }
    this.deliver(changes ?? [])
  }

  private noteBookmark(version: string): undefined {
    this.lastVersion = version
  }

  private noteChange({ type, object }: ObjectEvent): Change | undefined {
    const key = keyOf(object)
    const before = this.known.get(key)
    this.lastVersion = object.metadata.resourceVersion
    if (type === 'DELETED') {
      if (before === undefined) return undefined
      this.known.delete(key)
      return this.change(key, before)
    }
    if (before !== undefined && before.metadata.resourceVersion === object.metadata.resourceVersion) return undefined
    this.known.set(key, object)
    return this.change(key, before, object)
  }

  private deliver(changes: readonly Change[]): void {
    this.options.onChanges(changes, Number(this.lastVersion ?? 0))
  }

  private watchFailed(status: Status): void {
    this.giveUpWatch()
    if (isExpired(status)) {
      this.log.info({ version: this.lastVersion }, 'the watched version has expired; listing again')
      this.relist()
    } else {
      const again = status.code === 404 ? () => this.relist() : () => this.rewatch()
      this.retryLater(status.message ?? status.reason ?? 'failed', again)
    }
  }

  private giveUpWatch(): void {
    this.attempt++
    this.handle?.cancel()
    this.handle = undefined
  }

  private retryLater(why: string, again: () => void = () => this.relist()): void {
    if (this.stopped) return
    const { clock } = this.options
    const delayMs = this.backoff.nextDelayMs(clock.now())
    this.log.warn({ why, delayMs: Math.round(delayMs) }, 'connection lost; retrying')
    this.timer?.()
    this.timer = clock.at(clock.now() + delayMs, () => {
      this.timer = undefined
      again()
    })
    this.options.onState()
  }

  private change(key: string, before: KubeObject | undefined, after?: KubeObject): Change {
    const { resource } = this.options
    if (before === undefined) return { resource, key, after } as Change
    return (after === undefined ? { resource, key, before } : { resource, key, before, after }) as Change
  }
}

function isExpired(status: Status): boolean {
  return status.code === 410 || status.reason === 'Expired' || status.reason === 'Gone'
}
