import type { NodeRow, PodRow, Transition } from '../../src/wire/console-wire.ts'
import type { ClusterModel } from './cluster.ts'
import { N, P, podState } from './rows.ts'

/** Counts of pods and nodes by state, at evenly spaced instants. */
export interface StateSeries {
  readonly times: readonly number[]
  readonly pending: readonly number[]
  readonly notReady: readonly number[]
  readonly terminating: readonly number[]
  readonly nodesNotReady: readonly number[]
}

const waits = (row: PodRow | null) => row !== null && row[P.state] <= podState.starting
const isNotReady = (row: PodRow | null) => row !== null && row[P.state] === podState.notReady
const isLeaving = (row: PodRow | null) => row !== null && row[P.state] === podState.terminating
const isSick = (row: NodeRow | null) => row !== null && row[N.health] !== 0

/** Counted backwards from the present: each transition is reverted. */
export function stateSeries(
  cluster: ClusterModel,
  transitions: readonly Transition[],
  fromMs: number,
  untilMs: number,
  samples: number,
): StateSeries {
  const step = (untilMs - fromMs) / (samples - 1)
  const times = Array.from({ length: samples }, (_, at) => fromMs + at * step)
  const counts = presentCounts(cluster)
  const columns = {
    pending: [] as number[],
    notReady: [] as number[],
    terminating: [] as number[],
    nodes: [] as number[],
  }
  let next = transitions.length - 1
  for (let at = samples - 1; at >= 0; at--) {
    const instant = times[at] as number
    for (; next >= 0 && (transitions[next] as Transition)[1] > instant; next--) {
      takeBack(counts, transitions[next] as Transition)
    }
    columns.pending.push(counts.pending)
    columns.notReady.push(counts.notReady)
    columns.terminating.push(counts.terminating)
    columns.nodes.push(counts.nodes)
  }
  return {
    times,
    pending: columns.pending.reverse(),
    notReady: columns.notReady.reverse(),
    terminating: columns.terminating.reverse(),
    nodesNotReady: columns.nodes.reverse(),
  }
}

interface Counts {
  pending: number
  notReady: number
  terminating: number
  nodes: number
}

function presentCounts(cluster: ClusterModel): Counts {
  const of = (state: number) => cluster.podsByState[state] ?? 0
  let nodes = 0
  for (const { row } of cluster.nodes.values()) if (isSick(row)) nodes++
  return {
    pending: of(podState.pending) + of(podState.gated) + of(podState.starting),
    notReady: of(podState.notReady),
    terminating: of(podState.terminating),
    nodes,
  }
}

function takeBack(counts: Counts, transition: Transition): void {
  if (transition[2] === 'n') {
    counts.nodes += Number(isSick(transition[4])) - Number(isSick(transition[5]))
    return
  }
  const [, , , , before, after] = transition
  counts.pending += Number(waits(before)) - Number(waits(after))
  counts.notReady += Number(isNotReady(before)) - Number(isNotReady(after))
  counts.terminating += Number(isLeaving(before)) - Number(isLeaving(after))
}
