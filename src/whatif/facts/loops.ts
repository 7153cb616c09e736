import type { Loop } from '../report/forecast.ts'
import { counted, listed, span } from '../report/phrases.ts'
import type { Chronicle } from './chronicle.ts'
import { seconds } from './pod-entries.ts'

// Twice is bad luck; three times in the same place is a loop.
const TIMES = 3

/** What goes round in circles: pods placed where they are evicted, pods that preempt each other, forecasts without an end. */
export function findLoops(chronicle: Chronicle, elapsedMs: number): readonly Loop[] {
  return [...placeEvictLoops(chronicle), ...preemptionLoops(chronicle), ...unsettled(chronicle, elapsedMs)]
}

const nameOf = ({ group, key }: { readonly key: string; readonly group?: string | undefined }): string =>
  group === undefined ? key : `${key.slice(0, key.indexOf('/'))}/${group}`

class Tally {
  readonly entries = new Map<string, { times: number; readonly since: number }>()

  add(key: string, atMs: number): void {
    const entry = this.entries.get(key)
    if (entry === undefined) this.entries.set(key, { times: 1, since: atMs })
    else entry.times++
  }
}

/** A pod of the same workload is evicted by a taint, again and again, from a node it was placed on meanwhile. */
function placeEvictLoops({ stories }: Chronicle): readonly Loop[] {
  const places = new Map<string, { readonly nodes: Map<string, number>; since: number }>()
  const seen = new Set<string>()
  for (const story of stories.values()) {
    const { disruption, boundMs, node = '' } = story
    if (disruption !== 'DeletionByTaintManager' || boundMs === undefined) continue
    const name = nameOf(story)
    // Where the first one was placed there was no reason yet not to.
    if (seen.has(`${name} ${node}`)) {
      const known = places.get(name) ?? { nodes: new Map<string, number>(), since: boundMs }
      known.nodes.set(node, (known.nodes.get(node) ?? 0) + 1)
      known.since = Math.min(known.since, boundMs)
      places.set(name, known)
    }
    seen.add(`${name} ${node}`)
  }
  const loops: Loop[] = []
  for (const [name, { nodes, since }] of places) {
    const times = [...nodes.values()].reduce((sum, count) => sum + count, 0)
    if (Math.max(...nodes.values()) < TIMES) continue
    loops.push({
      kind: 'place-evict',
      text: `${name} is placed on ${listed([...nodes.keys()].sort(), 4)} and evicted again, ${times} times since ${span(since)}: the scheduler ignores tolerationSeconds (fix finite-tolerations)`,
      times,
      since: seconds(since),
    })
  }
  return loops
}

/** Two workloads that each make room by deleting the other. */
function preemptionLoops({ facts, stories }: Chronicle): readonly Loop[] {
  const tally = new Tally()
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
    const isMutual = back !== undefined && preemptor < victim && Math.min(times, back.times) >= TIMES - 1
    const isEndless = preemptor === victim && times >= TIMES
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
 * Pods that take the place of deleted ones are deleted as well, again and again, and still are at the very end. Where those
 * that were there before go one after the other it is no loop, only a long eviction.
 */
function unsettled({ facts, stories }: Chronicle, elapsedMs: number): readonly Loop[] {
  const tailFrom = elapsedMs * 0.9
  const all = new Tally()
  const again = new Tally()
  const tail = new Set<string>()
  for (const fact of facts) {
    if (fact.what !== 'terminating') continue
    const pod = nameOf(fact)
    all.add(pod, fact.atMs)
    const cameMs = stories.get(fact.uid)?.createdMs
    if (cameMs === undefined || cameMs < (all.entries.get(pod)?.since ?? 0)) continue
    again.add(pod, fact.atMs)
    if (fact.atMs >= tailFrom) tail.add(pod)
  }
  for (const pod of tail) {
    const { times, since } = all.entries.get(pod) as { times: number; since: number }
    if (times < 2 * TIMES || (again.entries.get(pod)?.times ?? 0) < TIMES) continue
    return [
      {
        kind: 'unsettled',
        text: `it does not settle: ${pod} is deleted ${times} times since ${span(since)}, and still is at the end`,
        times,
        since: seconds(since),
      },
    ]
  }
  return []
}
