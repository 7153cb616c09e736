import type { Outcome } from '../../api/call.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { callAction, createActionIds } from '../../runtime/actions.ts'
import type { Action, Controller, StepInput, StepOutput } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { type DrainOptions, drainActor } from '../scenario/step.ts'
import { type BlockedPod, mustLeave, PodEvictor, unmanagedPods, unmanagedText } from './pod-evictor.ts'

// If disruption budgets block a node for this time, the next node is drained first.
const patienceMs = 60_000

export interface DrainProgress {
  readonly drained: readonly { readonly node: string; readonly fromMs: number; readonly untilMs: number }[]
  readonly open: readonly string[]
  readonly blocked: readonly BlockedPod[]
  /** Nodes that were removed before their drain was done, with the pods that remained on them. */
  readonly cut?: readonly { readonly node: string; readonly pods: readonly string[] }[]
}

/** Drains nodes as `kubectl drain --ignore-daemonsets --delete-emptydir-data` does. */
export interface Drainer extends Controller {
  begin(nodes: readonly string[], options: DrainOptions): void
  progress(): DrainProgress
}

export function createDrainer(): Drainer {
  const state = new DrainRun()
  return {
    name: drainActor,
    watches: ['nodes', 'pods'],
    step: (input) => state.step(input),
    begin: (nodes, options) => state.begin(nodes, options),
    progress: () => state.progress(),
  }
}

interface NodeDrain {
  readonly node: string
  readonly options: DrainOptions
  state: 'waiting' | 'draining' | 'paused' | 'refused' | 'done'
  fromMs: number
  /** The time since which disruption budgets have blocked the node without interruption. */
  blockedSinceMs: number | undefined
  /**
   * The uids of the pods to evict. kubectl lists the pods of a node once, so pods that are added later stay: the node
   * was uncordoned, or they tolerate the taint.
   */
  pods: ReadonlySet<string | undefined>
}

const noPods: ReadonlySet<string | undefined> = new Set()

class DrainRun {
  private readonly ids = createActionIds()
  private readonly jobs: NodeDrain[] = []
  private readonly finished: { node: string; fromMs: number; untilMs: number }[] = []
  private readonly evictor = new PodEvictor(this.ids)
  private readonly cut: { readonly node: string; readonly pods: readonly string[] }[] = []
  private actions: Action[] = []

  begin(nodes: readonly string[], options: DrainOptions): void {
    for (const node of nodes) {
      this.jobs.push({ node, options, state: 'waiting', fromMs: 0, blockedSinceMs: undefined, pods: noPods })
    }
  }

  progress(): DrainProgress {
    return {
      drained: this.finished,
      open: this.jobs.filter(({ state }) => state !== 'done').map(({ node }) => node),
      blocked: [...this.evictor.blocked.values()],
      ...(this.cut.length === 0 ? {} : { cut: this.cut }),
    }
  }

  step({ results, now, view }: StepInput): StepOutput {
    this.actions = []
    for (const { id, outcome } of results) this.takeResult(id, outcome, now)
    this.evictor.begin(now)
    for (const job of this.jobs) if (job.state === 'draining') this.drain(job, view, now)
    this.admit(view, now)
    const { nextAt } = this.evictor
    return { actions: this.actions, ...(nextAt === Number.POSITIVE_INFINITY ? {} : { wakeAt: nextAt }) }
  }

  /** Starts waiting nodes: all of them, or the next one when the current node is done or blocked for patienceMs. */
  private admit(view: View, now: number): void {
    for (const job of this.jobs) {
      if (job.state !== 'waiting' && job.state !== 'paused') continue
      if (job.options.oneByOne === true) {
        const busy = this.jobs.find(({ state }) => state === 'draining')
        if (busy !== undefined) {
          const isStuck = busy.blockedSinceMs !== undefined && now - busy.blockedSinceMs >= patienceMs
          if (!isStuck || job.state === 'paused') continue
          busy.state = 'paused'
        }
      }
      this.start(job, view, now)
    }
    // A paused node continues when no other node is left to drain.
    if (this.jobs.some(({ state }) => state === 'draining' || state === 'waiting')) return
    const paused = this.jobs.find(({ state }) => state === 'paused')
    if (paused !== undefined) this.start(paused, view, now)
  }

  private start(job: NodeDrain, view: View, now: number): void {
    if (job.state === 'waiting') {
      job.fromMs = now
      const refused = job.options.force === true ? [] : unmanagedPods(view.podsOn(job.node))
      for (const { metadata } of refused) {
        const pod = `${metadata.namespace}/${metadata.name}`
        this.evictor.blocked.set(pod, { node: job.node, pod, sinceMs: now, why: unmanagedText })
      }
      if (refused.length > 0) job.state = 'refused'
      this.call({
        verb: 'patch',
        resource: 'nodes',
        name: job.node,
        patch: { kind: 'merge', patch: { spec: { unschedulable: true } } },
      })
      // As with kubectl, the node is cordoned, and no pod is evicted.
      if (refused.length > 0) return
    }
    job.state = 'draining'
    job.blockedSinceMs = undefined
    const isForced = job.options.force === true
    const listed = view.podsOn(job.node).filter((pod) => mustLeave(pod, isForced))
    job.pods = new Set(listed.map(({ metadata }) => metadata.uid))
    this.drain(job, view, now)
  }

  private drain(job: NodeDrain, view: View, now: number): void {
    const left = view.podsOn(job.node).filter(({ metadata }) => job.pods.has(metadata.uid))
    if (view.get('nodes', job.node) === undefined) this.cutShort(job, left)
    else if (left.length === 0) this.finish(job, now)
    else this.actions.push(...this.evictor.evict(job.node, left))
  }

  private takeResult(id: number, outcome: Outcome, now: number): void {
    const taken = this.evictor.take(id, outcome, now)
    const job = this.jobs.find(({ node, state }) => node === taken?.node && state !== 'done')
    if (taken === undefined || job === undefined) return
    if (taken.isBlocked) job.blockedSinceMs ??= now
    else job.blockedSinceMs = undefined
  }

  private finish(job: NodeDrain, now: number): void {
    job.state = 'done'
    this.evictor.release(job.node)
    this.finished.push({ node: job.node, fromMs: job.fromMs, untilMs: now })
  }

  /** Handles a node that was removed during its drain, for example when the notice of a spot instance expires. */
  private cutShort(job: NodeDrain, left: readonly Pod[]): void {
    job.state = 'done'
    this.evictor.release(job.node)
    this.cut.push({ node: job.node, pods: left.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) })
  }

  private call(call: Parameters<typeof callAction>[1]): void {
    this.actions.push(callAction(this.ids, call))
  }
}
