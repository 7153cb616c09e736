import { scaledQuotient } from './quotient.ts'

export const maxScore = 100

/** Scales the scores so that the highest becomes 100 (v1.36, plugins/helper DefaultNormalizeScore). */
export function higherIsBetter(scores: Float64Array): void {
  const most = highest(scores)
  if (most === 0) return
  for (let i = 0; i < scores.length; i++) scores[i] = scaledQuotient(scores[i] as number, maxScore, most)
}

/** Scales and reverses the scores: 0 becomes 100 and the highest becomes 0. */
export function lowerIsBetter(scores: Float64Array): void {
  const most = highest(scores)
  for (let i = 0; i < scores.length; i++) {
    scores[i] = most === 0 ? maxScore : maxScore - scaledQuotient(scores[i] as number, maxScore, most)
  }
}

function highest(scores: Float64Array): number {
  let most = 0
  for (let i = 0; i < scores.length; i++) if ((scores[i] as number) > most) most = scores[i] as number
  return most
}
