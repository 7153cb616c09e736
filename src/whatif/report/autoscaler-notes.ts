import { findCondition, isPodTerminal } from '../../api/conditions.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { ForecastNote } from './forecast.ts'

/**
 * Notes about autoscalers: features that a forecast omits, missing autoscalers although pods need nodes, and
 * assumptions about the load.
 */
export function autoscalerNotes({ plan, cluster }: ForecastRun): readonly ForecastNote[] {
  const { found } = plan
  const { clusterAutoscaler, karpenter } = plan.autoscaling ?? {}
  const limits = [...(clusterAutoscaler?.limits ?? []), ...(karpenter?.limits ?? [])]
  const notes: ForecastNote[] = limits.map((text) => ({ kind: 'uncertain', text }))
  if (found === undefined) return notes
  if (clusterAutoscaler === undefined && karpenter === undefined) {
    const before = new Set((found.store.list('pods') as readonly Pod[]).filter(isUnschedulable).map(keyOf))
    const waiting = (cluster.store.list('pods') as readonly Pod[])
      .filter((pod) => isUnschedulable(pod) && !before.has(keyOf(pod)))
      .map(keyOf)
      .sort()
    const shown =
      waiting.length > 3 ? `${waiting.slice(0, 3).join(', ')} and ${waiting.length - 3} more` : waiting.join(', ')
    if (waiting.length > 0)
      notes.push({
        kind: 'assumed',
        text: `no autoscaler is configured: ${waiting.length === 1 ? 'a pod' : `${waiting.length} pods`} without a node would trigger a scale-up (${shown}); describe node groups with --autoscaler`,
      })
  }
  if (plan.load === undefined && cluster.store.list('horizontalpodautoscalers.autoscaling').length > 0)
    notes.push({
      kind: 'assumed',
      text: 'the load of workloads with a HorizontalPodAutoscaler stays as it was last measured, shared by the replicas',
    })
  return notes
}

function isUnschedulable(pod: Pod): boolean {
  if ((pod.spec.nodeName ?? '') !== '' || isPodTerminal(pod)) return false
  const condition = findCondition(pod.status?.conditions, 'PodScheduled')
  return condition?.status === 'False' && condition.reason === 'Unschedulable'
}
