import { findCondition } from '../../api/conditions.ts'
import type { KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DaemonSet, Deployment } from '../../api/objects/workloads.ts'
import type { PodState } from '../../api/pod-state.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'
import { type OwningWorkload, WorkloadFinder } from './workload-of.ts'

/** The ready pods of one workload over time. Times are milliseconds since the start. */
export interface WorkloadHistory {
  readonly workload: OwningWorkload
  /** Labels of one of its pods; absent: no pod has changed. */
  readonly labels: StringMap | undefined
  readonly readyBefore: number
  readonly ready: number
  /** The number of pods that the controller wants; absent: the kind has no such number. */
  readonly desired: number | undefined
  /** The number of ready pods that the workload must keep: the ready pods at the start, as long as they are desired. */
  readonly expected: number
  /** The number of pods that are neither finished nor terminating. */
  readonly pods: number
  /**
   * The minimum number of ready pods, and the time at which it was reached. Absent: the workload has never been
   * complete.
   */
  readonly lowest: { readonly count: number; readonly atMs: number } | undefined
  /** The time with fewer ready pods than before. */
  readonly unavailableMs: number
  /** The time without a ready pod. */
  readonly downMs: number
  /** The time since which the workload has all wanted pods; absent: some are missing. */
  readonly completeMs: number | undefined
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

interface WorkloadState extends Mutable<WorkloadHistory> {
  unavailableSinceMs: number | undefined
  downSinceMs: number | undefined
}

// The number of pods that a controller wants, by kind.
const desiredPods = lookupTable<{ readonly resource: string; readonly of: (object: KubeObject) => number | undefined }>(
  {
    Deployment: { resource: 'deployments.apps', of: replicas },
    ReplicaSet: { resource: 'replicasets.apps', of: replicas },
    StatefulSet: { resource: 'statefulsets.apps', of: replicas },
    ReplicationController: { resource: 'replicationcontrollers', of: replicas },
    DaemonSet: {
      resource: 'daemonsets.apps',
      of: (object) => (object as DaemonSet).status?.desiredNumberScheduled,
    },
  },
)

const ownerResources: ReadonlySet<string> = new Set(Object.values(desiredPods).map(({ resource }) => resource))

function replicas(object: KubeObject): number {
  return (object as Deployment).spec?.replicas ?? 1
}

/** Counts the ready pods of every workload. Counts once, then updates with every change of a pod's state. */
export class WorkloadWatch {
  readonly finder: WorkloadFinder
  private readonly store: Store
  private readonly states = new Map<string, WorkloadState>()
  /** Workloads that changed in the current instant. States that end within the instant are not reported. */
  private readonly changed = new Set<WorkloadState>()

  constructor(store: Store) {
    this.store = store
    this.finder = new WorkloadFinder(store)
  }

  /** Counts a pod that exists at the start. */
  count(pod: Pod, podState: PodState): void {
    if (pod.metadata.ownerReferences === undefined || podState === 'ended') return
    const state = this.stateOf(this.finder.of(pod))
    if (podState === 'running') {
      state.ready++
      state.readyBefore++
    }
    if (podState !== 'terminating') state.pods++
  }

  /** Counts a pod whose state changed from `old` to `young`. */
  take(pod: Pod, old: PodState | undefined, young: PodState | undefined): void {
    const workload = this.finder.of(pod)
    const isKnown = this.states.has(workloadKey(workload))
    const state = this.stateOf(workload)
    if (!isKnown && old !== undefined) this.countFirst(state, old)
    if (state.labels === undefined) this.touch(state, pod)
    if (old === 'running') state.ready--
    if (young === 'running') state.ready++
    state.pods += (isAlive(young) ? 1 : 0) - (isAlive(old) ? 1 : 0)
    if (old === 'running' && young === 'ended' && hasFinished(pod)) state.expected--
    if (young === undefined && this.leftWithNode(workload, pod)) state.expected--
    this.changed.add(state)
  }

  /** A daemon pod of a removed node is not missing, because it is no longer wanted. */
  private leftWithNode({ kind }: OwningWorkload, { spec }: Pod): boolean {
    if (kind !== 'DaemonSet' || spec?.nodeName === undefined) return false
    return this.store.get('nodes', spec.nodeName) === undefined
  }

  /**
   * Handles a possible change of the number of pods that a controller wants. `onChange` is called before the change is
   * recorded.
   */
  takeOwner(resource: string, owner: KubeObject | undefined, onChange: () => void): void {
    if (owner === undefined || !ownerResources.has(resource)) return
    const state = this.states.get(owner.metadata.uid ?? '')
    if (state?.labels === undefined) return
    const desired = desiredPods[state.workload.kind]?.of(owner)
    if (desired === state.desired) return
    onChange()
    state.desired = desired
    this.changed.add(state)
  }

  /** Must be called when the time advances from `atMs`, the time of the last changes. */
  settle(atMs: number): void {
    if (this.changed.size === 0) return
    for (const state of this.changed) settle(state, atMs)
    this.changed.clear()
  }

  /** Every workload whose pods changed. */
  histories(untilMs: number): readonly WorkloadHistory[] {
    return [...this.states.values()].filter(({ labels }) => labels !== undefined).map((state) => closed(state, untilMs))
  }

  /** Every workload that had pods, changed or not. */
  all(untilMs: number): readonly WorkloadHistory[] {
    return [...this.states.values()].map((state) => this.historyOf(state, untilMs))
  }

  /** The same workload in this run, changed or not. */
  find(workload: OwningWorkload, untilMs: number): WorkloadHistory | undefined {
    const state = this.states.get(workloadKey(workload))
    return state === undefined ? undefined : this.historyOf(state, untilMs)
  }

  private historyOf(state: WorkloadState, untilMs: number): WorkloadHistory {
    const history = closed(state, untilMs)
    if (state.labels !== undefined) return history
    // A workload whose pods never changed may have lacked pods from the start.
    const desired = this.desiredBy(state)
    return { ...history, desired, completeMs: state.ready < (desired ?? 0) ? undefined : 0 }
  }

  private stateOf(workload: OwningWorkload): WorkloadState {
    const key = workloadKey(workload)
    let state = this.states.get(key)
    if (state === undefined) {
      state = {
        workload,
        labels: undefined,
        readyBefore: 0,
        ready: 0,
        desired: undefined,
        pods: 0,
        lowest: undefined,
        unavailableMs: 0,
        downMs: 0,
        completeMs: 0,
        expected: 0,
        unavailableSinceMs: undefined,
        downSinceMs: undefined,
      }
      this.states.set(key, state)
    }
    return state
  }

  /** Pods without a controller are not counted at the start. */
  private countFirst(state: WorkloadState, old: PodState): void {
    if (isAlive(old)) state.pods = 1
    if (old === 'running') {
      state.ready = 1
      state.readyBefore = 1
    }
  }

  private touch(state: WorkloadState, pod: Pod): void {
    const { ready } = state
    state.labels = pod.metadata.labels ?? {}
    state.expected = ready
    if (ready > 0) state.lowest = { count: ready, atMs: 0 }
    state.desired = this.desiredBy(state) ?? state.desired
    // The workload lacks pods from the start.
    if (ready < (state.desired ?? 0)) state.completeMs = undefined
  }

  private desiredBy({ workload: { kind, namespace, name } }: WorkloadState): number | undefined {
    const known = desiredPods[kind]
    const owner = known && this.store.get(known.resource, `${namespace}/${name}`)
    return owner === undefined ? undefined : known?.of(owner)
  }
}

/** A key that is the same for a workload in every run of a cluster. */
export function workloadKey({ uid, id }: OwningWorkload): string {
  return uid === '' ? id : uid
}

/** A finished pod is not missing. A disrupted pod also has the phase Failed. */
function hasFinished({ status }: Pod): boolean {
  return findCondition(status?.conditions, 'DisruptionTarget')?.status !== 'True'
}

function isAlive(state: PodState | undefined): boolean {
  return state !== undefined && state !== 'ended' && state !== 'terminating'
}

function settle(state: WorkloadState, atMs: number): void {
  const { ready, desired, lowest } = state
  if (ready < (desired ?? state.expected)) state.completeMs = undefined
  else state.completeMs ??= atMs
  const most = desired ?? ready
  state.expected = Math.max(state.expected, Math.min(ready, most))
  if (desired !== undefined) state.expected = Math.min(state.expected, desired)
  if (lowest === undefined ? ready > 0 && ready >= most : ready < lowest.count) state.lowest = { count: ready, atMs }
  if (ready >= state.expected) {
    if (state.unavailableSinceMs !== undefined) state.unavailableMs += atMs - state.unavailableSinceMs
    state.unavailableSinceMs = undefined
  } else state.unavailableSinceMs ??= atMs
  if (ready > 0 || state.expected === 0) {
    if (state.downSinceMs !== undefined) state.downMs += atMs - state.downSinceMs
    state.downSinceMs = undefined
  } else state.downSinceMs ??= atMs
}

/** The history including the periods that last until the end. */
function closed(state: WorkloadState, untilMs: number): WorkloadHistory {
  const { unavailableSinceMs, downSinceMs, ...history } = state
  return {
    ...history,
    lowest: state.labels === undefined ? { count: state.ready, atMs: 0 } : state.lowest,
    unavailableMs: state.unavailableMs + (unavailableSinceMs === undefined ? 0 : untilMs - unavailableSinceMs),
    downMs: state.downMs + (downSinceMs === undefined ? 0 : untilMs - downSinceMs),
  }
}
