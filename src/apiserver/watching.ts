import type { Failure, ListCall, WatchEvent } from '../api/call.ts'
import type { KubeObject, Status } from '../api/objects/meta.ts'
import type { Clock } from '../base/clock.ts'
import type { Caller } from '../registry/contract.ts'
import type { Kind } from '../registry/kinds/kind.ts'
import { type StartedWatch, startWatch, type WatchStart } from '../registry/read/watch.ts'
import type { StreamResponse, StreamSink } from './exchange.ts'
import type { ServedRegistry } from './handler.ts'
import { WatchBacklog, type WatchEncoding } from './watch-backlog.ts'

export interface WatchOptions {
  readonly registry: ServedRegistry
  readonly kind: Kind
  readonly caller: Caller
  readonly clock: Clock
  readonly call: ListCall
  readonly bookmarks: boolean
  readonly sendInitialEvents?: boolean
  readonly timeoutMs: number
  readonly encode: WatchEncoding
  readonly contentType: string
  /** Resolves in another turn. Absent: large objects are sent at once. */
  readonly pause?: (() => Promise<void>) | undefined
  /** Converts events before they are shown, for kinds with a conversion webhook. */
  readonly convert?: ((events: readonly WatchEvent[]) => Promise<readonly WatchEvent[]>) | undefined
}

/** kube-apiserver sends a bookmark about once a minute. */
const bookmarkEveryMs = 60_000

/** A watch as a stream of JSON documents, one per line. */
export function watchStream(options: WatchOptions): StreamResponse | Failure {
  const { call, registry } = options
  const { pause } = options
  const hold = pause && { isLarge: (object: KubeObject) => registry.isLarge(object), pause }
  const backlog = new WatchBacklog(options.encode, hold)
  const subscription = startWatch(registry, options.kind, {
    caller: options.caller,
    call,
    ...(options.sendInitialEvents === undefined ? {} : { sendInitialEvents: options.sendInitialEvents }),
    ...showing(options, backlog),
  })
  if ('ok' in subscription) return subscription
  return {
    kind: 'stream',
    code: 200,
    headers: { 'content-type': options.contentType, 'cache-control': 'no-cache, private' },
    start(sink) {
      backlog.open(sink)
      const timers = startTimers(options, subscription, sink, (events) => backlog.add(events))
      return () => {
        timers()
        subscription.cancel()
        backlog.close()
      }
    },
  }
}

/** Sends the state and the events to the client. Events that are converted keep their order. */
function showing({ convert }: WatchOptions, backlog: WatchBacklog): Pick<WatchStart, 'onState' | 'onEvents'> {
  if (convert === undefined) {
    return { onState: (state) => backlog.begin(state), onEvents: (events) => backlog.add(events) }
  }
  let last: Promise<void> = Promise.resolve()
  return {
    onEvents: (events) => {
      last = last.then(() => convert(events)).then((made) => backlog.add(made))
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

/** The object of a BOOKMARK: only a resourceVersion, and the annotation that ends the initial events. */
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
