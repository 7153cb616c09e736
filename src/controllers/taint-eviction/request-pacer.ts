import { done, failed, type Result } from '../../base/result.ts'

/** How many requests a client sends; the flags `kube-api-qps` and `kube-api-burst`. */
export interface RequestLimits {
  readonly perSecond: number
  readonly burst: number
  /** Requests that wait are sent in groups. Default: each at its instant. */
  readonly grouped?: boolean
}

/** What kube-controller-manager's controllers each have (v1.36, pkg/controller/apis/config, GenericControllerManager). */
export const upstreamRequestLimits: RequestLimits = { perSecond: 20, burst: 30 }

// How long a group lasts once requests have had to wait for so long.
const GROUPS: readonly (readonly [shortForMs: number, groupMs: number])[] = [
  [300_000, 1000],
  [60_000, 500],
  [10_000, 250],
]
const SHORTEST_GROUP_MS = 100

/**
 * Requests that wait are sent together at the end of a small span of time, because every instant of virtual time costs the
 * same, whatever happens in it. The span grows with the time for which the client has been short: after minutes of that no
 * cluster keeps to a second.
 */
export class RequestGroups {
  private readonly longestMs: number
  private shortSince: number | undefined

  constructor({ perSecond, burst }: RequestLimits) {
    // Within a longer one more would come together than may be sent at once.
    this.longestMs = (700 * burst) / perSecond
  }

  /** Nobody waits, and as much may be sent at once as ever. */
  rested(): void {
    this.shortSince = undefined
  }

  /** When a request is sent whose turn would be at `at`. */
  endOf(at: number, now: number): number {
    this.shortSince ??= now
    const shortForMs = now - this.shortSince
    const found = GROUPS.find(([sinceMs, groupMs]) => shortForMs >= sinceMs && groupMs <= this.longestMs)
    const groupMs = found?.[1] ?? SHORTEST_GROUP_MS
    return Math.ceil(at / groupMs) * groupMs
  }
}

/**
 * The wait that upstream's client imposes on its callers. Every request is given its instant when it is asked for, first
 * come, first served (client-go flowcontrol over golang.org/x/time/rate). So when many pods are due at once, the last of
 * the first requests goes before the first of the second ones: the deletions come together, late.
 */
export class RequestPacer {
  private readonly limits: RequestLimits | undefined
  private readonly groups: RequestGroups | undefined
  private tokens: number
  private countedAt = Number.NEGATIVE_INFINITY

  /** Without limits nobody waits. */
  constructor(limits: RequestLimits | undefined) {
    this.limits = limits
    this.groups = limits?.grouped === true ? new RequestGroups(limits) : undefined
    this.tokens = limits?.burst ?? 0
  }

  /** The instant at which a request that is asked for now may be sent. */
  reserve(now: number): number {
    if (this.limits === undefined) return now
    const { perSecond, burst } = this.limits
    const tokens = Math.min(burst, this.tokens + ((now - this.countedAt) * perSecond) / 1000)
    if (tokens === burst) this.groups?.rested()
    this.tokens = tokens - 1
    this.countedAt = now
    if (this.tokens >= 0) return now
    const at = now - (this.tokens * 1000) / perSecond
    return this.groups?.endOf(at, now) ?? at
  }
}

/** Reads the two flags; absent ones are upstream's, and a rate of 0 or less means no limit, as client-go has it. */
export function readRequestLimits(flags: Readonly<Record<string, unknown>>): Result<RequestLimits | undefined> {
  const read: Record<string, number> = {}
  for (const [name, fallback] of [
    ['kube-api-qps', upstreamRequestLimits.perSecond],
    ['kube-api-burst', upstreamRequestLimits.burst],
  ] as const) {
    const value = flags[name] ?? fallback
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      return failed(`${name}: ${JSON.stringify(value)} is no number`)
    }
    read[name] = number
  }
  const perSecond = read['kube-api-qps'] as number
  return done(perSecond <= 0 ? undefined : { perSecond, burst: read['kube-api-burst'] as number })
}
