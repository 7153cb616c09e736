import { done, failed, type Result } from '../base/result.ts'
import type { RateLimit } from '../base/token-bucket.ts'

/** The rate limit of a controller's client; the flags `kube-api-qps` and `kube-api-burst`. */
export interface RequestLimits extends RateLimit {
  /** Requests that wait are sent in batches. Default: each request is sent at its own instant. */
  readonly batched?: boolean
}

/** The limit of each controller of kube-controller-manager (v1.36, pkg/controller/apis/config, GenericControllerManager). */
export const upstreamRequestLimits: RequestLimits = { perSecond: 20, burst: 30 }

/** Reads the two flags. Absent ones have upstream's defaults; a rate of 0 or less means no limit, as in client-go. */
export function readRequestLimits(flags: Readonly<Record<string, unknown>>): Result<RequestLimits | undefined> {
  const read: Record<string, number> = {}
  for (const [name, fallback] of [
    ['kube-api-qps', upstreamRequestLimits.perSecond],
    ['kube-api-burst', upstreamRequestLimits.burst],
  ] as const) {
    const value = flags[name] ?? fallback
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      return failed(`${name}: ${JSON.stringify(value)} is not a number`)
    }
    read[name] = number
  }
  const perSecond = read['kube-api-qps'] as number
  return done(perSecond <= 0 ? undefined : { perSecond, burst: read['kube-api-burst'] as number })
}
