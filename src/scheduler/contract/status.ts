/** What a plugin can answer. The names are upstream's (v1.36, kube-scheduler framework, Code). */
export type Code = 'Success' | 'Error' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Wait' | 'Skip' | 'Pending'

export interface Status {
  readonly code: Code
  readonly reasons: readonly string[]
  /** Set by the framework on everything but success. */
  readonly plugin?: string
}

/** The pod may go on. */
export const ok: Status = { code: 'Success', reasons: [] }

/** PreFilter: this plugin's Filter need not run for this pod; PreScore: its Score need not. */
export const skip: Status = { code: 'Skip', reasons: [] }

/** No place here now; removing pods from the node may help, so preemption looks at it. */
export function unschedulable(...reasons: string[]): Status {
  return { code: 'Unschedulable', reasons }
}

/** No place here, and no preemption can change that. */
export function unresolvable(...reasons: string[]): Status {
  return { code: 'UnschedulableAndUnresolvable', reasons }
}

/** Rejected until something outside of scheduling has happened: retried without backoff when it has. */
export function pending(...reasons: string[]): Status {
  return { code: 'Pending', reasons }
}

/** An internal error: the cycle is given up and the pod retried with error backoff. */
export function failure(reason: string): Status {
  return { code: 'Error', reasons: [reason] }
}

export function isRejected(status: Status): boolean {
  return status.code === 'Unschedulable' || status.code === 'UnschedulableAndUnresolvable' || status.code === 'Pending'
}

export function messageOf(status: Status): string {
  return status.reasons.join(', ')
}

// Plugins answer with the same few objects over and over.
const named = new WeakMap<Status, Status>()

/** The status with the name of the plugin it comes from. */
export function from(plugin: string, status: Status): Status {
  if (status.code === 'Success' || status.plugin !== undefined) return status
  const known = named.get(status)
  if (known?.plugin === plugin) return known
  const made = { ...status, plugin }
  named.set(status, made)
  return made
}
