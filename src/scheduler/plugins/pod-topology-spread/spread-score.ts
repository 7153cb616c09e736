import type { Pod } from '../../../api/objects/pod.ts'
import { unresolvable, unschedulable } from '../../contract/status.ts'
import { scaledQuotient } from '../../framework/quotient.ts'
import type { SpreadSettings } from './constraints.ts'
import { naturalLogarithm } from './natural-logarithm.ts'

export const labelMissing = unresolvable(
  "node(s) didn't match pod topology spread constraints (missing required label)",
)
export const tooUneven = unschedulable("node(s) didn't match pod topology spread constraints")

/** The lowest count without domains: every skew is within the limit. */
export const noDomain = 2 ** 31 - 1

export function needsAllKeys(pod: Pod, settings: SpreadSettings): boolean {
  return (pod.spec.topologySpreadConstraints ?? []).length > 0 || !settings.systemDefaults
}

/** Labels with many domains weigh more. Otherwise hostnames would outweigh zones. */
export function domainWeight(domains: number): number {
  return naturalLogarithm(domains + 2)
}

/** Nodes with fewer matching pods score higher. Ignored nodes score 0 (PodTopologySpread.NormalizeScore). */
export function normalizeSpread(scores: Float64Array, isIgnored: (i: number) => boolean): void {
  let least = Number.MAX_SAFE_INTEGER
  let most = 0
  for (let i = 0; i < scores.length; i++) {
    if (isIgnored(i)) continue
    const score = scores[i] as number
    if (score < least) least = score
    if (score > most) most = score
  }
  for (let i = 0; i < scores.length; i++) {
    if (isIgnored(i)) scores[i] = 0
    else scores[i] = most === 0 ? 100 : scaledQuotient(most + least - (scores[i] as number), 100, most)
  }
}
