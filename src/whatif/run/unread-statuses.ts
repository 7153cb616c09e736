import { selects } from '../../api/label-selector.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { isSettled } from '../../controllers/deployment/is-settled.ts'
import type { Store } from '../../store/contract.ts'
import type { ForecastPlan, FoundCluster } from '../scenario/forecast-plan.ts'
import type { StepKind } from '../scenario/step.ts'

/** Steps that change neither the spec of a workload nor a controller. */
const harmless: ReadonlySet<StepKind> = new Set([
  'silence',
  'fail',
  'revive',
  'recover',
  'cordon',
  'uncordon',
  'taint',
  'untaint',
  'pressure',
  'drain',
  'upgrade',
  'interrupt',
  'stockOut',
  'remove',
] satisfies StepKind[])

/**
 * Reports whether no controller reads the statuses of ReplicaSets and Deployments in a run. They are half of all writes
 * when many nodes fail. The Deployment controller reads statuses of ReplicaSets only during a rollout, and the
 * Horizontal Pod Autoscaler reads statuses of its targets. Karpenter reads neither.
 */
export function hasUnreadStatuses(plan: ForecastPlan): boolean {
  const { found, create, steps, history, autoscaling, settings, load = [] } = plan
  if (found === undefined || create.length > 0 || load.length > 0) return false
  if (autoscaling?.clusterAutoscaler !== undefined) return false
  if (Object.keys(settings.scheduler.plugins).length > 0) return false
  const all = [...(history?.steps ?? []), ...steps]
  return all.every(({ step }) => harmless.has(step.kind)) && areSettled(found, settings.release)
}

const known = new WeakMap<Store, { readonly release: KubernetesRelease; readonly areSettled: boolean }>()

function areSettled({ store, takenAtMs }: FoundCluster, release: KubernetesRelease): boolean {
  const before = known.get(store)
  if (before?.release === release) return before.areSettled
  const areAll =
    store.count('horizontalpodautoscalers.autoscaling') === 0 && isEveryDeploymentSettled(store, takenAtMs, release)
  known.set(store, { release, areSettled: areAll })
  return areAll
}

function isEveryDeploymentSettled(store: Store, now: number, release: KubernetesRelease): boolean {
  const owned = new Map<string, ReplicaSet[]>()
  const orphans: ReplicaSet[] = []
  for (const replicaSet of store.list('replicasets.apps') as readonly ReplicaSet[]) {
    const owner = controllerOf(replicaSet)
    if (owner === undefined) orphans.push(replicaSet)
    else if (owner.kind === 'Deployment') owned.set(owner.uid, [...(owned.get(owner.uid) ?? []), replicaSet])
  }
  const podsOf = ({ metadata }: ReplicaSet): readonly Pod[] =>
    (store.list('pods', metadata) as readonly Pod[]).filter((pod) => controllerOf(pod)?.uid === metadata.uid)
  const reportsTerminating = release.gates.has('DeploymentReplicaSetTerminatingReplicas')
  return (store.list('deployments.apps') as readonly Deployment[]).every((deployment) => {
    const { metadata, spec } = deployment
    const isAdopting = orphans.some(
      (orphan) => orphan.metadata.namespace === metadata.namespace && selects(spec?.selector, orphan.metadata.labels),
    )
    const replicaSets = owned.get(metadata.uid ?? '') ?? []
    const areSelected = replicaSets.every((replicaSet) => selects(spec?.selector, replicaSet.metadata.labels))
    if (isAdopting || !areSelected) return false
    return isSettled({ deployment, replicaSets, podsOf, now, release, reportsTerminating })
  })
}
