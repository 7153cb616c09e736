import { findCondition, isNodeReady } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/objects/karpenter.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { isMissing, type PodState, podStateOf } from '../../api/pod-state.ts'
import type { Change } from '../../runtime/controller.ts'
import type { Store } from '../../store/contract.ts'
import { ClaimWatch } from './claim-watch.ts'
import type { Fact } from './fact.ts'
import { beginStory, type PodStory, tell } from './pod-story.ts'
import { PodTally } from './pod-tally.ts'
import { FactWriter } from './trace.ts'
import { WorkloadWatch } from './workload-watch.ts'

/** Counts of pods and nodes, valid until the next sample. */
export interface RunSample {
  readonly atMs: number
  readonly pods: Readonly<Record<PodState, number>>
  readonly nodesReady: number
  readonly nodes: number
  /** The number of pods disrupted so far. */
  readonly disrupted: number
  /** The change of the requests of bound pods since the start. */
  readonly cpuMilli: number
  readonly memoryBytes: number
}

/** A period in which a disruption budget has fewer healthy pods than desired. */
export interface BudgetBreach {
  readonly budget: string
  readonly fromMs: number
  readonly untilMs?: number
  /** The minimum number of healthy pods during the period. */
  readonly healthy: number
  readonly desired: number
  /** The period began before the start. */
  readonly isOld: boolean
}

/** Records the facts of a run, and the counts that reports need. */
export class RunRecorder {
  readonly facts: Fact[] = []
  readonly stories = new Map<string, PodStory>()
  private readonly sampled: RunSample[] = []
  readonly breaches: BudgetBreach[] = []
  private readonly startMs: number
  /** The current counts. */
  readonly tally: PodTally
  /** The ready pods of every workload. */
  readonly workloads: WorkloadWatch
  /** Allocations and releases of devices. */
  readonly claims = new ClaimWatch()
  /** Names of nodes that Karpenter removes because they are not needed. */
  readonly consolidated = new Set<string>()
  private readonly openBreaches = new Map<string, number>()
  /** The last numbers of desired and healthy pods of each budget. */
  private readonly metBefore = new Map<string, number>()
  /** Pods that were missing before the start and have not run since: recovery does not wait for them. */
  private readonly neverWell: Set<string>
  private nodes = 0
  private nodesReady = 0
  private disrupted = 0
  private cpuMilli = 0
  private memoryBytes = 0
  private missing = 0
  private wellSinceMs: number | undefined = 0
  private nowMs = 0
  private readonly writer = new FactWriter((fact, change) => {
    this.facts.push(fact)
    if (fact.about === 'Pod') this.tell(fact, change.before as Pod | undefined, change.after as Pod | undefined)
  })

  /** `tally`: an existing count of the pods. The history of workloads is then not recorded. */
  constructor(startMs: number, store: Store, tally?: PodTally) {
    this.startMs = startMs
    this.workloads = new WorkloadWatch(store)
    this.tally =
      tally ?? new PodTally(store.list('pods') as readonly Pod[], (pod, state) => this.workloads.count(pod, state))
    this.neverWell = new Set(this.tally.missing)
    for (const node of store.list('nodes') as readonly Node[]) {
      this.nodes++
      if (isNodeReady(node)) this.nodesReady++
    }
    for (const budget of store.list('poddisruptionbudgets.policy') as readonly PodDisruptionBudget[]) {
      this.noteBudget(`${budget.metadata.namespace}/${budget.metadata.name}`, budget, 0, true)
    }
  }

  /** Ends the current instant. */
  settle(): void {
    this.workloads.settle(this.nowMs)
  }

  /** One sample per instant in which a pod or node changed; the last one is the current state. */
  get samples(): readonly RunSample[] {
    return [...this.sampled, this.sample()]
  }

  /** The time since which no pod is missing; undefined while a pod is missing. */
  get wellAgainMs(): number | undefined {
    return this.wellSinceMs
  }

  get lastFactMs(): number {
    return this.facts.findLast(({ what }) => what !== 'step')?.atMs ?? 0
  }

  step(atMs: number, kind: string, source: unknown): void {
    this.facts.push({ atMs, what: 'step', about: 'Step', key: kind, uid: '', detail: source })
  }

  take(changes: readonly Change[], by: string | undefined, now: number): void {
    const atMs = now - this.startMs
    for (const change of changes) {
      switch (change.resource) {
        case 'pods':
          this.advanceTo(atMs)
          this.takePod(change.before, change.after, atMs)
          break
        case 'nodes':
          this.advanceTo(atMs)
          this.takeNode(change.before, change.after)
          break
        case 'poddisruptionbudgets.policy':
          if (change.after === undefined) this.closeBreach(change.key, atMs)
          else this.noteBudget(change.key, change.after, atMs, false)
          continue
        case 'nodeclaims.karpenter.sh':
          this.noteConsolidation(change.after)
          continue
        case 'resourceclaims.resource.k8s.io':
          this.claims.take(change.key, change.before, change.after, atMs)
          continue
        default:
          this.workloads.takeOwner(change.resource, change.after, () => this.advanceTo(atMs))
          continue
      }
      this.writer.take(change, atMs, by)
    }
  }

  /** Nodes that expire or drift are replaced intentionally, so they are not recorded. */
  private noteConsolidation(claim: NodeClaim | undefined): void {
    const cause = findCondition(claim?.status?.conditions, 'DisruptionReason')
    const isConsolidation = cause?.status === 'True' && (cause.reason === 'Underutilized' || cause.reason === 'Empty')
    const { nodeName } = claim?.status ?? {}
    if (isConsolidation && nodeName !== undefined) this.consolidated.add(nodeName)
  }

  /**
   * Ends the current instant if this change belongs to a later one. Changes that are not counted here create no sample.
   */
  private advanceTo(atMs: number): void {
    if (atMs <= this.nowMs) return
    this.sampled.push(this.sample())
    this.workloads.settle(this.nowMs)
    this.nowMs = atMs
  }

  private tell(fact: Fact, before: Pod | undefined, after: Pod | undefined): void {
    let story = this.stories.get(fact.uid)
    if (story === undefined) {
      const pod = (before ?? after) as Pod
      story = beginStory(pod, fact, { isOld: before !== undefined, workload: this.workloads.finder.of(pod) })
      this.stories.set(fact.uid, story)
    }
    tell(story, fact)
    if (fact.what === 'disruption') this.disrupted++
    if (fact.what === 'bound') this.count(story, 1)
    const leaves = fact.what === 'ended' || (fact.what === 'gone' && story.endedMs === undefined)
    if (leaves && story.node !== undefined) this.count(story, -1)
  }

  private count({ cpuMilli, memoryBytes }: PodStory, sign: 1 | -1): void {
    this.cpuMilli += sign * cpuMilli
    this.memoryBytes += sign * memoryBytes
  }

  private takePod(before: Pod | undefined, after: Pod | undefined, atMs: number): void {
    const old = before === undefined ? undefined : podStateOf(before)
    const young = after === undefined ? undefined : podStateOf(after)
    this.tally.take(before, after, old, young)
    if (old === young) return
    this.workloads.take((after ?? before) as Pod, old, young)
    const uid = (after ?? before)?.metadata.uid ?? ''
    const counts = !this.neverWell.has(uid)
    if (counts && old !== undefined && isMissing(old)) this.missing--
    if (young !== undefined) {
      if (young === 'running') this.neverWell.delete(uid)
      if (counts && isMissing(young)) this.missing++
    }
    if (young === undefined) this.neverWell.delete(uid)
    if (this.missing > 0) this.wellSinceMs = undefined
    else this.wellSinceMs ??= atMs
  }

  private takeNode(before: Node | undefined, after: Node | undefined): void {
    this.nodes += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
    this.nodesReady += readyCount(after) - readyCount(before)
  }

  private noteBudget(key: string, { status }: PodDisruptionBudget, atMs: number, isOld: boolean): void {
    const { currentHealthy: healthy = 0, desiredHealthy: desired = 0, expectedPods = 0 } = status ?? {}
    // A scale-up raises the number of desired pods before the new pods are healthy, but no healthy pod is lost.
    const required = Math.min(desired, this.metBefore.get(key) ?? desired)
    if (healthy >= desired) this.metBefore.set(key, desired)
    if (expectedPods === 0 || healthy >= required) {
      this.closeBreach(key, atMs)
      return
    }
    const open = this.openBreaches.get(key)
    if (open === undefined) {
      this.openBreaches.set(key, this.breaches.length)
      this.breaches.push({ budget: key, fromMs: atMs, healthy, desired, isOld })
      return
    }
    const breach = this.breaches[open] as BudgetBreach
    if (healthy < breach.healthy) this.breaches[open] = { ...breach, healthy, desired }
  }

  private closeBreach(key: string, atMs: number): void {
    const open = this.openBreaches.get(key)
    if (open === undefined) return
    this.openBreaches.delete(key)
    const breach = this.breaches[open] as BudgetBreach
    this.breaches[open] = { ...breach, untilMs: atMs }
  }

  private sample(): RunSample {
    const { nodes, nodesReady, disrupted, cpuMilli, memoryBytes } = this
    return { atMs: this.nowMs, pods: { ...this.tally.states }, nodes, nodesReady, disrupted, cpuMilli, memoryBytes }
  }
}

function readyCount(node: Node | undefined): number {
  return node !== undefined && isNodeReady(node) ? 1 : 0
}
