// The message of a pod that cannot be scheduled, shortened to the reasons that prevent it.

import { findCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import { notTried } from '../facts/pod-entries.ts'

const available = ' nodes are available: '

/**
 * `Insufficient cpu, untolerated taint(s)` of `0/5 nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated
 * taint(s). preemption: …`. The numbers are omitted, because they differ from pod to pod. Reasons on nodes that the pod
 * may use come first, because they lead to a remedy; then reasons on more nodes come before reasons on fewer nodes.
 */
export function pendingReason(message: string): string {
  const start = message.indexOf(available)
  if (!/^\d+\/\d+$/.test(message.slice(0, Math.max(0, start)))) return withoutEnd(message)
  const reasons = withoutEnd(message.slice(start + available.length)).split(/, (?=\d+ )/)
  const counted = reasons.map((reason) => {
    const number = /^\d+ /.exec(reason)?.[0] ?? ''
    return { nodes: Number(number), text: reason.slice(number.length) }
  })
  return counted
    .sort((a, b) => excluded(a) - excluded(b) || b.nodes - a.nodes || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text.replace(/^node\(s\) (had |were )?/, ''))
    .join(', ')
}

/**
 * The reasons why pods are pending, by uid. The scheduler rejects all pods of a group because of one pod. The messages
 * of the other pods contain only counts, so these pods get the reason of that pod.
 */
export function pendingReasons(pods: readonly Pod[]): ReadonlyMap<string, string> {
  const ofGroup = new Map<string, string>()
  const own = pods.map((pod) => {
    const group = groupNameOf(pod)
    const key = group === undefined ? undefined : `${pod.metadata.namespace ?? ''}/${group}`
    const message = findCondition(pod.status?.conditions, 'PodScheduled')?.message
    const reason = message === undefined ? notTried : pendingReason(message)
    if (key !== undefined && message?.includes(available) === true && !ofGroup.has(key))
      ofGroup.set(key, `pod group ${group}: ${reason}`)
    return { uid: pod.metadata.uid ?? '', key, reason }
  })
  const isOfGroup = new Set(
    own.flatMap(({ key, reason }) => (key !== undefined && ofRejection.test(reason) ? [key] : [])),
  )
  return new Map(
    own.map(({ uid, key, reason }) => {
      const shared = key !== undefined && isOfGroup.has(key) ? ofGroup.get(key) : undefined
      return [uid, shared ?? reason]
    }),
  )
}

const ofRejection = /^pod group is unschedulable/

/** Reports whether the pod may not use the nodes, whatever resources they have. */
function excluded({ text }: { readonly text: string }): 0 | 1 {
  return /untolerated taint|were unschedulable|node affinity\/selector|requested node name/.test(text) ? 1 : 0
}

/** The message without the part of PostFilter plugins and without the last period. */
function withoutEnd(message: string): string {
  const end = message.search(/\.? (no new claims to deallocate, )?preemption: /)
  const text = end < 0 ? message : message.slice(0, end)
  return text.trimEnd().replace(/\.$/, '')
}
