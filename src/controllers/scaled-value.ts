import type { IntOrString } from '../api/objects/meta.ts'

/**
 * An integer unchanged, or a percentage of `total`, rounded in the given direction; 0 for anything else, which
 * validation rejects.
 */
export function scaledValue(value: IntOrString | undefined, total: number, rounding: 'up' | 'down'): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const percent = percentIn(value)
  if (percent === undefined) return 0
  const exact = (percent * total) / 100
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact)
}

/** Digits and a percent sign. Parsed by hand, because it runs for each status of each Deployment. */
function percentIn(text: string): number | undefined {
  const last = text.length - 1
  if (last < 1 || text[last] !== '%') return undefined
  let percent = 0
  for (let at = 0; at < last; at++) {
    const digit = text.charCodeAt(at) - zero
    if (digit < 0 || digit > 9) return undefined
    percent = percent * 10 + digit
  }
  return percent
}

const zero = 48

/**
 * The numbers of pods by which a rolling update may exceed and fall below the wanted number. If both are zero, one pod
 * may be unavailable, because a quota might prevent a surge (v1.36, deployment/util ResolveFenceposts).
 */
export function rollingLimits(
  { maxSurge, maxUnavailable }: { readonly maxSurge?: IntOrString; readonly maxUnavailable?: IntOrString },
  wanted: number,
): { readonly surge: number; readonly unavailable: number } {
  const surge = scaledValue(maxSurge, wanted, 'up')
  const unavailable = scaledValue(maxUnavailable, wanted, 'down')
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}
