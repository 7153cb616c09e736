import type { Call, Failure, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { Store } from '../store/contract.ts'
import type { WebhookAnswer, WebhookAsk } from './attempt.ts'
import type { Kind, KindTable } from './kinds/kind.ts'

/** The caller. Controllers in the same process are `system:masters`. */
export interface Caller {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** A write in progress, for the guard. */
export interface GuardedWrite {
  readonly kind: Kind
  readonly caller: Caller
  readonly namespace?: string | undefined
  /** The name in the path. Absent: the object is created with the name in its metadata. */
  readonly name?: string | undefined
  readonly object: KubeObject
  /** The stored object. Absent: the object does not exist yet. */
  readonly old?: KubeObject | undefined
}

/** Rights that can be checked only during a write. Without a guard, every write is allowed. */
export interface Guard {
  /** Called before validation: whether the object grants more rights than the caller has. */
  readonly escalation: (write: GuardedWrite) => Failure | undefined
  /** Called before an update or a patch creates an object. */
  readonly creation: (write: GuardedWrite) => Failure | undefined
  /** Called for parts of a write with separate rights. Returns the message of a 403 if the caller lacks them. */
  readonly permission: (caller: Caller, needed: NeededRight) => string | undefined
  /** Called by expressions of webhooks and policies: whether a user has a right. */
  readonly access: (caller: Caller, asked: AskedAccess) => { readonly allowed: boolean; readonly reason: string }
}

/** A request whose authorization is checked: for a resource, or for another path. */
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
 * The behavior of each kind, the same for every client: defaulting, validation, admission, patches, subresources.
 * Synchronous, so that the step driver can apply actions in virtual time; the caller waits for durability on the store.
 */
export interface Registry {
  readonly store: Store
  /** The kinds that are currently served: built-in kinds and custom resources. */
  readonly kinds: KindTable
  readonly release: KubernetesRelease
  /** Whether the object was written in turns, because it is large. */
  isLarge(object: KubeObject): boolean
  /** Carries out a call. RegistryOptions.answerWebhook answers for webhooks. */
  call(call: Call, caller?: Caller, guard?: Guard, unstored?: Unstored): Outcome
  /**
   * The same for callers that can send requests to webhooks. Without webhooks, it returns the outcome immediately, unless the
   * call is run in turns: then it is pending, without asks, after each turn but the last.
   */
  begin(call: Call, caller?: Caller, guard?: Guard, unstored?: Unstored, inTurns?: boolean): Outcome | PendingCall
  /** Converts stored objects of a kind with a conversion webhook to the version of the kind. */
  convert(
    kind: Kind,
    objects: readonly KubeObject[],
  ): readonly KubeObject[] | Failure | Pending<readonly KubeObject[] | Failure>
}

/**
 * Answers the creation of an object that is not stored, such as a review. The argument is the object that mutating
 * webhooks return.
 */
export type Unstored = (object: KubeObject) => Outcome

/** A computation that waits for webhooks, or, without asks, for other requests. */
export interface Pending<T> {
  readonly asks: readonly WebhookAsk[]
  /** Continues with the answers, in the order of the asks. */
  readonly resume: (answers: readonly WebhookAnswer[]) => T | Pending<T>
}

/** A call that waits for webhooks. Nothing is written yet, except by deletecollection, which deletes one by one. */
export type PendingCall = Pending<Outcome>

/** Carries out a call, and sends the requests to webhooks that it needs. `pause`: resolves in another turn. */
export async function finishCall<T extends object>(
  started: T | Pending<T>,
  send: (ask: WebhookAsk) => Promise<WebhookAnswer>,
  pause?: () => Promise<void>,
): Promise<T> {
  let outcome = started
  while ('asks' in outcome) {
    const { asks, resume } = outcome
    if (asks.length === 0) await pause?.()
    outcome = resume(await Promise.all(asks.map(send)))
  }
  return outcome
}
