import type { Failure, ListCall, WatchEvent } from '../api/call.ts'
import type { KubeObject, Status } from '../api/objects/meta.ts'
import type { Clock } from '../base/clock.ts'
import type { Caller } from '../registry/contract.ts'
import type { Kind } from '../registry/kind.ts'
import { type StartedWatch, startWatch } from '../registry/watch.ts'
import type { StreamResponse, StreamSink } from './exchange.ts'
import type { ServedRegistry } from './handler.ts'

export interface WatchOptions {
  readonly registry: ServedRegistry
  readonly kind: Kind
  readonly caller: Caller
  readonly clock: Clock
  readonly call: ListCall
  readonly bookmarks: boolean
  readonly sendInitialEvents?: boolean
  readonly timeoutMs: number
  readonly encode: (event: WatchEvent, first: boolean) => string
  readonly contentType: string
}

/** kube-apiserver sends a bookmark about once a minute. */
const bookmarkEveryMs = 60_000

/** A watch as a stream of JSON documents, one a line. */
export function watchStream(options: WatchOptions): StreamResponse | Failure {
  const { call, registry } = options
  let deliver: (events: readonly WatchEvent[]) => void = () => {}
  const begun: WatchEvent[] = []
  let started = false
  const subscription = startWatch(registry, options.kind, {
    caller: options.caller,
    call,
    ...(options.sendInitialEvents === undefined ? {} : { sendInitialEvents: options.sendInitialEvents }),
    onEvents: (events) => {
      if (started) deliver(events)
      else begun.push(...events)
    },
  })
  if ('ok' in subscription) return subscription
  return {
    kind: 'stream',
    code: 200,
    headers: { 'content-type': options.contentType, 'cache-control': 'no-cache, private' },
    start(sink) {
      let first = true
      const write = (events: readonly WatchEvent[]) => {
        let chunk = ''
        for (const event of events) {
          chunk += options.encode(event, first)
          first = false
        }
        if (chunk !== '' && !sink.write(chunk)) subscription.cancel()
        // Nothing comes after an error: the client has to begin anew.
        if (events.at(-1)?.type === 'ERROR') sink.end()
      }
      deliver = write
      started = true
      write(begun)
      const timers = startTimers(options, subscription, sink, write)
      return () => {
        timers()
        subscription.cancel()
      }
    },
  }
}

function startTimers(
  options: WatchOptions,
  subscription: StartedWatch,
  sink: StreamSink,
  write: (events: readonly WatchEvent[]) => void,
): () => void {
  const { clock } = options
  const timeout = clock.at(clock.now() + options.timeoutMs, () => {
    subscription.cancel()
    sink.end()
  })
  let bookmark: (() => void) | undefined
  const schedule = () => {
    bookmark = clock.at(clock.now() + bookmarkEveryMs, () => {
      const { durableRevision } = options.registry.store
      if (durableRevision >= subscription.from) {
        write([{ type: 'BOOKMARK', resourceVersion: String(durableRevision) }])
      }
      schedule()
    })
  }
  if (options.bookmarks) schedule()
  return () => {
    timeout()
    bookmark?.()
  }
}

/** The object of a BOOKMARK: nothing but a resourceVersion, and the mark that ends the initial events. */
export function bookmarkObject(kind: Kind, event: Extract<WatchEvent, { type: 'BOOKMARK' }>): KubeObject {
  return {
    kind: kind.kind,
    apiVersion: kind.apiVersion,
    metadata: {
      resourceVersion: event.resourceVersion,
      creationTimestamp: null,
      ...(event.initialEventsEnd === true ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  } as unknown as KubeObject
}

export type { Status }
