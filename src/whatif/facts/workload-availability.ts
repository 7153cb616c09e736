import { labelMatcher } from '../../api/label-selector.ts'
import type { KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { podStateOf } from '../../api/pod-state.ts'
import { scaledValue } from '../../controllers/scaled-value.ts'
import type { Change } from '../../runtime/controller.ts'
import type { Store } from '../../store/contract.ts'

/** A workload with replicas, and the number of replicas that must be ready. */
export interface RequiredWorkload {
  /** `Deployment shop/checkout` */
  readonly name: string
  readonly kind: string
  readonly namespace: string
  readonly own: string
  readonly labels: StringMap
  readonly replicas: number
  /**
   * The number that the disruption budget desires. Without a budget, or if the budget allows no loss: one pod less than
   * all, if there are several.
   */
  readonly required: number
  /** The number of ready pods at the start. */
  readonly ready: number
}

/** A period in which a workload has fewer ready pods than it must have. */
export interface Shortage {
  readonly workload: RequiredWorkload
  readonly fromMs: number
  /** Absent: up to the end. */
  readonly untilMs?: number
  /** The minimum number of ready pods. */
  readonly ready: number
}

/** The workloads at the start of a run; runs on forks of one store share it. */
export class RequiredWorkloads {
  readonly all: RequiredWorkload[] = []
  private readonly byOwner = new Map<string, number>()
  private readonly byName = new Map<string, number>()

  constructor(store: Store) {
    const budgets = store.list('poddisruptionbudgets.policy') as readonly PodDisruptionBudget[]
    const ready = new Map<string, number>()
    for (const pod of store.list('pods') as readonly Pod[]) {
      const owner = podStateOf(pod) === 'running' ? controllerOf(pod)?.uid : undefined
      if (owner !== undefined) ready.set(owner, (ready.get(owner) ?? 0) + 1)
    }
    const owned = new Map<string, number>()
    for (const set of store.list('replicasets.apps')) {
      const owner = controllerOf(set)?.uid
      const uid = set.metadata.uid ?? ''
      if (owner !== undefined) owned.set(owner, (owned.get(owner) ?? 0) + (ready.get(uid) ?? 0))
      else this.add('ReplicaSet', set, ready.get(uid) ?? 0, budgets)
    }
    for (const [kind, resource] of workloadResources) {
      for (const object of store.list(resource)) {
        const uid = object.metadata.uid ?? ''
        this.add(kind, object, (kind === 'Deployment' ? owned : ready).get(uid) ?? 0, budgets)
      }
    }
    for (const set of store.list('replicasets.apps')) {
      const index = this.byOwner.get(controllerOf(set)?.uid ?? '')
      if (index !== undefined) this.byOwner.set(set.metadata.uid ?? '', index)
    }
  }

  /** By the uid of the ReplicaSet, StatefulSet or ReplicationController. */
  indexOf(owner: string): number | undefined {
    return this.byOwner.get(owner)
  }

  /** By namespace and name of a Deployment, because its ReplicaSets are created and deleted. */
  indexOfDeployment(namespace: string, name: string): number | undefined {
    return this.byName.get(`Deployment ${namespace}/${name}`)
  }

  private add(kind: string, object: KubeObject, ready: number, budgets: readonly PodDisruptionBudget[]): void {
    const { namespace = 'default', name: own, uid = '' } = object.metadata
    const spec = (object as { readonly spec?: WorkloadSpec }).spec
    const replicas = spec?.replicas ?? 1
    const labels = spec?.template?.metadata?.labels ?? {}
    const name = `${kind} ${namespace}/${own}`
    // A shortage that exists at the start is not a consequence of what happens later.
    const required = Math.min(requiredOf(replicas, labels, namespace, budgets), ready)
    this.byOwner.set(uid, this.all.length)
    this.byName.set(name, this.all.length)
    this.all.push({ name, kind, namespace, own, labels, replicas, required, ready })
  }
}

interface WorkloadSpec {
  readonly replicas?: number
  readonly template?: { readonly metadata?: { readonly labels?: StringMap } }
}

const workloadResources = [
  ['Deployment', 'deployments.apps'],
  ['StatefulSet', 'statefulsets.apps'],
  ['ReplicationController', 'replicationcontrollers'],
] as const

function requiredOf(
  replicas: number,
  labels: StringMap,
  namespace: string,
  budgets: readonly PodDisruptionBudget[],
): number {
  const desired = budgets
    .filter(({ metadata, spec }) => {
      return (
        metadata.namespace === namespace && spec?.selector !== undefined && labelMatcher(spec.selector).matches(labels)
      )
    })
    .map(({ spec }) =>
      spec?.maxUnavailable === undefined
        ? scaledValue(spec?.minAvailable ?? 1, replicas, 'up')
        : replicas - scaledValue(spec.maxUnavailable, replicas, 'up'),
    )
    .filter((count) => count < replicas)
  return Math.max(replicas > 1 ? 1 : 0, ...desired)
}

/** Counts the ready pods of each workload during a run. */
export class WorkloadAvailability {
  readonly workloads: RequiredWorkloads
  readonly shortages: Shortage[] = []
  /** The minimum number of ready pods so far, at the end of an instant. */
  readonly fewest: number[]
  private readonly ready: number[]
  private readonly open = new Map<number, number>()
  /** ReplicaSets that were created since the start. */
  private readonly newSets = new Map<string, number>()
  private readonly touched = new Set<number>()
  private lastMs = 0

  constructor(workloads: RequiredWorkloads) {
    this.workloads = workloads
    this.ready = workloads.all.map(({ ready }) => ready)
    this.fewest = this.ready.slice()
  }

  /** `atMs`: milliseconds since the start. */
  take(changes: readonly Change[], atMs: number): void {
    if (atMs > this.lastMs) this.judge()
    this.lastMs = atMs
    for (const change of changes) {
      if (change.resource === 'replicasets.apps' && change.after !== undefined) this.noteSet(change.after)
      if (change.resource !== 'pods') continue
      const before = change.before !== undefined && podStateOf(change.before) === 'running' ? 1 : 0
      const after = change.after !== undefined && podStateOf(change.after) === 'running' ? 1 : 0
      if (before === after) continue
      const index = this.indexOf((change.after ?? change.before) as Pod)
      if (index === undefined) continue
      this.ready[index] = (this.ready[index] ?? 0) + after - before
      this.touched.add(index)
    }
  }

  /** Must be called at the end, and may be called before. */
  judge(): void {
    for (const index of this.touched) {
      const workload = this.workloads.all[index] as RequiredWorkload
      const ready = this.ready[index] ?? 0
      if (ready < (this.fewest[index] ?? 0)) this.fewest[index] = ready
      this.note(index, workload, ready)
    }
    this.touched.clear()
  }

  private note(index: number, workload: RequiredWorkload, ready: number): void {
    const at = this.open.get(index)
    if (ready >= workload.required) {
      if (at === undefined) return
      this.open.delete(index)
      this.shortages[at] = { ...(this.shortages[at] as Shortage), untilMs: this.lastMs }
    } else if (at === undefined) {
      this.open.set(index, this.shortages.length)
      this.shortages.push({ workload, fromMs: this.lastMs, ready })
    } else {
      const shortage = this.shortages[at] as Shortage
      if (ready < shortage.ready) this.shortages[at] = { ...shortage, ready }
    }
  }

  private indexOf(pod: Pod): number | undefined {
    const owner = controllerOf(pod)
    if (owner === undefined) return undefined
    return this.workloads.indexOf(owner.uid) ?? this.newSets.get(owner.uid)
  }

  private noteSet(set: KubeObject): void {
    const { uid = '', namespace = 'default' } = set.metadata
    const owner = controllerOf(set)
    if (owner === undefined || this.workloads.indexOf(uid) !== undefined) return
    const index = this.workloads.indexOfDeployment(namespace, owner.name)
    if (index !== undefined) this.newSets.set(uid, index)
  }
}
