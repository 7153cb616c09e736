import type { Call, ListCall, Outcome, WatchEvent, WatchRequest } from '../api/call.ts'
import type { Status } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'
import { type Caller, finishCall, type Registry } from '../registry/contract.ts'
import { startWatch } from '../registry/read/watch.ts'
import type { DirectClient, WatchHandle } from './contract.ts'

/**
 * A client of a registry in the same process. `callNow` answers immediately. `call` answers when all data behind the
 * response is on disk, or with a failure if the disk failed. Watch events carry the stored objects themselves: nothing
 * is copied or encoded. They are delivered within the commit that caused them (with a journal: when it is on disk), but
 * never before `watch` has returned. `sendToWebhook` sends the requests to webhooks that a call needs; without it, and
 * for `callNow`, the registry answers for them.
 */
export function createInProcessClient(
  registry: Registry,
  caller?: Caller,
  sendToWebhook?: (ask: WebhookAsk) => Promise<WebhookAnswer>,
): DirectClient {
  const callNow = (call: Call): Outcome => registry.call(call, caller)
  const durably = (outcome: Outcome): Promise<Outcome> =>
    registry.store.durable().then(
      () => outcome,
      (error: Error) => failure('ServiceUnavailable', error.message),
    )
  return {
    callNow,
    call(call) {
      try {
        if (sendToWebhook === undefined) return durably(callNow(call))
        const started = registry.begin(call, caller)
        return 'asks' in started ? finishCall(started, sendToWebhook).then(durably, crashed) : durably(started)
      } catch (error) {
        return Promise.resolve(crashed(error))
      }
    },
    watch: (request, onEvents, onEnd) => new StoreWatch(registry, caller, request, onEvents, onEnd),
  }
}

/** The contract requires an outcome for every call; a bug in one kind must not stop all controllers. */
function crashed(error: unknown): Outcome {
  return failure('InternalError', error instanceof Error ? (error.stack ?? error.message) : String(error))
}

class StoreWatch implements WatchHandle {
  private readonly onEvents: (events: readonly WatchEvent[]) => void
  private readonly onEnd: (error?: Error) => void
  /** Events before the first delivery; undefined once events are delivered directly. */
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
    this.onEvents = onEvents
    this.onEnd = onEnd
    const refused = this.begin(registry, caller, request)
    if (refused !== undefined) this.waiting?.push({ type: 'ERROR', status: refused })
    Promise.resolve().then(() => this.deliverWaiting())
  }

  cancel(): void {
    this.end()
  }

  private begin(registry: Registry, caller: Caller | undefined, request: WatchRequest): Status | undefined {
    const { bookmarks: _, sendInitialEvents, ...listed } = request
    const kind = registry.kinds.find(request.resource)
    if (kind === undefined) return failure('NotFound', 'the server could not find the requested resource').status
    if (!kind.verbs.includes('watch'))
      return failure('MethodNotAllowed', `${request.resource} cannot be watched`).status
    const call: ListCall = { verb: 'list', ...listed }
    const started = startWatch(registry, kind, {
      call,
      ...(caller === undefined ? {} : { caller }),
      ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
      onEvents: (events) => this.take(events),
    })
    if ('status' in started) return started.status
    this.subscription = started
    return undefined
  }

  private take(events: readonly WatchEvent[]): void {
    if (this.ended) return
    if (this.waiting === undefined) this.deliver(events)
    else for (const event of events) this.waiting.push(event)
  }

  private deliverWaiting(): void {
    if (this.ended) return
    const events = this.waiting ?? []
    this.waiting = undefined
    if (events.length > 0) this.deliver(events)
  }

  private deliver(events: readonly WatchEvent[]): void {
    this.onEvents(events)
    if (events[events.length - 1]?.type === 'ERROR') this.end()
  }

  private end(): void {
    if (this.ended) return
    this.ended = true
    this.waiting = undefined
    this.subscription?.cancel()
    this.onEnd()
  }
}
