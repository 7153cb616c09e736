import { clusterAutoscaler } from '../../autoscalers/cluster-autoscaler/controller.ts'
import { karpenter } from '../../autoscalers/karpenter/controller.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Loop } from '../report/forecast.ts'
import { counted, listed, span } from '../report/phrases.ts'
import { drainActor, upgradeActor } from '../scenario/step.ts'
import { seconds } from './pod-entries.ts'
import type { RunRecorder } from './run-recorder.ts'

// The minimum number of repetitions of a loop.
const minTimes = 3
/** Actors that intentionally evict all pods of a node. */
const drains: ReadonlySet<string> = new Set([drainActor, upgradeActor, karpenter, clusterAutoscaler])

/**
 * Finds pods that are placed on nodes that evict them again, pods that preempt each other, and deletions that never
 * end.
 */
export function findLoops(recorder: RunRecorder, elapsedMs: number): readonly Loop[] {
  return [
    ...placeEvictLoops(recorder),
    ...preemptionLoops(recorder),
    ...unsettled(recorder, elapsedMs),
    ...autoscalerLoops(recorder, elapsedMs),
  ]
}

const autoscalers = lookupTable({
  [karpenter]: 'Karpenter',
  [clusterAutoscaler]: 'Cluster Autoscaler',
})

/**
 * An autoscaler evicts pods from nodes that it created, and their replacements from the nodes that it created after
 * that, up to the end. A pod that moves to an existing node, or from a node that expired or drifted, is not part of a
 * loop.
 */
function autoscalerLoops({ facts, stories, consolidated }: RunRecorder, elapsedMs: number): readonly Loop[] {
  const made = new Set<string>()
  /** By workload: the number of consecutive evictions that led to each of its pods, the latest eviction first. */
  const rounds = new Map<string, { atMs: number; round: number }[]>()
  const found = new Map<string, Loop>()
  for (const { what, about, key, uid, atMs, by = '', detail, group } of facts) {
    if (about === 'Node' && what === 'created' && group !== undefined) made.add(key)
    const actor = autoscalers[by]
    const node = String(detail)
    if (what !== 'terminating' || actor === undefined || !made.has(node)) continue
    if (by === karpenter && !consolidated.has(node)) continue
    const pod = nameOf({ key, group })
    const earlier = rounds.get(pod) ?? []
    const cameMs = stories.get(uid)?.createdMs ?? 0
    const round = 1 + (earlier.find((eviction) => eviction.atMs <= cameMs)?.round ?? 0)
    rounds.set(pod, [{ atMs, round }, ...earlier])
    if (round < minTimes || atMs < elapsedMs * 0.9) continue
    const since = earlier.at(-1)?.atMs ?? atMs
    found.set(pod, {
      kind: 'unsettled',
      text: `${pod} is moved ${round} times in a row since ${span(since)}: ${actor} removes nodes that it made, up to the end`,
      times: round,
      since: seconds(since),
    })
  }
  return [...found.values()]
}

const nameOf = ({ group, key }: { readonly key: string; readonly group?: string | undefined }): string =>
  group === undefined ? key : `${key.slice(0, key.indexOf('/'))}/${group}`

class LoopCounter {
  readonly entries = new Map<string, { times: number; readonly since: number }>()

  add(key: string, atMs: number): void {
    const entry = this.entries.get(key)
    if (entry === undefined) this.entries.set(key, { times: 1, since: atMs })
    else entry.times++
  }
}

/** Pods of one workload are evicted by a taint, and their replacements are placed on the same node. */
function placeEvictLoops({ stories }: RunRecorder): readonly Loop[] {
  const placements = new Map<string, { readonly nodes: Map<string, number>; since: number }>()
  const seen = new Set<string>()
  for (const story of stories.values()) {
    const { disruption, boundMs, node = '' } = story
    if (disruption !== 'DeletionByTaintManager' || boundMs === undefined) continue
    const name = nameOf(story)
    // The first placement is not part of a loop.
    if (seen.has(`${name} ${node}`)) {
      const known = placements.get(name) ?? { nodes: new Map<string, number>(), since: boundMs }
      known.nodes.set(node, (known.nodes.get(node) ?? 0) + 1)
      known.since = Math.min(known.since, boundMs)
      placements.set(name, known)
    }
    seen.add(`${name} ${node}`)
  }
  const loops: Loop[] = []
  for (const [name, { nodes, since }] of placements) {
    const times = [...nodes.values()].reduce((sum, count) => sum + count, 0)
    if (Math.max(...nodes.values()) < minTimes) continue
    loops.push({
      kind: 'place-evict',
      text: `${name} is placed on ${listed([...nodes.keys()].sort(), 4)} and evicted again, ${times} times since ${span(since)}: the scheduler ignores tolerationSeconds (use --fix finite-tolerations)`,
      times,
      since: seconds(since),
    })
  }
  return loops
}

/** Finds two workloads that preempt each other. */
function preemptionLoops({ facts, stories }: RunRecorder): readonly Loop[] {
  const tally = new LoopCounter()
  const nominees = new Map<string, string>()
  for (const fact of facts) {
    if (fact.what === 'nominated') nominees.set(String(fact.detail), nameOf(fact))
    if (fact.what !== 'terminating') continue
    const story = stories.get(fact.uid)
    if (story?.disruption !== 'PreemptionByScheduler') continue
    tally.add(`${nominees.get(String(fact.detail)) ?? '?'} ${nameOf(fact)}`, fact.atMs)
  }
  const loops: Loop[] = []
  for (const [key, { times, since }] of tally.entries) {
    const [preemptor = '', victim = ''] = key.split(' ')
    const back = tally.entries.get(`${victim} ${preemptor}`)
    const isMutual = back !== undefined && preemptor < victim && Math.min(times, back.times) >= minTimes - 1
    const isEndless = preemptor === victim && times >= minTimes
    if (!isMutual && !isEndless) continue
    const both = times + (back === undefined || isEndless ? 0 : back.times)
    loops.push({
      kind: 'preemption',
      text: `${preemptor} and ${victim} preempt each other, ${counted(both, 'time')} since ${span(since)}`,
      times: both,
      since: seconds(since),
    })
  }
  return loops
}

/**
 * Replacements are deleted as well, up to the end of the forecast. Pods that existed at the start do not count: if they
 * are deleted one by one, that is a long eviction, not a loop. A drain, an upgrade or an autoscaler that empties one
 * node after the other, and therefore moves the same workload often, is not a loop either.
 */
function unsettled({ facts, stories }: RunRecorder, elapsedMs: number): readonly Loop[] {
  const tailFrom = elapsedMs * 0.9
  const all = new LoopCounter()
  const again = new LoopCounter()
  const tail = new Set<string>()
  for (const fact of facts) {
    if (fact.what !== 'terminating' || drains.has(fact.by ?? '')) continue
    const pod = nameOf(fact)
    all.add(pod, fact.atMs)
    const cameMs = stories.get(fact.uid)?.createdMs
    if (cameMs === undefined || cameMs < (all.entries.get(pod)?.since ?? 0)) continue
    again.add(pod, fact.atMs)
    if (fact.atMs >= tailFrom) tail.add(pod)
  }
  for (const pod of tail) {
    const { times, since } = all.entries.get(pod) as { times: number; since: number }
    if (times < 2 * minTimes || (again.entries.get(pod)?.times ?? 0) < minTimes) continue
    return [
      {
        kind: 'unsettled',
        text: `${pod} is deleted ${times} times since ${span(since)}, up to the end`,
        times,
        since: seconds(since),
      },
    ]
  }
  return []
}
