import { keyOf } from '../../../api/object-key.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { evictionCall } from '../../../api/pod-eviction.ts'
import { DeadlineQueue } from '../../../base/deadline-queue.ts'
import { type ActionIds, callAction } from '../../../runtime/actions.ts'
import type { ActionResult } from '../../../runtime/controller.ts'
import type { View } from '../../../runtime/view.ts'
import type { Drafts } from '../drafts.ts'

// v1.14, terminator.Queue: a refused eviction is retried after 100 ms. The delay doubles up to 10 s.
const baseDelayMs = 100
const maxDelayMs = 10_000

interface Eviction {
  readonly key: string
  readonly uid: string
  readonly reason: string
  failures: number
}

/** Evicts pods, and retries while a budget refuses an eviction. */
export class EvictionQueue {
  private readonly ids: ActionIds
  private readonly queued = new Map<string, Eviction>()
  /** The times of the next evictions that are not in flight, by uid of the pod. */
  private readonly due = new DeadlineQueue<string>()
  private readonly sent = new Map<number, Eviction>()

  constructor(ids: ActionIds) {
    this.ids = ids
  }

  add(pod: Pod, reason: string, now: number): void {
    const uid = pod.metadata.uid ?? ''
    if (this.queued.has(uid)) return
    this.queued.set(uid, { key: keyOf(pod), uid, reason, failures: 0 })
    this.due.set(uid, now)
  }

  /** Takes the outcome of an eviction. */
  take({ id, outcome }: ActionResult, view: View, drafts: Drafts, now: number): void {
    const eviction = this.sent.get(id)
    if (eviction === undefined) return
    this.sent.delete(id)
    const pod = view.get('pods', eviction.key)
    drafts.metrics.evicted(outcome.ok ? 200 : (outcome.status.code ?? 0), eviction.reason)
    if (outcome.ok) drafts.event(pod, 'Evicted', `Evicted pod: ${eviction.reason}`)
    if (outcome.ok || outcome.status.code === 404 || outcome.status.code === 409) {
      this.queued.delete(eviction.uid)
      return
    }
    if (outcome.status.code === 429) {
      const node = view.get('nodes', pod?.spec.nodeName ?? '')
      const what = `evicting pod violates a PDB (Pod=${eviction.key})`
      drafts.event(node, 'FailedDraining', `Failed to drain node, ${what}`, { type: 'Warning' })
    }
    this.due.set(eviction.uid, now + Math.min(maxDelayMs, baseDelayMs * 2 ** eviction.failures))
    eviction.failures++
  }

  step(view: View, drafts: Drafts, now: number): void {
    for (const uid of this.due.popDue(now)) {
      const eviction = this.queued.get(uid) as Eviction
      const pod = view.get('pods', eviction.key)
      if (pod === undefined || pod.metadata.uid !== eviction.uid) {
        this.queued.delete(eviction.uid)
        continue
      }
      const action = callAction(this.ids, evictionCall(pod.metadata, { preconditions: { uid: eviction.uid } }))
      this.sent.set(action.id, eviction)
      drafts.push(action)
    }
  }

  nextAt(): number {
    return this.due.nextAt() ?? Number.POSITIVE_INFINITY
  }
}
