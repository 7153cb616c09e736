import { selects } from '../../api/label-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { Deployment, StatefulSet } from '../../api/objects/workloads.ts'
import { podStateOf } from '../../api/pod-state.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Settings } from '../../controlplane/settings.ts'
import { createVirtualCluster } from '../../controlplane/virtual.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import { WorkloadFinder } from '../facts/workload-of.ts'
import { pendingReason } from '../report/pending-reason.ts'
import type { FoundCluster } from '../scenario/forecast-plan.ts'
import { explainPod, type PodExplanation } from './explain-pod.ts'
import type { ObjectSource } from './object-set.ts'
import { TrialCluster } from './trial-cluster.ts'

export interface PendingGroup {
  readonly reason: string
  /** Sorted by name. */
  readonly pods: readonly string[]
  /** The explanation of the first pod. Absent: the pods wait for another scheduler. */
  readonly explanation?: PodExplanation
}

export interface BudgetState {
  readonly name: string
  readonly minAvailable?: number | string
  readonly maxUnavailable?: number | string
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly disruptionsAllowed: number
}

export interface WorkloadExplanation {
  /** `namespace/Kind/name` */
  readonly workload: string
  readonly wanted: number
  readonly ready: number
  /** Pods that are on a node but not ready. */
  readonly starting: readonly string[]
  readonly terminating: readonly string[]
  /** The number of pods that do not exist yet. */
  readonly missing: number
  /** Sorted by size, the largest group first. */
  readonly pending: readonly PendingGroup[]
  readonly budgets: readonly BudgetState[]
  /**
   * Reports whether the API server would evict a pod that is on a node, and if not, its message. Absent: no pod is on a
   * node.
   */
  readonly eviction?: { readonly allowed: boolean; readonly pod: string; readonly message?: string }
}

export interface ExplainWorkloadInput {
  readonly found: FoundCluster
  readonly objects: ObjectSource
  readonly settings: Settings
  readonly profiles: readonly Profile[]
  readonly release: KubernetesRelease
  readonly workload: Deployment | StatefulSet
  readonly kind: 'Deployment' | 'StatefulSet'
}

/** Explains why a workload has fewer ready pods than it wants, and whether it can lose a pod. Changes nothing. */
export function explainWorkload(input: ExplainWorkloadInput): WorkloadExplanation {
  const { kind, workload } = input
  const { namespace = '', name } = workload.metadata
  const pods = podsOf(input)
  const inState = (...states: readonly ReturnType<typeof podStateOf>[]) =>
    pods.filter((pod) => states.includes(podStateOf(pod)))
  const ready = inState('running')
  const starting = inState('starting', 'notReady')
  const pending = inState('pending')
  const wanted = workload.spec?.replicas ?? 1
  const eviction = tryEviction(input, [...ready, ...starting])
  return {
    workload: `${namespace}/${kind}/${name}`,
    wanted,
    ready: ready.length,
    starting: starting.map(keyOf),
    terminating: inState('terminating').map(keyOf),
    missing: Math.max(0, wanted - ready.length - starting.length - pending.length),
    pending: groupsOf(input, pending),
    budgets: budgetsOf(input, pods),
    ...(eviction === undefined ? {} : { eviction }),
  }
}

function podsOf({ found: { store }, kind, workload }: ExplainWorkloadInput): readonly Pod[] {
  const { namespace = '', name } = workload.metadata
  const finder = new WorkloadFinder(store)
  const all = store.list('pods', { namespace }) as readonly Pod[]
  return all.filter((pod) => {
    const owner = finder.of(pod)
    if (owner.kind === kind) return owner.name === name
    // In a dump without ReplicaSets, the labels identify the Deployment.
    const isCut = kind === 'Deployment' && owner.kind === 'ReplicaSet'
    if (!isCut || store.get('replicasets.apps', `${namespace}/${owner.name}`) !== undefined) return false
    return selects(workload.spec?.selector, pod.metadata.labels)
  })
}

function groupsOf(
  { objects, profiles, release, found }: ExplainWorkloadInput,
  pending: readonly Pod[],
): readonly PendingGroup[] {
  const groups = new Map<string, { readonly pods: Pod[]; readonly profile: Profile | undefined }>()
  const trials = new Map<Profile, TrialCluster>()
  for (const pod of pending) {
    const { schedulerName = 'default-scheduler' } = pod.spec
    const profile = profiles.find((each) => each.schedulerName === schedulerName)
    let trial = profile === undefined ? undefined : trials.get(profile)
    if (profile !== undefined && trial === undefined) {
      trial = new TrialCluster(objects, profile, pod)
      trials.set(profile, trial)
    }
    const reason = trial === undefined ? `waiting for scheduler "${schedulerName}"` : reasonOf(pod, trial)
    const group = groups.get(reason)
    if (group === undefined) groups.set(reason, { pods: [pod], profile })
    else group.pods.push(pod)
  }
  return [...groups]
    .sort(([a, { pods: inA }], [b, { pods: inB }]) => inB.length - inA.length || (a < b ? -1 : 1))
    .map(([reason, { pods, profile }]) => ({
      reason,
      pods: pods.map(keyOf),
      ...(profile === undefined
        ? {}
        : { explanation: explainPod({ objects, pod: pods[0] as Pod, now: found.takenAtMs, profile, release }) }),
    }))
}

function reasonOf(pod: Pod, trial: TrialCluster): string {
  const gates = pod.spec.schedulingGates ?? []
  if (gates.length > 0) return `scheduling gates: ${gates.map(({ name }) => name).join(', ')}`
  const result = trial.schedule(pod)
  return result.kind === 'placed' ? 'none: a node has room now' : pendingReason(result.message)
}

function budgetsOf({ found: { store }, workload }: ExplainWorkloadInput, pods: readonly Pod[]): readonly BudgetState[] {
  const { namespace = '' } = workload.metadata
  const labels = [workload.spec?.template.metadata?.labels, ...pods.map(({ metadata }) => metadata.labels)]
  const all = store.list('poddisruptionbudgets.policy', { namespace }) as readonly PodDisruptionBudget[]
  return all
    .filter(({ spec }) => labels.some((each) => selects(spec?.selector, each)))
    .map(({ metadata, spec, status }) => ({
      name: metadata.name,
      ...(spec?.minAvailable === undefined ? {} : { minAvailable: spec.minAvailable }),
      ...(spec?.maxUnavailable === undefined ? {} : { maxUnavailable: spec.maxUnavailable }),
      currentHealthy: status?.currentHealthy ?? 0,
      desiredHealthy: status?.desiredHealthy ?? 0,
      disruptionsAllowed: status?.disruptionsAllowed ?? 0,
    }))
}

/** Tries the eviction of each pod on a copy of the cluster, until the API server allows one. */
function tryEviction({ found, settings }: ExplainWorkloadInput, pods: readonly Pod[]): WorkloadExplanation['eviction'] {
  if (pods.length === 0) return undefined
  const { client, driver } = createVirtualCluster({
    startMs: found.takenAtMs,
    settings,
    store: found.store,
    controllers: [],
  })
  let answer: WorkloadExplanation['eviction']
  for (const { metadata } of pods) {
    const { name, namespace = '' } = metadata
    const pod = `${namespace}/${name}`
    const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
    const at = { resource: 'pods', namespace, name, subresource: 'eviction' } as const
    const outcome = client.callNow({ verb: 'create', ...at, object, dryRun: true })
    if (outcome.ok) {
      answer = { allowed: true, pod }
      break
    }
    const { message = 'refused', details } = outcome.status
    const causes = (details?.causes ?? []).map((cause) => cause.message)
    answer ??= { allowed: false, pod, message: [message, ...causes].join(' ') }
  }
  driver.close()
  return answer
}
