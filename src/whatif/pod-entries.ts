import { findCondition } from '../api/conditions.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { Store } from '../store/contract.ts'
import type { PodEntry } from './forecast.ts'
import { causeOf } from './phrases.ts'
import type { PodStory } from './pod-story.ts'

export const seconds = (ms: number): number => Math.round(ms / 10) / 100

/** Every pod that something happened to, in the order in which it began, each with the one that replaced it. */
export function podEntries(stories: Iterable<PodStory>, end: Store): readonly PodEntry[] {
  const all = [...stories]
  const replacements = replacementsIn(all)
  return all.map((story) => entryOf(story, replacements.get(story.uid), end))
}

/** The pods of a workload that are deleted, and those that it makes from then on, paired in order. */
export function replacementsIn(stories: readonly PodStory[]): ReadonlyMap<string, PodStory> {
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

function entryOf(story: PodStory, replacement: PodStory | undefined, end: Store): PodEntry {
  const { createdMs, boundMs, startedMs, notReadyMs, deletedMs, goneMs, fromNode, node } = story
  const pending = pendingReason(story, end)
  const at = <Name extends string>(name: Name, ms: number | undefined) =>
    (ms === undefined ? {} : { [name]: seconds(ms) }) as { readonly [N in Name]?: number }
  return {
    pod: story.key,
    ...(story.group === undefined ? {} : { group: story.group }),
    ...(story.owner === undefined ? {} : { owner: story.owner }),
    priority: story.priority,
    isNew: !story.isOld,
    ...(fromNode === undefined ? {} : { from: fromNode }),
    ...at('created', createdMs),
    ...at('bound', boundMs),
    ...(node === undefined ? {} : { node }),
    ...at('started', startedMs),
    ...at('notReady', notReadyMs),
    ...at('readyAgain', story.recoveredMs),
    ...at('deleted', deletedMs),
    ...(deletedMs === undefined ? {} : { cause: causeOf(story) }),
    ...at('gone', goneMs),
    ...(story.endedAs === undefined ? {} : { ended: story.endedAs }),
    ...(pending === undefined ? {} : { pending }),
    ...(replacement === undefined ? {} : { replacement: replacement.key }),
  }
}

function pendingReason(story: PodStory, end: Store): string | undefined {
  const pod = end.get('pods', story.key) as Pod | undefined
  if (pod === undefined || pod.metadata.uid !== story.uid || (pod.spec.nodeName ?? '') !== '') return undefined
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  return findCondition(pod.status?.conditions, 'PodScheduled')?.message ?? 'it has not been tried'
}
