import type { ObjectReader, WakeRule } from '../contract/contract.ts'
import type { ClusterChange } from './cluster-event.ts'
import { isWildcard } from './cluster-event.ts'
import type { HintTable } from './hint-table.ts'
import type { QueuedEntry, QueuedPod } from './queued-pod.ts'
import { isGroup, rejectorsOf } from './queued-pod.ts'

/**
 * `skip`: no retry. `afterBackoff`: retry after the backoff. `immediately`: a plugin that waited for the event retries
 * the pod without backoff.
 */
export type RequeueVerdict = 'skip' | 'afterBackoff' | 'immediately'

/** Decides whether a change retries a pod, with the hints of the plugins that rejected it. */
export class RequeueJudge {
  private readonly hints: HintTable
  private readonly objects: ObjectReader

  constructor(options: { readonly hints: HintTable; readonly objects: ObjectReader }) {
    this.hints = options.hints
    this.objects = options.objects
  }

  /** The strongest verdict of the pods of an entry. */
  ofEntry(entry: QueuedEntry, change: ClusterChange): RequeueVerdict {
    if (!isGroup(entry)) return this.verdict(entry, change)
    let strongest: RequeueVerdict = 'skip'
    for (const pod of entry.members.values()) {
      const verdict = this.verdict(pod, change)
      if (verdict === 'immediately') return verdict
      if (verdict !== 'skip') strongest = verdict
    }
    return strongest
  }

  verdict(pod: QueuedPod, change: ClusterChange): RequeueVerdict {
    const rejectors = rejectorsOf(pod)
    if (rejectors.length === 0) return 'afterBackoff'
    if (isWildcard(change.event)) {
      // A wildcard event with an object applies only to that pod.
      const target = change.after
      return target === undefined || target.metadata.uid === pod.uid ? 'afterBackoff' : 'skip'
    }
    if (!this.hints.hasProfile(pod.profile)) return 'afterBackoff'
    const { hints } = this.hints.hintsFor(pod.profile, change.event)
    let verdict: RequeueVerdict = 'skip'
    for (let i = 0; i < rejectors.length; i++) {
      const plugin = rejectors[i] as string
      const ofPlugin = hints.get(plugin)
      if (ofPlugin === undefined || !this.anyHelps(ofPlugin, pod, change)) continue
      if (pod.pendingPlugins.length === 0) return 'afterBackoff'
      if (pod.pendingPlugins.includes(plugin)) return 'immediately'
      verdict = 'afterBackoff'
    }
    return verdict
  }

  private anyHelps(hints: readonly WakeRule['hint'][], pod: QueuedPod, change: ClusterChange): boolean {
    for (let i = 0; i < hints.length; i++) {
      const hint = hints[i]
      if (hint === undefined || this.helps(hint, pod, change)) return true
    }
    return false
  }

  /** The strongest verdict of several changes. */
  overall(pod: QueuedPod, changes: readonly ClusterChange[]): RequeueVerdict {
    let overall: RequeueVerdict = 'skip'
    for (const change of changes) {
      const verdict = this.verdict(pod, change)
      if (verdict === 'skip') continue
      // Only pending plugins can request an immediate retry.
      if (verdict === 'immediately' || pod.pendingPlugins.length === 0) return verdict
      overall = verdict
    }
    return overall
  }

  private helps(hint: NonNullable<WakeRule['hint']>, pod: QueuedPod, change: ClusterChange): boolean {
    try {
      return hint(pod.parsed.pod, change, this.objects)
    } catch {
      // A broken hint must not block a pod.
      return true
    }
  }
}
