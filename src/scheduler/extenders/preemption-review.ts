import type { Pod } from '../../api/objects/pod.ts'
import type { ClusterState, ParsedPod, Victims } from '../contract/contract.ts'
import type { Extender, ExtenderAnswer, ExtenderRequest } from './extender.ts'
import { fieldOf } from './extender.ts'

/**
 * Lets extenders review preemption, which cannot wait for an answer. The first run records the candidates; the second
 * run uses the answer of the extenders instead.
 */
export class CandidateReview {
  candidates: readonly Victims[] | undefined
  verdict: readonly Victims[] | string | undefined

  take(candidates: readonly Victims[]): readonly Victims[] | string {
    if (this.verdict !== undefined) return this.verdict
    this.candidates = candidates
    return candidates
  }
}

/** Calls the extenders one after the other with the remaining candidates (v1.36, Evaluator.callExtenders). */
export function* reviewCandidates(
  candidates: readonly Victims[],
  pod: Pod,
  extenders: readonly Extender[],
  cluster: ClusterState,
): Generator<readonly ExtenderRequest[], readonly Victims[] | string, readonly ExtenderAnswer[]> {
  let left = candidates
  for (const extender of extenders) {
    const [answer] = yield [extender.request('preempt', preemptionArgs(extender, pod, left))]
    const reviewed =
      answer === undefined || !answer.ok ? (answer?.message ?? 'no answer') : victimsOf(answer.body, extender, cluster)
    if (typeof reviewed === 'string') {
      if (extender.ignorable) continue
      return reviewed
    }
    const empty = reviewed.find(({ pods }) => pods.length === 0)
    if (empty !== undefined && !extender.ignorable) return `expected at least one victim pod on node "${empty.node}"`
    left = reviewed.filter(({ pods }) => pods.length > 0)
    if (left.length === 0) break
  }
  return left
}

/** Extenders with a node cache receive names and UIDs, others receive the pods. */
function preemptionArgs(extender: Extender, pod: Pod, candidates: readonly Victims[]): object {
  const byNode = (describe: (victim: ParsedPod) => unknown): object =>
    Object.fromEntries(
      candidates.map(({ node, pods, budgetViolations }) => [
        node,
        { Pods: pods.map(describe), NumPDBViolations: budgetViolations },
      ]),
    )
  return extender.nodeCacheCapable
    ? { Pod: pod, NodeNameToVictims: null, NodeNameToMetaVictims: byNode(({ uid }) => ({ UID: uid })) }
    : { Pod: pod, NodeNameToVictims: byNode((victim) => victim.pod), NodeNameToMetaVictims: null }
}

function victimsOf(body: unknown, extender: Extender, cluster: ClusterState): readonly Victims[] | string {
  const left: Victims[] = []
  for (const [node, victims] of Object.entries((fieldOf(body, 'NodeNameToMetaVictims') ?? {}) as object)) {
    const state = cluster.node(node)
    if (state === undefined) return `nodeinfo not found for node name "${node}"`
    const pods: ParsedPod[] = []
    for (const meta of (fieldOf(victims, 'Pods') ?? []) as readonly unknown[]) {
      const uid = fieldOf(meta, 'UID')
      const pod = state.pods.find((one) => one.uid === uid)
      if (pod === undefined) {
        return `extender: ${extender.name} claims to preempt pod (UID: ${String(uid)}) on node: ${node}, but the pod is not found on that node`
      }
      pods.push(pod)
    }
    left.push({ node, pods, budgetViolations: Number(fieldOf(victims, 'NumPDBViolations') ?? 0) })
  }
  return left
}
