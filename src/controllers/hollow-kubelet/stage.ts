import type { Json, LabelSelector } from '../../api/objects/meta.ts'

/**
 * The behavior of hollow kubelets is data: a list of stages. An object is in the first stage that selects it; after the
 * stage's delay what comes next is done to it, which usually takes it out of the stage.
 */
export interface Stage {
  readonly name: string
  readonly of: 'Pod' | 'Node'
  readonly selector?: StageSelector
  /** Absent: at once. */
  readonly delay?: StageDelay
  /** The chance that a pod is ever in this stage, drawn once for each pod and stage. Absent: it always is. */
  readonly probability?: number
  /** Absent: whenever the selector says so. `reboot`: also, once, when the node of the pod comes back from a failure. */
  readonly on?: 'reboot'
  readonly next: StageNext
}

export interface StageSelector {
  readonly labels?: LabelSelector
  readonly annotations?: LabelSelector
  readonly fields?: readonly StageRequirement[]
}

export interface StageRequirement {
  /** `status.conditions[Ready].status` */
  readonly field: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

/** Counted from when the object got into the stage. */
export interface StageDelay {
  readonly afterMs?: number
  /** A random addition of at most this, drawn for each object. */
  readonly jitterMs?: number
  /** A duration in this annotation, where it is present, replaces the above. */
  readonly annotation?: string
  /** Terminating pods: the whole grace period, or no longer than that. */
  readonly grace?: 'full' | 'at-most'
  /** Doubled for every restart of the pod's first container but the first, up to a limit. */
  readonly backoff?: { readonly initialMs: number; readonly maxMs: number }
}

export type StageNext =
  /** A strategic merge patch of the status, with placeholders. */
  | { readonly kind: 'status'; readonly status: Json; readonly events?: readonly StageEvent[] }
  | { readonly kind: 'patch'; readonly patch: Json; readonly events?: readonly StageEvent[] }
  /** Pods: for good, with no grace left. */
  | { readonly kind: 'delete'; readonly events?: readonly StageEvent[] }
  /** Nodes: the kubelet says nothing for so long. */
  | { readonly kind: 'silence'; readonly forMs: number; readonly events?: readonly StageEvent[] }

export interface StageEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}
