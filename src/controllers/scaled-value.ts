import type { IntOrString } from '../api/objects/meta.ts'

const PERCENT = /^([0-9]+)%$/

/** A number as it is, a percentage of `total` rounded as told; anything else, which validation keeps out, is nothing. */
export function scaledValue(value: IntOrString | undefined, total: number, rounding: 'up' | 'down'): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const percent = PERCENT.exec(value)?.[1]
  if (percent === undefined) return 0
  const exact = (Number(percent) * total) / 100
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact)
}

/**
 * How far a rolling update may go above and below the wanted number. Where both come to nothing, one may be missing:
 * a surge might not be possible for want of quota (v1.36, deployment/util ResolveFenceposts).
 */
export function rollingLimits(
  { maxSurge, maxUnavailable }: { readonly maxSurge?: IntOrString; readonly maxUnavailable?: IntOrString },
  wanted: number,
): { readonly surge: number; readonly unavailable: number } {
  const surge = scaledValue(maxSurge, wanted, 'up')
  const unavailable = scaledValue(maxUnavailable, wanted, 'down')
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}
