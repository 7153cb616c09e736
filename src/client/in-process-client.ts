import type { Call, Outcome, WatchEvent, WatchRequest } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import type { Caller, Registry } from '../registry/contract.ts'
import type { StoreChange } from '../store/contract.ts'
import type { DirectClient, WatchHandle } from './contract.ts'
import { compileSelection, type Selection } from './selection.ts'

/**
 * A client of a registry in the same process. `callNow` answers at once; `call` answers when the write is on disk.
 * Watch events carry the stored objects themselves: nothing is copied or encoded. They are delivered within the
 * commit that made them (with a journal: when it is on disk), but never before `watch` has returned.
 */
export function createInProcessClient(registry: Registry, caller?: Caller): DirectClient {
  const callNow = (call: Call): Outcome => registry.call(call, caller)
  return {
    callNow,
    async call(call) {
      let outcome: Outcome
      try {
        outcome = callNow(call)
      } catch (error) {
        // The port's promise is an outcome for every call; a bug in one kind must not take down every controller.
        return failure('InternalError', error instanceof Error ? error.message : String(error))
      }
      if (outcome.ok && call.verb !== 'get' && call.verb !== 'list') await registry.store.durable()
      return outcome
    },
    watch: (request, onEvents, onEnd) => new StoreWatch(registry, caller, request, onEvents, onEnd),
  }
}

class StoreWatch implements WatchHandle {
  private readonly registry: Registry
  private readonly request: WatchRequest
  private readonly onEvents: (events: readonly WatchEvent[]) => void
  private readonly onEnd: (error?: Error) => void
  /** What happened before the first delivery; undefined once events are passed on directly. */
  private waiting: WatchEvent[] | undefined = []
  private subscription: { readonly cancel: () => void } | undefined
  private ended = false

  constructor(
    registry: Registry,
    caller: Caller | undefined,
    request: WatchRequest,
    onEvents: (events: readonly WatchEvent[]) => void,
    onEnd: (error?: Error) => void,
  ) {
    this.registry = registry
    this.request = request
    this.onEvents = onEvents
    this.onEnd = onEnd
    const refused = this.begin(caller)
    Promise.resolve().then(() => this.deliverWaiting(refused))
  }

  cancel(): void {
    if (this.ended) return
    this.end()
  }

  /** Starts to listen, and collects the initial state. Returns the ERROR event if the request cannot be served. */
  private begin(caller: Caller | undefined): WatchEvent | undefined {
    const { resource, namespace, labelSelector, fieldSelector, resourceVersion } = this.request
    // The list is the initial state, and its failures (unknown resource, bad selector) are the watch's.
    const fromNow = resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0'
    const listed = this.registry.call(
      {
        verb: 'list',
        resource,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
        ...(fromNow || this.request.sendInitialEvents ? {} : { limit: 1 }),
      },
      caller,
    )
    if (!listed.ok) return { type: 'ERROR', status: listed.status }
    if (listed.kind !== 'list') return errorEvent('MethodNotAllowed', `${resource} cannot be watched`)
    const selection = compileSelection(this.request)
    if (!selection.ok) return errorEvent('BadRequest', selection.message)

    const initial = fromNow ? this.request.sendInitialEvents !== false : this.request.sendInitialEvents === true
    const from = fromNow || initial ? Number(listed.resourceVersion) : Number(resourceVersion)
    if (!Number.isSafeInteger(from) || from < 0) {
      return errorEvent('BadRequest', `invalid resource version "${resourceVersion}"`)
    }
    if (initial) {
      for (const object of listed.items) this.waiting?.push({ type: 'ADDED', object })
      if (this.request.sendInitialEvents === true) {
        this.waiting?.push({ type: 'BOOKMARK', resourceVersion: listed.resourceVersion, initialEventsEnd: true })
      }
    }
    const subscription = this.registry.store.watch((changes) => this.take(changes, selection.value), from)
    if (subscription === 'compacted') {
      return errorEvent('Expired', `too old resource version: ${from} (${this.registry.store.compactedRevision})`)
    }
    this.subscription = subscription
    return undefined
  }

  private take(changes: readonly StoreChange[], selected: Selection): void {
    if (this.ended) return
    const events: WatchEvent[] = this.waiting ?? []
    for (const change of changes) {
      if (change.resource !== this.request.resource) continue
      const event = eventOf(change, selected)
      if (event !== undefined) events.push(event)
    }
    if (this.waiting === undefined && events.length > 0) this.onEvents(events)
  }

  private deliverWaiting(refused: WatchEvent | undefined): void {
    if (this.ended) return
    const events = this.waiting ?? []
    this.waiting = undefined
    if (refused !== undefined) events.push(refused)
    if (events.length > 0) this.onEvents(events)
    if (refused !== undefined) this.end()
  }

  private end(): void {
    if (this.ended) return
    this.ended = true
    this.waiting = undefined
    this.subscription?.cancel()
    this.onEnd()
  }
}

/** An object that comes to match is ADDED and one that ceases to is DELETED, as the API server's watch cache has it. */
function eventOf(change: StoreChange, selected: Selection): WatchEvent | undefined {
  const { before, after } = change
  const was = before !== undefined && selected(before)
  if (after === undefined) {
    return was ? { type: 'DELETED', object: change.last ?? stamped(before, change.revision) } : undefined
  }
  if (selected(after)) return { type: was ? 'MODIFIED' : 'ADDED', object: after }
  return was ? { type: 'DELETED', object: stamped(before, change.revision) } : undefined
}

function stamped(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

function errorEvent(reason: 'BadRequest' | 'Expired' | 'MethodNotAllowed', message: string): WatchEvent {
  return { type: 'ERROR', status: failure(reason, message).status }
}
