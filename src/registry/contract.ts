import type { Call, Outcome } from '../api/call.ts'
import type { Store } from '../store/contract.ts'
import type { KindTable } from './kind.ts'

/** Who asks. Controllers in the same process are `system:masters`. */
export interface Caller {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/**
 * What makes a kind a kind, for every client alike: defaulting, validation, admission, patches, subresources.
 * Synchronous, so that the step driver can apply actions in virtual time; durability is awaited on the store.
 */
export interface Registry {
  readonly store: Store
  /** The kinds served at the moment: the built-in ones and the custom resources that are defined. */
  readonly kinds: KindTable
  call(call: Call, caller?: Caller): Outcome
}
