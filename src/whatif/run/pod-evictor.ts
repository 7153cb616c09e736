import type { Outcome } from '../../api/call.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { evictionCall, evictionRefusal } from '../../api/pod-eviction.ts'
import { annotations } from '../../api/well-known.ts'
import { callAction, type createActionIds } from '../../runtime/actions.ts'
import type { Action } from '../../runtime/controller.ts'

// v1.36, kubectl drain: interval at which it retries an eviction that a disruption budget rejected.
const askAgainMs = 5_000

/** A pod that blocks the drain of its node. */
export interface BlockedPod {
  readonly node: string
  readonly pod: string
  readonly sinceMs: number
  readonly why: string
}

/** Evicts the pods of nodes through the eviction subresource, and retries what a disruption budget rejects. */
export class PodEvictor {
  readonly blocked = new Map<string, BlockedPod>()
  private readonly ids: ReturnType<typeof createActionIds>
  /** Evictions in flight, by action. */
  private readonly asking = new Map<number, { readonly pod: string; readonly node: string }>()
  /** The uids of pods whose eviction was requested since the last retry. */
  private readonly asked = new Set<string>()
  private askAt = Number.POSITIVE_INFINITY

  constructor(ids: ReturnType<typeof createActionIds>) {
    this.ids = ids
  }

  /** The time of the next retry; infinite if no eviction was rejected. */
  get nextAt(): number {
    return this.askAt
  }

  /** Allows retries that are due. */
  begin(now: number): void {
    if (this.askAt > now) return
    this.askAt = Number.POSITIVE_INFINITY
    this.asked.clear()
  }

  /** Requests the eviction of pods for which no eviction was requested since the last retry. */
  evict(node: string, pods: readonly Pod[]): readonly Action[] {
    const actions: Action[] = []
    for (const pod of pods) {
      const { name, namespace = 'default' } = pod.metadata
      const key = `${namespace}/${name}`
      // A StatefulSet pod is re-created under the same name, possibly on a node that is drained next.
      const uid = pod.metadata.uid ?? key
      if (pod.metadata.deletionTimestamp !== undefined || this.asked.has(uid)) continue
      this.asked.add(uid)
      const action = callAction(this.ids, evictionCall(pod.metadata))
      this.asking.set(action.id, { pod: key, node })
      actions.push(action)
    }
    return actions
  }

  /** Takes the answer of an eviction. Returns the node, and whether the eviction was rejected. */
  take(id: number, outcome: Outcome, now: number): { readonly node: string; readonly isBlocked: boolean } | undefined {
    const asked = this.asking.get(id)
    if (asked === undefined) return undefined
    this.asking.delete(id)
    if (outcome.ok || outcome.status.reason === 'NotFound') {
      this.blocked.delete(asked.pod)
      return { node: asked.node, isBlocked: false }
    }
    const why = evictionRefusal(outcome)
    this.blocked.set(asked.pod, { ...asked, sinceMs: this.blocked.get(asked.pod)?.sinceMs ?? now, why })
    this.askAt = Math.min(this.askAt, now + askAgainMs)
    return { node: asked.node, isBlocked: true }
  }

  /** Records that no pod of the node blocks any longer. */
  release(node: string): void {
    for (const [pod, blocked] of this.blocked) if (blocked.node === node) this.blocked.delete(pod)
  }
}

/**
 * Reports whether a drain waits for the deletion of the pod. Pods of DaemonSets, mirror pods and finished pods may
 * stay.
 */
export function mustLeave(pod: Pod, force: boolean): boolean {
  if (pod.metadata.annotations?.[annotations.mirrorPod] !== undefined) return false
  const owner = controllerOf(pod)
  if (owner?.kind === 'DaemonSet') return false
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false
  return owner !== undefined || force
}

/** The pods because of which `kubectl drain` without --force refuses to drain the node. */
export function unmanagedPods(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => controllerOf(pod) === undefined && mustLeave(pod, true))
}

export const unmanagedText = 'declares no controller (use --force to override)'
