import { invalid } from '../errors/field-error.ts'
import { negative } from './meta.ts'
import { percentProblems, push } from './names.ts'
import type { Errors } from './reader.ts'

/** An integer or a percentage, for maxUnavailable, minAvailable and maxSurge. */
export type Share = number | string

export function checkShare(errors: Errors, share: Share, path: string): void {
  if (typeof share === 'string') push(errors, path, share, percentProblems(share))
  else if (share < 0) errors.push(invalid(path, share, negative))
}

function percentOf(share: Share): number | undefined {
  return typeof share === 'string' && /^[0-9]+%$/.test(share) ? Number(share.slice(0, -1)) : undefined
}

export function checkAtMostAll(errors: Errors, share: Share, path: string): void {
  if ((percentOf(share) ?? 0) > 100) errors.push(invalid(path, share, 'must not be greater than 100%'))
}

/** Reads a string that is not a percentage as intstr does: as the number at its start, or zero. */
export function isZero(share: Share): boolean {
  if (typeof share === 'number') return share === 0
  return (percentOf(share) ?? (/^[+-]?\d+$/.test(share) ? Number(share) : 0)) === 0
}
