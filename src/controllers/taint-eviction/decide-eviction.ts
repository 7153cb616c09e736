import type { Taint } from '../../api/objects/node.ts'
import type { Toleration } from '../../api/objects/pod.ts'
import { formatTaint, sameTaint } from '../../api/taints.ts'
import { parseTime } from '../../api/time.ts'
import { getMatchingTolerations, isTolerated, type TolerationOptions, toleratedFor } from '../../api/tolerations.ts'
import { reachedAt } from '../../base/clock.ts'

/** The cause of an eviction: the taint, and the toleration that limits the time, if any. */
export interface EvictionCause {
  readonly taint: Taint
  readonly toleration?: Toleration
}

/**
 * A deletion at a later instant. The lists are parallel: for each NoExecute taint, the toleration in use and the instant from which
 * its seconds count.
 */
export interface Countdown {
  readonly createdAt: number
  readonly fireAt: number
  readonly taints: readonly Taint[]
  readonly tolerations: readonly Toleration[]
  readonly countedFrom: readonly number[]
  readonly cause: EvictionCause
}

export interface EvictionQuestion {
  /** The NoExecute taints of the pod's node, in the node's order. */
  readonly taints: readonly Taint[]
  readonly tolerations: readonly Toleration[] | undefined
  /** The running countdown of this pod. */
  readonly running?: Countdown | undefined
  readonly now: number
  /** The wall time at `now`. Default: the same. */
  readonly wall?: number
  /** The wall time at which the pod was bound. It matters only for taints with a timeAdded. */
  readonly boundAt?: number | undefined
  readonly rules?: EvictionRules
}

export interface EvictionRules extends TolerationOptions {
  /** Fix `toleration-edits`: a running countdown follows its pod's tolerations and its node's taints. */
  readonly followEdits?: boolean
  /** Fix `countdown-from-taint`: seconds count from the taint's timeAdded, if it has one. */
  readonly countFromTaint?: boolean
}

export type EvictionVerdict =
  /** A running countdown continues. */
  | { readonly kind: 'leave' }
  /** The pod may stay: a running countdown is canceled. */
  | { readonly kind: 'cancel' }
  /** A taint is not tolerated: a running countdown is canceled and the pod is deleted immediately. */
  | { readonly kind: 'evict'; readonly cause: EvictionCause }
  /** A countdown starts, or replaces the running one. It may be due already. */
  | { readonly kind: 'count-down'; readonly countdown: Countdown }

const leave: EvictionVerdict = { kind: 'leave' }
const cancel: EvictionVerdict = { kind: 'cancel' }

/**
 * Decides about a pod on a node with these NoExecute taints (v1.36, tainteviction processPodOnNode).
 *
 * Upstream asks whether `createdAt + seconds` is before `now + seconds`, which holds for every countdown that runs:
 * once started, a countdown ends by being canceled, by an untolerated taint, or by firing, even if the tolerations
 * later have another finite number of seconds, including zero.
 */
export function decideEviction(question: EvictionQuestion): EvictionVerdict {
  const { taints, tolerations, running, rules = {} } = question
  if (taints.length === 0) return cancel
  const allowed = toleratedFor(taints, tolerations, rules)
  if (allowed === 'never') {
    const taint = taints.find((candidate) => !isTolerated(candidate, tolerations, rules)) as Taint
    return { kind: 'evict', cause: { taint } }
  }
  if (allowed === 'forever') return cancel
  if (running !== undefined && rules.followEdits !== true) return leave
  const used = getMatchingTolerations(taints, tolerations, rules) as readonly Toleration[]
  const countdown = countDown(question, used)
  return running?.fireAt === countdown.fireAt ? leave : { kind: 'count-down', countdown }
}

function countDown(question: EvictionQuestion, used: readonly Toleration[]): Countdown {
  const { taints, now } = question
  const countedFrom = taints.map((taint) => countingSince(taint, question))
  let first = -1
  let fireAt = Number.POSITIVE_INFINITY
  for (let i = 0; i < taints.length; i++) {
    const { tolerationSeconds } = used[i] as Toleration
    if (tolerationSeconds === undefined) continue
    const at = (countedFrom[i] as number) + Math.max(Number(tolerationSeconds), 0) * 1000
    if (at >= fireAt) continue
    fireAt = at
    first = i
  }
  const cause = { taint: taints[first] as Taint, toleration: used[first] as Toleration }
  return { createdAt: countedFrom[first] ?? now, fireAt, taints, tolerations: used, countedFrom, cause }
}

function countingSince(taint: Taint, { running, now, wall = now, boundAt, rules = {} }: EvictionQuestion): number {
  const known = running?.taints.findIndex((other) => sameTaint(other, taint) && other.value === taint.value) ?? -1
  if (known >= 0) return running?.countedFrom[known] as number
  if (rules.countFromTaint !== true || taint.timeAdded === undefined) return now
  const added = parseTime(taint.timeAdded)
  if (added === undefined) return now
  // For a pod that was bound after the taint was added, the time counts from the binding.
  return Math.min(now, reachedAt(Math.max(added, boundAt ?? Number.NEGATIVE_INFINITY), { now, wall }))
}

export function noExecuteTaints(taints: readonly Taint[] | undefined): readonly Taint[] {
  return taints?.filter((taint) => taint.effect === 'NoExecute') ?? []
}

export function causeText({ taint, toleration }: EvictionCause): string {
  const seconds = toleration?.tolerationSeconds
  return seconds === undefined
    ? `no toleration for taint ${formatTaint(taint)}`
    : `taint ${formatTaint(taint)} is tolerated for ${seconds}s`
}
