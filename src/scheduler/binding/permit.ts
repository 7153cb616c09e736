import { formatGoDurationMs } from '../../api/go-duration.ts'
import type { AnyPlugin, PluginStatus } from '../contract/contract.ts'
import { isRejected, messageOf } from '../contract/contract.ts'
import type { Placement } from './binding-cycles.ts'

/** The maximum time for which a plugin can delay a pod (v1.36, framework/runtime, maxTimeout). */
const maxWaitMs = 15 * 60_000

export interface PermitWait {
  readonly timeoutMs: number
  readonly deadlineAt: number
}

// Shared by all pods of profiles without Permit plugins; never modified.
const noWaits = { waits: new Map<AnyPlugin, PermitWait>() }

/** Runs every Permit plugin once. A rejection or an error ends the run; a wait does not. */
export function runPermit(
  { profile, assumed, node, states }: Placement,
  now: number,
): { readonly status?: PluginStatus; readonly waits: Map<AnyPlugin, PermitWait> } {
  if (profile.permit.length === 0) return noWaits
  const waits = new Map<AnyPlugin, PermitWait>()
  for (const plugin of profile.permit) {
    const answer = plugin.permit?.(assumed, node, states.get(plugin))
    if (answer === undefined || answer.code === 'Success') continue
    if (answer.code === 'Wait') {
      const asked = 'timeoutMs' in answer ? answer.timeoutMs : maxWaitMs
      const timeoutMs = Math.min(asked, maxWaitMs)
      waits.set(plugin, { timeoutMs, deadlineAt: now + timeoutMs })
      continue
    }
    if (isRejected(answer)) return { status: { ...answer, plugin: plugin.name }, waits }
    const message = `running Permit plugin "${plugin.name}": ${messageOf(answer)}`
    return { status: { code: 'Error', reasons: [message], plugin: plugin.name }, waits }
  }
  return { waits }
}

export function waitTimeout(plugin: AnyPlugin, { timeoutMs }: PermitWait): PluginStatus {
  const message = `rejected due to timeout after waiting ${formatGoDurationMs(timeoutMs)} at plugin ${plugin.name}`
  return { code: 'Unschedulable', reasons: [message], plugin: plugin.name }
}
