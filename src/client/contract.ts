import type { Call, Outcome, WatchEvent, WatchRequest } from '../api/call.ts'

export interface WatchHandle {
  cancel(): void
}

/**
 * The one door to a cluster. A failed call is an Outcome, never a rejection: a lost connection is a Failure with
 * reason `ServiceUnavailable`, an answer that did not come in time one with reason `Timeout`; after either the caller
 * does not know whether the write happened and must read back.
 */
export interface Client {
  /** `mayStill` is asked after every wait, at the moment of sending: if it says no, nothing is sent. */
  call(call: Call, mayStill?: () => boolean): Promise<Outcome>
  /** Ends with an ERROR event (410 Expired: list again) or when cancelled; `onEnd` is called once, in either case. */
  watch(
    request: WatchRequest,
    onEvents: (events: readonly WatchEvent[]) => void,
    onEnd: (error?: Error) => void,
  ): WatchHandle
}

/** A client in the same process as the cluster: it can also be asked without waiting, as virtual time needs. */
export interface DirectClient extends Client {
  callNow(call: Call): Outcome
}
