export const ttlAnnotation = 'node.alpha.kubernetes.io/ttl'

/** The sizes overlap, so that a single node more or less does not change the annotation of all others. */
const steps = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: 2 ** 31 - 1, seconds: 300 },
] as const

export const ttlSecondsOf = (step: number): number => steps[step]?.seconds ?? 0

/** The step after one node was added or removed. */
export function nextStep(step: number, count: number): number {
  const { min, max } = steps[step] ?? steps[0]
  if (count > max) return step + 1
  return count < min ? step - 1 : step
}
