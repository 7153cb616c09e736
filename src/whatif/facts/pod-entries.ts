import { findCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Store } from '../../store/contract.ts'
import type { PodEntry } from '../report/forecast.ts'
import { causeOf } from '../report/phrases.ts'
import type { PodStory } from './pod-story.ts'

/** The message of a pending pod that the scheduler has not tried yet. */
export const notTried = 'no scheduling attempt yet'

export const seconds = (ms: number): number => Math.round(ms / 10) / 100

/** Every pod with a fact, in the order of the first fact, with its replacement. */
export function podEntries(stories: readonly PodStory[], replacements: Replacements, end: Store): readonly PodEntry[] {
  return stories.map((story) => entryOf(story, replacements.get(story.uid), end))
}

/** Keyed by the uid of the replaced pod. */
export type Replacements = ReadonlyMap<string, PodStory>

/** Pairs the deleted pods of a workload with the pods that it creates afterwards, in order of time. */
export function replacementsIn(stories: readonly PodStory[]): Replacements {
  const byOwner = new Map<string, { readonly deleted: PodStory[]; readonly created: PodStory[] }>()
  for (const story of stories) {
    if (story.owner === undefined) continue
    const workload = `${story.key.slice(0, story.key.indexOf('/'))}/${story.owner}`
    let pods = byOwner.get(workload)
    if (pods === undefined) {
      pods = { deleted: [], created: [] }
      byOwner.set(workload, pods)
    }
    if (story.deletedMs !== undefined) pods.deleted.push(story)
    if (story.createdMs !== undefined) pods.created.push(story)
  }
  const pairs = new Map<string, PodStory>()
  for (const { deleted, created } of byOwner.values()) {
    deleted.sort((a, b) => (a.deletedMs ?? 0) - (b.deletedMs ?? 0))
    created.sort((a, b) => (a.createdMs ?? 0) - (b.createdMs ?? 0))
    let next = 0
    for (const story of deleted) {
      while (next < created.length && (created[next]?.createdMs ?? 0) < (story.deletedMs ?? 0)) next++
      const successor = created[next]
      if (successor === undefined) break
      if (successor !== story) pairs.set(story.uid, successor)
      next++
    }
  }
  return pairs
}

/**
 * Members are assigned one by one, in the order in which they are printed, because this is faster than spreads for many
 * pods.
 */
function entryOf(story: PodStory, replacement: PodStory | undefined, end: Store): PodEntry {
  const entry: { -readonly [Name in keyof PodEntry]?: PodEntry[Name] } = { pod: story.key }
  if (story.group !== undefined) entry.group = story.group
  if (story.owner !== undefined) entry.owner = story.owner
  if (story.workload.kind !== 'Pod') entry.workload = `${story.workload.kind}/${story.workload.name}`
  entry.priority = story.priority
  entry.isNew = !story.isOld
  if (story.fromNode !== undefined) entry.from = story.fromNode
  if (story.createdMs !== undefined) entry.created = seconds(story.createdMs)
  if (story.boundMs !== undefined) entry.bound = seconds(story.boundMs)
  if (story.node !== undefined) entry.node = story.node
  if (story.startedMs !== undefined) entry.started = seconds(story.startedMs)
  if (story.notReadyMs !== undefined) entry.notReady = seconds(story.notReadyMs)
  if (story.recoveredMs !== undefined) entry.readyAgain = seconds(story.recoveredMs)
  if (story.deletedMs !== undefined) {
    entry.deleted = seconds(story.deletedMs)
    entry.cause = causeOf(story)
  }
  if (story.goneMs !== undefined) entry.gone = seconds(story.goneMs)
  if (story.endedAs !== undefined) entry.ended = story.endedAs
  const pending = story.node === undefined ? pendingReason(story, end) : undefined
  if (pending !== undefined) entry.pending = pending
  if (replacement !== undefined) entry.replacement = replacement.key
  return entry as PodEntry
}

function pendingReason(story: PodStory, end: Store): string | undefined {
  const pod = end.get('pods', story.key) as Pod | undefined
  if (pod === undefined || pod.metadata.uid !== story.uid || (pod.spec.nodeName ?? '') !== '') return undefined
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  return findCondition(pod.status?.conditions, 'PodScheduled')?.message ?? notTried
}
