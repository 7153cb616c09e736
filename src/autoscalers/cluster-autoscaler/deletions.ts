import { keyOf } from '../../api/object-key.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { evictionCall } from '../../api/pod-eviction.ts'
import { type ActionIds, callAction, deleteObject } from '../../runtime/actions.ts'
import type { Action, ActionResult } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { isDaemonSetPod, isMirrorPod } from './node-templates.ts'
import type { AutoscalerOptions } from './options.ts'

type Phase = 'waiting' | 'evicting' | 'draining' | 'deleting'

interface NodeDeletion {
  readonly node: string
  readonly group: string
  readonly needsDrain: boolean
  phase: Phase
  /** The time of the next check of the phase. */
  nextAt: number
  /** The time at which evictions, or the wait for the end of pods, are abandoned. */
  giveUpAt: number
  /** Pods whose eviction has not been accepted yet. */
  readonly toEvict: Map<string, Pod>
  pods: readonly Pod[]
}

export interface DeletionTurn {
  readonly actions: Action[]
  readonly removed: readonly { readonly node: string; readonly group: string; readonly wasDrained: boolean }[]
  /** Nodes that stay because pods could not be evicted or did not end. */
  readonly failed: readonly {
    readonly node: string
    readonly reason: string
    /** The number of pods whose eviction was never accepted. */
    readonly notEvicted: number
  }[]
}

// 1.36, scaledown/actuation: DefaultEvictionRetryTime, DefaultPodEvictionHeadroom, and the poll of waitPodsToDisappear.
const evictionRetryMs = 10_000
const headroomMs = 30_000
const pollMs = 5_000
/** The time for which an evicted pod counts until its replacement exists (1.36, NewNodeDeletionTracker). */
const evictedMs = 5 * 60_000

/** Nodes that are being removed: tainted, drained and deleted (1.36, core/scaledown/actuation). */
export class Deletions {
  private readonly options: AutoscalerOptions
  private readonly ids: ActionIds
  private readonly byNode = new Map<string, NodeDeletion>()
  private readonly evictions = new Map<number, { readonly deletion: NodeDeletion; readonly pod: string }>()
  private readonly evicted: { readonly pod: Pod; readonly at: number }[] = []

  constructor(options: AutoscalerOptions, ids: ActionIds) {
    this.options = options
    this.ids = ids
  }

  get nodes(): ReadonlySet<string> {
    return new Set(this.byNode.keys())
  }

  countIn(group: string): number {
    return [...this.byNode.values()].filter((deletion) => deletion.group === group).length
  }

  /** Nodes that are being drained. */
  get draining(): readonly string[] {
    return [...this.byNode.values()].filter(({ needsDrain }) => needsDrain).map(({ node }) => node)
  }

  /** The number of additional deletions that the parallelism flags allow. */
  budget(): { readonly all: number; readonly drain: number } {
    const all = this.options['max-scale-down-parallelism'] - this.byNode.size
    return { all, drain: Math.min(all, this.options['max-drain-parallelism'] - this.draining.length) }
  }

  start(node: Node, group: string, needsDrain: boolean, now: number): void {
    const { name } = node.metadata
    const nextAt = now + this.options['node-delete-delay-after-taint']
    const deletion = { node: name, group, needsDrain, phase: 'waiting' as const, nextAt, giveUpAt: 0 }
    this.byNode.set(name, { ...deletion, toEvict: new Map(), pods: [] })
  }

  nextAt(): number | undefined {
    let next: number | undefined
    for (const { nextAt } of this.byNode.values()) if (next === undefined || nextAt < next) next = nextAt
    return next
  }

  /** Pods that were recently evicted. */
  recentlyEvicted(now: number): readonly Pod[] {
    while ((this.evicted[0]?.at ?? now) + evictedMs < now) this.evicted.shift()
    return this.evicted.map(({ pod }) => pod)
  }

  /** Takes the outcome of an eviction. Returns whether a pod was evicted. */
  take({ id, outcome }: ActionResult, now: number): boolean {
    const eviction = this.evictions.get(id)
    if (eviction === undefined) return false
    this.evictions.delete(id)
    const { deletion, pod } = eviction
    if (!outcome.ok && outcome.status.code !== 404) return false
    const evicted = deletion.toEvict.get(pod)
    if (evicted !== undefined) this.evicted.push({ pod: evicted, at: now })
    deletion.toEvict.delete(pod)
    if (deletion.phase === 'evicting' && deletion.toEvict.size === 0) {
      deletion.phase = 'draining'
      deletion.giveUpAt = now + this.options['max-graceful-termination-sec'] * 1000 + headroomMs
      deletion.nextAt = now
    }
    return true
  }

  /** `podsOf` returns the pods to evict, or the reason why the node cannot be deleted. */
  turn(view: View, now: number, podsOf: (node: string, needsDrain: boolean) => readonly Pod[] | string): DeletionTurn {
    const actions: Action[] = []
    const removed: DeletionTurn['removed'][number][] = []
    const failed: DeletionTurn['failed'][number][] = []
    for (const deletion of [...this.byNode.values()]) {
      if (view.get('nodes', deletion.node) === undefined) {
        this.byNode.delete(deletion.node)
        continue
      }
      if (deletion.nextAt > now) continue
      const problem = this.proceed(deletion, view, now, podsOf, actions)
      if (problem === 'removed') {
        removed.push({ node: deletion.node, group: deletion.group, wasDrained: deletion.needsDrain })
      } else if (problem !== undefined) {
        failed.push({ node: deletion.node, reason: problem, notEvicted: deletion.toEvict.size })
        this.byNode.delete(deletion.node)
      }
    }
    return { actions, removed, failed }
  }

  private proceed(
    deletion: NodeDeletion,
    view: View,
    now: number,
    podsOf: (node: string, needsDrain: boolean) => readonly Pod[] | string,
    actions: Action[],
  ): 'removed' | string | undefined {
    switch (deletion.phase) {
      case 'waiting': {
        const pods = podsOf(deletion.node, deletion.needsDrain)
        if (typeof pods === 'string') return pods
        if (!deletion.needsDrain) return this.remove(deletion, actions)
        return this.startDrain(deletion, pods, now, actions)
      }
      case 'evicting':
        if (now >= deletion.giveUpAt) return 'failed to evict pods'
        this.evict(deletion, now, actions)
        return undefined
      case 'draining': {
        const left = deletion.pods.filter((pod) => isStillOn(view, pod, deletion.node))
        if (left.length === 0) return this.remove(deletion, actions)
        if (now >= deletion.giveUpAt) return 'pods remaining after timeout'
        deletion.nextAt = now + pollMs
        return undefined
      }
      case 'deleting':
        deletion.nextAt = now + pollMs
        return undefined
    }
  }

  private startDrain(deletion: NodeDeletion, pods: readonly Pod[], now: number, actions: Action[]): undefined {
    const evicted = pods.filter((pod) => !isMirrorPod(pod) && !isDaemonSetPod(pod))
    deletion.phase = 'evicting'
    deletion.pods = evicted
    deletion.giveUpAt = now + this.options['max-pod-eviction-time']
    const evictsDaemons = this.options['daemonset-eviction-for-occupied-nodes']
    const daemons = evictsDaemons ? pods.filter(isDaemonSetPod) : []
    for (const pod of evicted) deletion.toEvict.set(keyOf(pod), pod)
    // The deletion does not wait for the eviction of daemon pods.
    for (const pod of daemons) actions.push(callAction(this.ids, this.evictionOf(pod)))
    this.evict(deletion, now, actions)
    return undefined
  }

  private evict(deletion: NodeDeletion, now: number, actions: Action[]): void {
    deletion.nextAt = now + evictionRetryMs
    for (const [key, pod] of deletion.toEvict) {
      const action = callAction(this.ids, this.evictionOf(pod))
      this.evictions.set(action.id, { deletion, pod: key })
      actions.push(action)
    }
    if (deletion.toEvict.size === 0) {
      deletion.phase = 'draining'
      deletion.giveUpAt = now + this.options['max-graceful-termination-sec'] * 1000 + headroomMs
      deletion.nextAt = now
    }
  }

  private evictionOf(pod: Pod) {
    const graceSeconds = Math.min(
      pod.spec.terminationGracePeriodSeconds ?? 30,
      this.options['max-graceful-termination-sec'],
    )
    return evictionCall(pod.metadata, { gracePeriodSeconds: graceSeconds })
  }

  private remove(deletion: NodeDeletion, actions: Action[]): 'removed' {
    deletion.phase = 'deleting'
    deletion.nextAt = Number.POSITIVE_INFINITY
    actions.push(deleteObject(this.ids, { resource: 'nodes', object: { metadata: { name: deletion.node } } }))
    return 'removed'
  }
}

function isStillOn(view: View, pod: Pod, node: string): boolean {
  const now = view.get('pods', keyOf(pod))
  return now !== undefined && now.metadata.uid === pod.metadata.uid && now.spec.nodeName === node
}
