import type { Call, Failure, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { Store } from '../store/contract.ts'
import type { WebhookAnswer, WebhookAsk } from './attempt.ts'
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
  /** Asked by expressions of webhooks and policies: whether somebody may do something. */
  readonly access: (caller: Caller, asked: AskedAccess) => { readonly allowed: boolean; readonly reason: string }
}

/** A request that somebody may want to make: for a resource, or for another path. */
export interface AskedAccess {
  readonly verb: string
  readonly path?: string | undefined
  readonly group?: string | undefined
  readonly resource?: string | undefined
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
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
  readonly release: KubernetesRelease
  /** Webhooks are answered by the registry's options. */
  call(call: Call, caller?: Caller, guard?: Guard): Outcome
  /** The same for callers that can send requests to webhooks. Without webhooks, the outcome is there immediately. */
  begin(call: Call, caller?: Caller, guard?: Guard): Outcome | PendingCall
}

/** A call that waits for webhooks. Nothing is written yet, except by deletecollection, which deletes one by one. */
export interface PendingCall {
  readonly asks: readonly WebhookAsk[]
  /** Continues with the answers, in the order of the asks. */
  readonly resume: (answers: readonly WebhookAnswer[]) => Outcome | PendingCall
}

/** Carries out a call, and sends the requests to webhooks that it needs. */
export async function finishCall(
  started: Outcome | PendingCall,
  send: (ask: WebhookAsk) => Promise<WebhookAnswer>,
): Promise<Outcome> {
  let outcome = started
  while ('asks' in outcome) {
    const { asks, resume } = outcome
    outcome = resume(await Promise.all(asks.map(send)))
  }
  return outcome
}
