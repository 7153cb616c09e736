/** The answers of plugins, with upstream's names (v1.36, kube-scheduler framework, Code). */
export type StatusCode =
  | 'Success'
  | 'Error'
  | 'Unschedulable'
  | 'UnschedulableAndUnresolvable'
  | 'Wait'
  | 'Skip'
  | 'Pending'

export interface PluginStatus {
  readonly code: StatusCode
  readonly reasons: readonly string[]
  /** Set by the framework unless the status is a success. */
  readonly plugin?: string
}

/** The plugin accepts the pod. */
export const ok: PluginStatus = { code: 'Success', reasons: [] }

/** PreFilter: Filter of this plugin does not run for this pod. PreScore: Score does not run. */
export const skip: PluginStatus = { code: 'Skip', reasons: [] }

/** The node does not fit now. Removing pods may help, so preemption considers it. */
export function unschedulable(...reasons: string[]): PluginStatus {
  return { code: 'Unschedulable', reasons }
}

/** The node does not fit, and preemption cannot help. */
export function unresolvable(...reasons: string[]): PluginStatus {
  return { code: 'UnschedulableAndUnresolvable', reasons }
}

/** Rejected until something outside of scheduling happens. The pod is then retried without backoff. */
export function pending(...reasons: string[]): PluginStatus {
  return { code: 'Pending', reasons }
}

/** An internal error: the cycle ends and the pod is retried with error backoff. */
export function failure(reason: string): PluginStatus {
  return { code: 'Error', reasons: [reason] }
}

export function isRejected(status: PluginStatus): boolean {
  return status.code === 'Unschedulable' || status.code === 'UnschedulableAndUnresolvable' || status.code === 'Pending'
}

export function messageOf(status: PluginStatus): string {
  return status.reasons.join(', ')
}

// Plugins return the same few objects repeatedly.
const named = new WeakMap<PluginStatus, PluginStatus>()

/** Returns the status with the name of its plugin. */
export function from(plugin: string, status: PluginStatus): PluginStatus {
  if (status.code === 'Success' || status.plugin !== undefined) return status
  const known = named.get(status)
  if (known?.plugin === plugin) return known
  const made = { ...status, plugin }
  named.set(status, made)
  return made
}
