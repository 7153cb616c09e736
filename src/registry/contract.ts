import type { Call, Outcome } from '../api/call.ts'
import type { Store } from '../store/contract.ts'

/** Who asks. Controllers in the same process are `system:masters`. */
export interface Caller {
  readonly name: string
  readonly groups: readonly string[]
}

/**
 * What makes a kind a kind, for every client alike: defaulting, validation, admission, patches, subresources.
 * Synchronous, so that the step driver can apply actions in virtual time; durability is awaited on the store.
 */
export interface Registry {
  readonly store: Store
  call(call: Call, caller?: Caller): Outcome
}
