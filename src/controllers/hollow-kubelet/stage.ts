import type { Json, LabelSelector } from '../../api/objects/meta.ts'

/**
 * The behavior of hollow kubelets is data: a list of stages. An object is in the first stage that selects it. After the
 * delay of the stage, `next` is applied to it, which usually moves it out of the stage.
 */
export interface Stage {
  readonly name: string
  readonly of: 'Pod' | 'Node'
  readonly selector?: StageSelector
  /** Absent: immediately. */
  readonly delay?: StageDelay
  /** The probability that a pod enters this stage, drawn once per pod and stage. Absent: 1. */
  readonly probability?: number
  /** Absent: whenever the selector matches. `reboot`: also once when the node of the pod is back after a failure. */
  readonly on?: 'reboot'
  readonly next: StageNext
}

export interface StageSelector {
  readonly labels?: LabelSelector
  readonly annotations?: LabelSelector
  readonly fields?: readonly StageRequirement[]
  /** Pods whose containers all end immediately by their commands, or with an init container that fails immediately. */
  readonly exits?: 'succeeding' | 'failing' | 'failing-init' | 'waiting-init'
}

export interface StageRequirement {
  /** `status.conditions[Ready].status` */
  readonly field: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

/** Counted from the time at which the object entered the stage. */
export interface StageDelay {
  readonly afterMs?: number
  /** The maximum of a random addition, drawn per object. */
  readonly jitterMs?: number
  /** A duration in this annotation replaces the values above. */
  readonly annotation?: string
  /** By `namespace/name` of the workload of a pod; `*` is for all others. Replaces `afterMs` and `jitterMs`. */
  readonly byWorkload?: ReadonlyMap<string, number>
  /** Terminating pods: the whole grace period, or at most the grace period. */
  readonly grace?: 'full' | 'at-most'
  /** Doubled for every restart of the first container after the first restart, up to a maximum. */
  readonly backoff?: { readonly initialMs: number; readonly maxMs: number }
}

export type StageNext =
  /** A strategic merge patch of the status, with placeholders. */
  | { readonly kind: 'status'; readonly status: Json; readonly events?: readonly StageEvent[] }
  | { readonly kind: 'patch'; readonly patch: Json; readonly events?: readonly StageEvent[] }
  /** Pods: force-deleted without a grace period. */
  | { readonly kind: 'delete'; readonly events?: readonly StageEvent[] }
  /** Nodes: the kubelet is silent for this time. */
  | { readonly kind: 'silence'; readonly forMs: number; readonly events?: readonly StageEvent[] }

export interface StageEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}
