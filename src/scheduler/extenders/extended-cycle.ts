import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ClusterState, CycleResult, ReviewCandidates, ScheduleHalves } from '../contract/contract.ts'
import { unresolvable, unschedulable } from '../contract/contract.ts'
import { clearNomination } from '../contract/post-filter.ts'
import type { Extender, ExtenderAnswer, ExtenderRequest } from './extender.ts'
import { fieldOf } from './extender.ts'
import { CandidateReview, reviewCandidates } from './preemption-review.ts'

/** Scores of extenders go to 10, those of plugins to 100. */
const scoreScale = 10

export interface ExtendedCycleInput {
  readonly pod: Pod
  readonly extenders: readonly Extender[]
  /** The first half of the cycle, which will show preemption's candidates to `review`. */
  begin(review: ReviewCandidates): ScheduleHalves
  cluster(): ClusterState
}

/** A cycle that stops to ask: it yields questions, to be answered all together and in their order. */
export type ExtendedCycle = Generator<readonly ExtenderRequest[], CycleResult, readonly ExtenderAnswer[]>

/**
 * One scheduling cycle with extenders: they narrow the feasible nodes one after the other, then score what is left all
 * at once (v1.36, findNodesThatPassExtenders and prioritizeNodes).
 */
export function* runExtended({ begin, pod, extenders, cluster }: ExtendedCycleInput): ExtendedCycle {
  const review = new CandidateReview()
  const halves = begin((candidates) => review.take(candidates))
  const nodeOf = (name: string): Node | undefined => cluster().node(name)?.node
  const { filtered } = halves
  if ('kind' in filtered) return filtered
  const interested = extenders.filter((extender) => extender.isInterestedIn(pod))
  let left = yield* filterNodes(halves, pod, interested, filtered, nodeOf)
  // The node that the pod is nominated to is no more than the first that is tried.
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

/** What the extenders leave of the nodes; the error of one that cannot be done without. */
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

/** An extender that cannot score is passed over: the others decide. */
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
