import type { Call, Outcome, WatchEvent, WatchRequest } from '../../src/api/call.ts'
import { failure } from '../../src/api/status.ts'
import type { DirectClient, WatchHandle } from '../../src/client/contract.ts'

/** What befalls a call: nothing, a refusal before it is carried out, or the loss of its answer afterwards. */
export type Fault = 'none' | 'refused' | 'answer-lost'

/**
 * A client whose connection can be cut, for tests of what happens then. While it is cut, calls fail with
 * ServiceUnavailable without reaching the cluster, or do not return at all; watches end.
 */
export interface FaultyClient extends DirectClient {
  cut(how?: 'fails' | 'hangs'): void
  /** Calls that hung are carried out now, late as they are. */
  restore(): void
  /** Ends every watch as a server does that restarts or times out, with or without an error. */
  endWatches(error?: Error): void
}

export function createFaultyClient(inner: DirectClient, fault: (call: Call) => Fault = () => 'none'): FaultyClient {
  const watches = new Set<FaultyWatch>()
  let state: 'fine' | 'fails' | 'hangs' = 'fine'
  let hanging: (() => void)[] = []
  const noConnection = () => failure('ServiceUnavailable', 'connection refused')

  const refused = () => failure('InternalError', 'the server stumbled')
  const answered = (what: Fault, outcome: Outcome): Outcome =>
    what === 'answer-lost' ? failure('Timeout', 'the answer did not come in time') : outcome

  return {
    callNow(call) {
      if (state !== 'fine') return noConnection()
      const what = fault(call)
      return what === 'refused' ? refused() : answered(what, inner.callNow(call))
    },
    async call(call) {
      if (state === 'hangs') await new Promise<void>((resolve) => hanging.push(resolve))
      if (state !== 'fine') return noConnection()
      const what = fault(call)
      return what === 'refused' ? refused() : answered(what, await inner.call(call))
    },
    watch(request, onEvents, onEnd) {
      const watch = new FaultyWatch(inner, request, onEvents, (error) => {
        watches.delete(watch)
        onEnd(error)
      })
      watches.add(watch)
      if (state !== 'fine') Promise.resolve().then(() => watch.end(new Error('connection refused')))
      else watch.begin()
      return watch
    },
    cut(how = 'fails') {
      state = how
      for (const watch of [...watches]) watch.end(new Error('connection reset'))
    },
    restore() {
      state = 'fine'
      const waiting = hanging
      hanging = []
      for (const resume of waiting) resume()
    },
    endWatches(error) {
      for (const watch of [...watches]) watch.end(error)
    },
  }
}

class FaultyWatch implements WatchHandle {
  private readonly inner: DirectClient
  private readonly request: WatchRequest
  private readonly onEvents: (events: readonly WatchEvent[]) => void
  private readonly onEnd: (error?: Error) => void
  private handle: WatchHandle | undefined
  private ended = false

  constructor(
    inner: DirectClient,
    request: WatchRequest,
    onEvents: (events: readonly WatchEvent[]) => void,
    onEnd: (error?: Error) => void,
  ) {
    this.inner = inner
    this.request = request
    this.onEvents = onEvents
    this.onEnd = onEnd
  }

  begin(): void {
    const passOn = (events: readonly WatchEvent[]): void => {
      if (!this.ended) this.onEvents(events)
    }
    this.handle = this.inner.watch(this.request, passOn, (error) => this.end(error))
  }

  cancel(): void {
    this.end()
  }

  end(error?: Error): void {
    if (this.ended) return
    this.ended = true
    this.handle?.cancel()
    this.onEnd(error)
  }
}
