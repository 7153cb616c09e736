import type { Node } from '../../api/objects/node.ts'
import { parseTime } from '../../api/time.ts'
import { taintKeys } from '../../api/well-known.ts'

export interface NodeReadiness {
  readonly isReady: boolean
  readonly changedAt: number
}

const notReadyTaints: ReadonlySet<string> = new Set([
  taintKeys.notReady,
  taintKeys.diskPressure,
  taintKeys.networkUnavailable,
])

/**
 * Reports whether the autoscaler counts a node as ready (1.36, utils/kubernetes GetNodeReadiness). Taints count like
 * conditions.
 */
export function readinessOf({ spec, status }: Node): NodeReadiness {
  let isReady = true
  let isReported = false
  let changedAt = 0
  for (const condition of status?.conditions ?? []) {
    const { type } = condition
    if (type !== 'Ready' && type !== 'DiskPressure' && type !== 'NetworkUnavailable') continue
    if (type === 'Ready') isReported = true
    if (type === 'Ready' ? condition.status !== 'True' : condition.status === 'True') isReady = false
    changedAt = Math.max(changedAt, parseTime(condition.lastTransitionTime) ?? 0)
  }
  for (const { key, timeAdded } of spec?.taints ?? []) {
    if (!notReadyTaints.has(key)) continue
    isReady = false
    changedAt = Math.max(changedAt, parseTime(timeAdded) ?? 0)
  }
  return { isReady: isReady && isReported, changedAt }
}
