import { type CloudTrouble, troubled } from './contract.ts'

export interface Trouble {
  readonly ok: false
  readonly trouble: CloudTrouble
  readonly message: string
  /** Temporary: a retry may succeed. */
  readonly passes?: true
  readonly retryAfterMs?: number
  /** The fingerprint of the change is outdated. */
  readonly isStale?: true
}

const rateLimits = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED'])
const passing = new Set(['backendError', 'internalError', 'resourceNotReady', 'RESOURCE_NOT_READY', 'INTERNAL_ERROR'])

/** Classifies a status code and a reason of Compute Engine. Quotas, rate limits and missing permissions are all 403. */
export function readTrouble(code: number, reason: string, message: string): Trouble {
  const text = `${code}${reason === '' ? '' : ` ${reason}`}: ${message}`
  if (code === 429 || rateLimits.has(reason)) return { ...troubled('exhausted', text), passes: true }
  if (/quota/i.test(reason)) return troubled('exhausted', text)
  if (code === 401) return { ...troubled('denied', text), passes: true }
  if (code === 403) return troubled('denied', text)
  if (code === 404) return troubled('not-found', text)
  if (code === 412 || reason === 'conditionNotMet') return { ...troubled('invalid', text), isStale: true }
  if (code >= 500 || passing.has(reason)) return { ...troubled('unavailable', text), passes: true }
  return troubled('invalid', text)
}
