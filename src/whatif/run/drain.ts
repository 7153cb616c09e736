import type { Outcome } from '../../api/call.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { annotations } from '../../api/well-known.ts'
import { callAction, createActionIds } from '../../runtime/actions.ts'
import type { Action, Controller, StepInput, StepOutput } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { freshNode } from '../scenario/fresh-node.ts'
import type { DrainOptions } from '../scenario/step.ts'

export const drainActor = 'drain'

// v1.36, kubectl drain: interval at which it retries an eviction that a disruption budget rejected.
const askAgainMs = 5_000
// If disruption budgets block a node for this time, the next node is drained first.
const patienceMs = 60_000

/** A pod that blocks the drain of its node. */
export interface BlockedPod {
  readonly node: string
  readonly pod: string
  readonly sinceMs: number
  readonly why: string
}

export interface DrainProgress {
  readonly drained: readonly { readonly node: string; readonly fromMs: number; readonly untilMs: number }[]
  readonly open: readonly string[]
  readonly blocked: readonly BlockedPod[]
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
  /** Since when disruption budgets block it without interruption. */
  blockedSinceMs: number | undefined
}

class DrainRun {
  private readonly ids = createActionIds()
  private readonly jobs: NodeDrain[] = []
  private readonly finished: { node: string; fromMs: number; untilMs: number }[] = []
  private readonly blocked = new Map<string, BlockedPod>()
  /** Evictions in flight, by action. */
  private readonly asking = new Map<number, { readonly pod: string; readonly node: string }>()
  private readonly asked = new Set<string>()
  private askAt = Number.POSITIVE_INFINITY
  private actions: Action[] = []

  begin(nodes: readonly string[], options: DrainOptions): void {
    for (const node of nodes) {
      this.jobs.push({ node, options, state: 'waiting', fromMs: 0, blockedSinceMs: undefined })
    }
  }

  progress(): DrainProgress {
    return {
      drained: this.finished,
      open: this.jobs.filter(({ state }) => state !== 'done').map(({ node }) => node),
      blocked: [...this.blocked.values()],
    }
  }

  step({ results, now, view }: StepInput): StepOutput {
    this.actions = []
    for (const { id, outcome } of results) this.takeResult(id, outcome, now)
    if (this.askAt <= now) {
      this.askAt = Number.POSITIVE_INFINITY
      this.asked.clear()
    }
    for (const job of this.jobs) if (job.state === 'draining') this.drain(job, view, now)
    this.admit(view, now)
    return { actions: this.actions, ...(this.askAt === Number.POSITIVE_INFINITY ? {} : { wakeAt: this.askAt }) }
  }

  /** Starts waiting nodes: all of them, or the next one when the current one is done or blocked for patienceMs. */
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
    // A paused node continues when no other node is left.
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
        this.blocked.set(pod, {
          node: job.node,
          pod,
          sinceMs: now,
          why: 'declares no controller (use --force to override)',
        })
      }
      if (refused.length > 0) job.state = 'refused'
      this.call({
        verb: 'patch',
        resource: 'nodes',
        name: job.node,
        patch: { kind: 'merge', patch: { spec: { unschedulable: true } } },
      })
      // As kubectl: the node is cordoned, and no pod is evicted.
      if (refused.length > 0) return
    }
    job.state = 'draining'
    job.blockedSinceMs = undefined
    this.drain(job, view, now)
  }

  private drain(job: NodeDrain, view: View, now: number): void {
    const left = view.podsOn(job.node).filter((pod) => mustLeave(pod, job.options))
    if (left.length === 0) {
      this.finish(job, view, now)
      return
    }
    for (const pod of left) {
      const key = `${pod.metadata.namespace}/${pod.metadata.name}`
      if (pod.metadata.deletionTimestamp !== undefined || this.asked.has(key)) continue
      this.asked.add(key)
      this.evict(pod, key, job)
    }
  }

  private evict(pod: Pod, key: string, { node }: NodeDrain): void {
    const { name, namespace = 'default' } = pod.metadata
    const action = callAction(this.ids, {
      verb: 'create',
      resource: 'pods',
      namespace,
      name,
      subresource: 'eviction',
      object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
    })
    this.asking.set(action.id, { pod: key, node })
    this.actions.push(action)
  }

  private takeResult(id: number, outcome: Outcome, now: number): void {
    const asked = this.asking.get(id)
    if (asked === undefined) return
    this.asking.delete(id)
    const job = this.jobs.find(({ node, state }) => node === asked.node && state !== 'done')
    if (outcome.ok || outcome.status.reason === 'NotFound') {
      this.blocked.delete(asked.pod)
      if (job !== undefined) job.blockedSinceMs = undefined
      return
    }
    const causes = outcome.status.details?.causes?.map(({ message }) => message ?? '') ?? []
    const why = causes.join('; ') || (outcome.status.message ?? 'refused')
    const before = this.blocked.get(asked.pod)
    this.blocked.set(asked.pod, { ...asked, sinceMs: before?.sinceMs ?? now, why })
    if (job !== undefined) job.blockedSinceMs ??= now
    this.askAt = Math.min(this.askAt, now + askAgainMs)
  }

  private finish(job: NodeDrain, view: View, now: number): void {
    job.state = 'done'
    this.finished.push({ node: job.node, fromMs: job.fromMs, untilMs: now })
    const { afterwards = 'leave' } = job.options
    if (afterwards === 'leave') return
    const node = view.get('nodes', job.node)
    this.call({ verb: 'delete', resource: 'nodes', name: job.node })
    if (afterwards === 'replace' && node !== undefined) this.addLike(node)
  }

  private addLike(node: Node): void {
    const object = freshNode(node, `${node.metadata.name}-next`)
    this.call({ verb: 'create', resource: 'nodes', object })
  }

  private call(call: Parameters<typeof callAction>[1]): void {
    this.actions.push(callAction(this.ids, call))
  }
}

/** Pods of DaemonSets and mirror pods stay; finished pods do not block a drain. */
function mustLeave(pod: Pod, { force }: DrainOptions): boolean {
  if (pod.metadata.annotations?.[annotations.mirrorPod] !== undefined) return false
  const owner = controllerOf(pod)
  if (owner?.kind === 'DaemonSet') return false
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false
  return owner !== undefined || force === true
}

/** Pods because of which `kubectl drain` without --force refuses to drain the node. */
function unmanagedPods(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(
    (pod) =>
      controllerOf(pod) === undefined &&
      pod.metadata.annotations?.[annotations.mirrorPod] === undefined &&
      pod.status?.phase !== 'Succeeded' &&
      pod.status?.phase !== 'Failed',
  )
}
