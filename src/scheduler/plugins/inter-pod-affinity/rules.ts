import { unresolvable, unschedulable } from '../../contract/status.ts'

export const affinityBroken = unresolvable("node(s) didn't match pod affinity rules")
export const antiAffinityBroken = unschedulable("node(s) didn't match pod anti-affinity rules")
export const existingAntiAffinityBroken = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")

/** Scales the lowest score to 0 and the highest to 100. Equal scores become 0. */
export function normalizeAffinity(scores: Float64Array): void {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number
    if (score < least) least = score
    if (score > most) most = score
  }
  const range = most - least
  for (let i = 0; i < scores.length; i++) {
    scores[i] = range > 0 ? Math.trunc(100 * (((scores[i] as number) - least) / range)) : 0
  }
}
