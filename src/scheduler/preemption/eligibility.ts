import type { Pod } from '../../api/objects/pod.ts'
import type { Diagnosis, ParsedPod, PostFilterContext } from '../contract/contract.ts'

/** The reason why the pod cannot preempt others now; undefined when it can (v1.36, PodEligibleToPreemptOthers). */
export function whyNotEligible(
  pod: ParsedPod,
  diagnosis: Diagnosis,
  { cluster, groups }: Pick<PostFilterContext, 'cluster' | 'groups'>,
): string | undefined {
  if (pod.pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
  const nominated = pod.pod.status?.nominatedNodeName ?? ''
  if (nominated === '') return undefined
  // Preemption on the nominated node no longer helps.
  if (diagnosis.statusOf(nominated).code === 'UnschedulableAndUnresolvable') return undefined
  for (const placed of cluster.node(nominated)?.pods ?? []) {
    if (!isLeavingForAPreemptor(placed.pod)) continue
    if ((groups?.unitOf(placed).priority ?? placed.priority) < pod.priority) {
      return 'not eligible due to a terminating pod on the nominated node.'
    }
  }
  return undefined
}

/** Reports whether a preemption is removing the pod. */
export function isLeavingForAPreemptor({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined) return false
  const disruption = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  return disruption?.status === 'True' && disruption.reason === 'PreemptionByScheduler'
}
