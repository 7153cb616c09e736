import type { Call, Outcome, WatchEvent, WatchRequest } from '../../src/api/call.ts'
import { failure } from '../../src/api/status.ts'
import type { DirectClient, WatchHandle } from '../../src/client/contract.ts'

/** The fault of a call: none, a refusal before it is executed, or the loss of its answer afterwards. */
export type Fault = 'none' | 'refused' | 'answer-lost'

/** The fault of events of a watch: none, they arrive twice, or they and all later events are delayed. */
export type WatchFault = 'none' | 'twice' | 'late'

/**
 * A client whose connection can be cut, for tests of the effects. While it is cut, calls fail with
 * ServiceUnavailable without reaching the cluster, or do not return at all; watches end.
 */
export interface FaultyClient extends DirectClient {
  cut(how?: 'fails' | 'hangs'): void
  /** Executes calls that hung, late. */
  restore(): void
  /** Fails calls that hang, without executing them. */
  abandon(): void
  /** Delivers the events of watches that wait. */
  deliverLate(): void
  /** Ends every watch as a server does that restarts or times out, with or without an error. */
  endWatches(error?: Error): void
}

export function createFaultyClient(
  inner: DirectClient,
  fault: (call: Call) => Fault = () => 'none',
  watchFault: () => WatchFault = () => 'none',
): FaultyClient {
  const watches = new Set<FaultyWatch>()
  let state: 'fine' | 'fails' | 'hangs' = 'fine'
  let hanging: ((how: 'resumed' | 'abandoned') => void)[] = []
  const endHanging = (how: 'resumed' | 'abandoned') => {
    const waiting = hanging
    hanging = []
    for (const end of waiting) end(how)
  }
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
    async call(call, mayWrite) {
      if (state === 'hangs') {
        const how = await new Promise<'resumed' | 'abandoned'>((resolve) => hanging.push(resolve))
        if (how === 'abandoned' || mayWrite?.() === false) return noConnection()
      }
      if (state !== 'fine') return noConnection()
      const what = fault(call)
      return what === 'refused' ? refused() : answered(what, await inner.call(call))
    },
    watch(request, onEvents, onEnd) {
      const watch = new FaultyWatch(inner, request, watchFault, onEvents, (error) => {
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
      endHanging('resumed')
    },
    abandon: () => endHanging('abandoned'),
    deliverLate() {
      for (const watch of [...watches]) watch.deliverLate()
    },
    endWatches(error) {
      for (const watch of [...watches]) watch.end(error)
    },
  }
}

class FaultyWatch implements WatchHandle {
  private readonly inner: DirectClient
  private readonly request: WatchRequest
  private readonly fault: () => WatchFault
  private late: (readonly WatchEvent[])[] | undefined
  private readonly onEvents: (events: readonly WatchEvent[]) => void
  private readonly onEnd: (error?: Error) => void
  private handle: WatchHandle | undefined
  private ended = false

  constructor(
    inner: DirectClient,
    request: WatchRequest,
    fault: () => WatchFault,
    onEvents: (events: readonly WatchEvent[]) => void,
    onEnd: (error?: Error) => void,
  ) {
    this.inner = inner
    this.request = request
    this.fault = fault
    this.onEvents = onEvents
    this.onEnd = onEnd
  }

  begin(): void {
    const passOn = (events: readonly WatchEvent[]): void => {
      if (this.ended) return
      if (this.late !== undefined) {
        this.late.push(events)
        return
      }
      const fault = this.fault()
      if (fault === 'late') this.late = [events]
      else this.onEvents(events)
      if (fault === 'twice' && !this.ended) this.onEvents(events)
    }
    this.handle = this.inner.watch(this.request, passOn, (error) => this.end(error))
  }

  deliverLate(): void {
    const late = this.late ?? []
    this.late = undefined
    for (const events of late) if (!this.ended) this.onEvents(events)
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
