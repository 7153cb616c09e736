import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ClusterState, CycleResult, ReviewCandidates, ScheduleHalves } from '../contract/contract.ts'
import { unresolvable, unschedulable } from '../contract/contract.ts'
import { clearNomination } from '../contract/post-filter.ts'
import type { Extender, ExtenderAnswer, ExtenderRequest } from './extender.ts'
import { fieldOf } from './extender.ts'
import { CandidateReview, reviewCandidates } from './preemption-review.ts'

/** Extenders score up to 10, plugins up to 100. */
const scoreScale = 10

export interface ExtendedCycleInput {
  readonly pod: Pod
  readonly extenders: readonly Extender[]
  /** Runs the first half of the cycle. `review` receives the candidates of preemption. */
  begin(review: ReviewCandidates): ScheduleHalves
  cluster(): ClusterState
}

/** A cycle that calls extenders: it yields requests, and continues with all answers in the same order. */
export type ExtendedCycle = Generator<readonly ExtenderRequest[], CycleResult, readonly ExtenderAnswer[]>

/**
 * A scheduling cycle with extenders: they filter the feasible nodes one after the other, and then score the remaining
 * nodes in parallel (v1.36, findNodesThatPassExtenders and prioritizeNodes).
 */
export function* runExtended({ begin, pod, extenders, cluster }: ExtendedCycleInput): ExtendedCycle {
  const review = new CandidateReview()
  const halves = begin((candidates) => review.take(candidates))
  const nodeOf = (name: string): Node | undefined => cluster().node(name)?.node
  const { filtered } = halves
  if ('kind' in filtered) return filtered
  const interested = extenders.filter((extender) => extender.isInterestedIn(pod))
  let left = yield* filterNodes(halves, pod, interested, filtered, nodeOf)
  // The nominated node was tried first. If it is rejected, all nodes are tried.
  if (halves.widen !== undefined && ('kind' in left || left.length === 0)) {
    const all = halves.widen()
    left = 'kind' in all ? all : yield* filterNodes(halves, pod, interested, all, nodeOf)
  }
  if ('kind' in left) return left
  const remaining = left
  if (remaining.length > 1) {
    const asked = interested.filter(({ prioritizes }) => prioritizes)
    if (asked.length > 0) {
      halves.score()
      const answers = yield asked.map((one) => one.request('prioritize', extenderArgs(one, pod, remaining, nodeOf)))
      for (const [i, extender] of asked.entries()) addScores(halves, extender, answers[i], remaining)
    }
  }
  const result = halves.finish()
  const reviewers = interested.filter(({ preempts }) => preempts)
  if (review.candidates === undefined || reviewers.length === 0) return result
  review.verdict = yield* reviewCandidates(review.candidates, pod, reviewers, cluster())
  return halves.finish()
}

/** The nodes that the extenders accept, or the error of an extender that is not ignorable. */
function* filterNodes(
  halves: ScheduleHalves,
  pod: Pod,
  interested: readonly Extender[],
  nodes: readonly string[],
  nodeOf: (name: string) => Node | undefined,
): Generator<readonly ExtenderRequest[], readonly string[] | CycleResult, readonly ExtenderAnswer[]> {
  let left = nodes
  for (const extender of interested) {
    if (left.length === 0) break
    if (!extender.filters) continue
    const [answer] = yield [extender.request('filter', extenderArgs(extender, pod, left, nodeOf))]
    const outcome = filterOutcome(extender, answer, left)
    if (outcome.kind === 'failed') {
      if (extender.ignorable) continue
      return { kind: 'error', message: outcome.message, nominating: clearNomination }
    }
    for (const name of left) {
      if (outcome.nodes.has(name)) continue
      const final = outcome.unresolvable.get(name)
      const reason = final ?? outcome.failed.get(name)
      if (reason === undefined) halves.refuse(name)
      else halves.refuse(name, final === undefined ? unschedulable(reason) : unresolvable(reason))
    }
    left = left.filter((name) => outcome.nodes.has(name))
  }
  return left
}

function extenderArgs(
  extender: Extender,
  pod: Pod,
  names: readonly string[],
  nodeOf: (name: string) => Node | undefined,
): object {
  if (extender.nodeCacheCapable) return { Pod: pod, Nodes: null, NodeNames: names }
  const items = names.flatMap((name) => nodeOf(name) ?? [])
  return { Pod: pod, Nodes: { metadata: {}, items }, NodeNames: null }
}

type FilterOutcome =
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'filtered'
      readonly nodes: ReadonlySet<string>
      readonly failed: ReadonlyMap<string, string>
      readonly unresolvable: ReadonlyMap<string, string>
    }

function filterOutcome(
  extender: Extender,
  answer: ExtenderAnswer | undefined,
  asked: readonly string[],
): FilterOutcome {
  if (answer === undefined || !answer.ok) return { kind: 'failed', message: answer?.message ?? 'no answer' }
  const error = fieldOf(answer.body, 'Error')
  if (typeof error === 'string' && error !== '') return { kind: 'failed', message: error }
  const names = fieldOf(answer.body, 'NodeNames')
  const nodes = new Set<string>()
  if (extender.nodeCacheCapable && Array.isArray(names)) {
    for (const name of names as string[]) {
      if (!asked.includes(name)) {
        const message = `extender "${extender.name}" claims a filtered node "${name}" which is not found in the input node list`
        return { kind: 'failed', message }
      }
      nodes.add(name)
    }
  } else {
    const items = fieldOf(fieldOf(answer.body, 'Nodes'), 'items')
    if (Array.isArray(items)) for (const node of items as Node[]) nodes.add(node.metadata.name)
  }
  return {
    kind: 'filtered',
    nodes,
    failed: reasonsOf(fieldOf(answer.body, 'FailedNodes')),
    unresolvable: reasonsOf(fieldOf(answer.body, 'FailedAndUnresolvableNodes')),
  }
}

function reasonsOf(map: unknown): ReadonlyMap<string, string> {
  return new Map(Object.entries((map ?? {}) as Record<string, string>))
}

/** An extender that fails to score is ignored. */
function addScores(
  halves: ScheduleHalves,
  extender: Extender,
  answer: ExtenderAnswer | undefined,
  left: readonly string[],
): void {
  if (answer === undefined || !answer.ok || !Array.isArray(answer.body)) return
  for (const entry of answer.body) {
    const host = fieldOf(entry, 'Host')
    const score = fieldOf(entry, 'Score')
    if (typeof host !== 'string' || typeof score !== 'number' || !left.includes(host)) continue
    halves.addScore(host, extender.name, score * extender.weight * scoreScale)
  }
}
