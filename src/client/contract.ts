import type { Call, Outcome, WatchEvent, WatchRequest } from '../api/call.ts'

export interface WatchHandle {
  cancel(): void
}

/**
 * The interface to a cluster. A failed call is an Outcome, never a rejection: a lost connection is a Failure with
 * reason `ServiceUnavailable`, a missing response is a Failure with reason `Timeout`. After both, the caller does not
 * know whether the write was executed and must read the object.
 */
export interface Client {
  /** `mayStillSend` is called after every wait, immediately before sending: if it returns false, nothing is sent. */
  call(call: Call, mayStillSend?: () => boolean): Promise<Outcome>
  /** Ends with an ERROR event (410 Expired: list again) or when canceled; `onEnd` is called once in both cases. */
  watch(
    request: WatchRequest,
    onEvents: (events: readonly WatchEvent[]) => void,
    onEnd: (error?: Error) => void,
  ): WatchHandle
}

/** A client in the same process as the cluster: it can also be called synchronously, as virtual time needs. */
export interface DirectClient extends Client {
  callNow(call: Call): Outcome
}
