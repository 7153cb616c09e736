import { withStatus } from '../../api/object-calls.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { formatTime } from '../../api/time.ts'
import { hasEnded } from '../volume-binder/pods-by-claim.ts'

interface ClaimCondition {
  readonly type: string
  readonly status: string
}

const inUse = { status: 'False', reason: 'PodUsingPVC', message: 'A pod is currently referencing this PVC' }
const notInUse = { status: 'True', reason: 'NoPodsUsingPVC', message: 'No pods are currently referencing this PVC' }

/**
 * The claim with an updated condition Unused, if the condition must change (v1.37, pvcprotection
 * updateUnusedCondition). A pod refers to a claim from its creation until its containers have ended. v1.36 also records
 * it for claims that are not bound.
 */
export function decideUnused(
  claim: PersistentVolumeClaim,
  pods: readonly Pod[],
  release: KubernetesRelease,
  now: number,
): { readonly claim: PersistentVolumeClaim; readonly isUsed: boolean } | undefined {
  if (claim.metadata.deletionTimestamp !== undefined) return undefined
  if (atLeast(release, '1.37') && claim.status?.phase !== 'Bound') return undefined
  const conditions = (claim.status?.conditions ?? []) as readonly ClaimCondition[]
  const found = conditions.find(({ type }) => type === 'Unused')
  const isUsed = pods.some((pod) => refersTo(pod, claim))
  const wanted = isUsed ? inUse : notInUse
  const isRight = isUsed ? found !== undefined && found.status !== 'True' : found?.status === 'True'
  if (isRight) return undefined
  const condition = { type: 'Unused', lastTransitionTime: formatTime(now), ...wanted }
  const next =
    found === undefined ? [...conditions, condition] : conditions.map((one) => (one === found ? condition : one))
  return { claim: withStatus(claim, { ...claim.status, conditions: next }), isUsed }
}

function refersTo(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (hasEnded(pod)) return false
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName === claim.metadata.name
    return (
      ephemeral !== undefined && `${pod.metadata.name}-${name}` === claim.metadata.name && isControlledBy(claim, pod)
    )
  })
}
