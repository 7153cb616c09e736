import type { Call, Failure, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Store } from '../store/contract.ts'
import type { Kind, KindTable } from './kinds/kind.ts'

/** Who asks. Controllers in the same process are `system:masters`. */
export interface Caller {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** A write in progress, as the rights to it see it. */
export interface GuardedWrite {
  readonly kind: Kind
  readonly caller: Caller
  readonly namespace?: string | undefined
  /** The name in the path. Absent: the object is created under its own. */
  readonly name?: string | undefined
  readonly object: KubeObject
  /** What is stored. Absent: the object does not exist yet. */
  readonly old?: KubeObject | undefined
}

/** Rights that can be checked only once a write is under way. Without a guard every write is allowed. */
export interface Guard {
  /** Asked before an object is validated: whether it gives away more than the caller has. */
  readonly escalation: (write: GuardedWrite) => Failure | undefined
  /** Asked before an update or a patch creates an object. */
  readonly creation: (write: GuardedWrite) => Failure | undefined
  /** Asked about parts of a write that have rights of their own: why the caller may not, in the words of a 403. */
  readonly permission: (caller: Caller, needed: NeededRight) => string | undefined
}

export interface NeededRight {
  readonly verb: string
  readonly group: string
  readonly plural: string
  readonly subresource: string
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/**
 * What makes a kind a kind, for every client alike: defaulting, validation, admission, patches, subresources.
 * Synchronous, so that the step driver can apply actions in virtual time; durability is awaited on the store.
 */
export interface Registry {
  readonly store: Store
  /** The kinds served at the moment: the built-in ones and the custom resources that are defined. */
  readonly kinds: KindTable
  call(call: Call, caller?: Caller, guard?: Guard): Outcome
}
