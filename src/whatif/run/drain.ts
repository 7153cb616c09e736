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

export const DRAIN = 'drain'

// v1.36, kubectl drain: how long it waits before it asks again for what a budget refused.
const ASK_AGAIN_MS = 5_000
// A node that budgets hold up for so long lets others go first, where there is a choice.
const PATIENCE_MS = 60_000

/** A pod that keeps a node from being empty. */
export interface Blocked {
  readonly node: string
  readonly pod: string
  readonly sinceMs: number
  readonly why: string
}

export interface DrainProgress {
  readonly drained: readonly { readonly node: string; readonly fromMs: number; readonly untilMs: number }[]
  readonly open: readonly string[]
  readonly blocked: readonly Blocked[]
}

/** Somebody at a terminal who drains nodes, as `kubectl drain --ignore-daemonsets --delete-emptydir-data` does. */
export interface Drainer extends Controller {
  begin(nodes: readonly string[], options: DrainOptions): void
  progress(): DrainProgress
}

export function createDrainer(): Drainer {
  const state = new Draining()
  return {
    name: DRAIN,
    watches: ['nodes', 'pods'],
    step: (input) => state.step(input),
    begin: (nodes, options) => state.begin(nodes, options),
    progress: () => state.progress(),
  }
}

interface Job {
  readonly node: string
  readonly options: DrainOptions
  state: 'waiting' | 'draining' | 'paused' | 'refused' | 'done'
  fromMs: number
  /** When budgets began to hold it up without a break. */
  heldSinceMs: number | undefined
}

class Draining {
  private readonly ids = createActionIds()
  private readonly jobs: Job[] = []
  private readonly finished: { node: string; fromMs: number; untilMs: number }[] = []
  private readonly blocked = new Map<string, Blocked>()
  /** Evictions under way, by pod. */
  private readonly asking = new Map<number, { readonly pod: string; readonly node: string }>()
  private readonly asked = new Set<string>()
  private askAt = Number.POSITIVE_INFINITY
  private actions: Action[] = []

  begin(nodes: readonly string[], options: DrainOptions): void {
    for (const node of nodes) {
      this.jobs.push({ node, options, state: 'waiting', fromMs: 0, heldSinceMs: undefined })
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

  /** Begins with further nodes: all of them, or the next once the one before is done or held up for long. */
  private admit(view: View, now: number): void {
    for (const job of this.jobs) {
      if (job.state !== 'waiting' && job.state !== 'paused') continue
      if (job.options.oneByOne === true) {
        const busy = this.jobs.find(({ state }) => state === 'draining')
        if (busy !== undefined) {
          const isStuck = busy.heldSinceMs !== undefined && now - busy.heldSinceMs >= PATIENCE_MS
          if (!isStuck || job.state === 'paused') continue
          busy.state = 'paused'
        }
      }
      this.start(job, view, now)
    }
    // Those that were put off come again when nobody else is left.
    if (this.jobs.some(({ state }) => state === 'draining' || state === 'waiting')) return
    const paused = this.jobs.find(({ state }) => state === 'paused')
    if (paused !== undefined) this.start(paused, view, now)
  }

  private start(job: Job, view: View, now: number): void {
    if (job.state === 'waiting') {
      job.fromMs = now
      const refused = job.options.force === true ? [] : unmanagedPods(view.podsOn(job.node))
      for (const { metadata } of refused) {
        const pod = `${metadata.namespace}/${metadata.name}`
        this.blocked.set(pod, {
          node: job.node,
          pod,
          sinceMs: now,
          why: 'it declares no controller; kubectl drain needs --force',
        })
      }
      if (refused.length > 0) job.state = 'refused'
      this.call({
        verb: 'patch',
        resource: 'nodes',
        name: job.node,
        patch: { kind: 'merge', patch: { spec: { unschedulable: true } } },
      })
      // As kubectl: the node is cordoned, but nothing is evicted from it.
      if (refused.length > 0) return
    }
    job.state = 'draining'
    job.heldSinceMs = undefined
    this.drain(job, view, now)
  }

  private drain(job: Job, view: View, now: number): void {
    const left = view.podsOn(job.node).filter((pod) => isToGo(pod, job.options))
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

  private evict(pod: Pod, key: string, { node }: Job): void {
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
      if (job !== undefined) job.heldSinceMs = undefined
      return
    }
    const causes = outcome.status.details?.causes?.map(({ message }) => message ?? '') ?? []
    const why = causes.join('; ') || (outcome.status.message ?? 'refused')
    const before = this.blocked.get(asked.pod)
    this.blocked.set(asked.pod, { ...asked, sinceMs: before?.sinceMs ?? now, why })
    if (job !== undefined) job.heldSinceMs ??= now
    this.askAt = Math.min(this.askAt, now + ASK_AGAIN_MS)
  }

  private finish(job: Job, view: View, now: number): void {
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

/** Pods of DaemonSets and mirror pods stay, finished ones do not count. */
function isToGo(pod: Pod, { force }: DrainOptions): boolean {
  if (pod.metadata.annotations?.[annotations.mirrorPod] !== undefined) return false
  const owner = controllerOf(pod)
  if (owner?.kind === 'DaemonSet') return false
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false
  return owner !== undefined || force === true
}

/** Pods that `kubectl drain` would refuse to touch without --force, which makes it leave the node alone. */
function unmanagedPods(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(
    (pod) =>
      controllerOf(pod) === undefined &&
      pod.metadata.annotations?.[annotations.mirrorPod] === undefined &&
      pod.status?.phase !== 'Succeeded' &&
      pod.status?.phase !== 'Failed',
  )
}
