import type { ScalingRules } from '../../api/objects/autoscaling.ts'

/** A number of replicas, with the reason and message of its condition. */
export interface Limited {
  readonly replicas: number
  readonly reason: string
  readonly message: string
}

interface Recommendation {
  readonly replicas: number
  readonly at: number
}

interface ScaleEvent {
  readonly change: number
  readonly at: number
  readonly isOutdated: boolean
}

export interface Bounds {
  readonly current: number
  readonly desired: number
  readonly min: number
  readonly max: number
}

export interface Behavior {
  readonly up: ScalingRules
  readonly down: ScalingRules
}

const withinRange = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' }
const tooFew = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
}
const tooMany = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
}
const upLimit = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
}
const downLimit = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
}
const downStabilized = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
}
const upStabilized = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
}

/** The recent recommendations and changes of one autoscaler. Old samples are replaced, as in upstream. */
export class ScalingHistory {
  private readonly recommendations: Recommendation[]
  private readonly ups: ScaleEvent[] = []
  private readonly downs: ScaleEvent[] = []

  constructor(replicas: number, now: number) {
    this.recommendations = [{ replicas, at: now }]
  }

  /** Without `behavior`: the highest recommendation of the window (v1.36, stabilizeRecommendation). */
  stabilize(desired: number, windowMs: number, now: number): Limited {
    let replicas = desired
    let old: number | undefined
    for (const [index, { replicas: recommended, at }] of this.recommendations.entries()) {
      if (at < now - windowMs) old = index
      else if (recommended > replicas) replicas = recommended
    }
    this.record(desired, now, old)
    return { replicas, ...downStabilized }
  }

  /** v1.36, stabilizeRecommendationWithBehaviors. */
  stabilizeWith({ up, down }: Behavior, { current, desired }: Bounds, now: number): Limited {
    const upAfter = now - (up.stabilizationWindowSeconds ?? 0) * 1000
    const downAfter = now - (down.stabilizationWindowSeconds ?? 0) * 1000
    let lowest = desired
    let highest = desired
    let old: number | undefined
    for (const [index, { replicas, at }] of this.recommendations.entries()) {
      if (at > upAfter) lowest = Math.min(lowest, replicas)
      if (at > downAfter) highest = Math.max(highest, replicas)
      if (at < upAfter && at < downAfter) old = index
    }
    this.record(desired, now, old)
    const replicas = Math.min(Math.max(current, lowest), highest)
    return { replicas, ...(desired >= current ? upStabilized : downStabilized) }
  }

  /** v1.36, convertDesiredReplicasWithBehaviorRate. */
  limitWith({ up, down }: Behavior, { current, desired, min, max }: Bounds, now: number): Limited {
    if (desired > current) {
      const limit = Math.max(this.policyLimit('up', up, current, now), current)
      const [allowed, words] = max > limit ? [limit, upLimit] : [max, tooMany]
      if (desired > allowed) return { replicas: allowed, ...words }
    } else if (desired < current) {
      const limit = Math.min(this.policyLimit('down', down, current, now), current)
      const [allowed, words] = min < limit ? [limit, downLimit] : [min, tooFew]
      if (desired < allowed) return { replicas: allowed, ...words }
    }
    return { replicas: desired, ...withinRange }
  }

  scaled(before: number, after: number, { up, down }: Behavior, now: number): void {
    const [events, rules] = after > before ? [this.ups, up] : [this.downs, down]
    const longestMs = Math.max(0, ...(rules.policies ?? []).map(({ periodSeconds }) => periodSeconds)) * 1000
    let old: number | undefined
    for (const [index, event] of events.entries()) {
      if (!event.isOutdated && event.at < now - longestMs) events[index] = { ...event, isOutdated: true }
      if (events[index]?.isOutdated === true) old = index
    }
    const event = { change: Math.abs(after - before), at: now, isOutdated: false }
    if (old === undefined) events.push(event)
    else events[old] = event
  }

  private record(replicas: number, at: number, old: number | undefined): void {
    if (old === undefined) this.recommendations.push({ replicas, at })
    else this.recommendations[old] = { replicas, at }
  }

  /**
   * The number that the policies of a direction allow: the number farthest from the current one, or with Min the
   * nearest.
   */
  private policyLimit(direction: 'up' | 'down', rules: ScalingRules, current: number, now: number): number {
    const { selectPolicy, policies = [] } = rules
    if (selectPolicy === 'Disabled') return current
    const proposed = policies.map(({ type, value, periodSeconds }) => {
      const start = this.atStartOf(periodSeconds, current, now)
      if (direction === 'up') return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100))
      return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100))
    })
    return (direction === 'up') === (selectPolicy !== 'Min') ? Math.max(...proposed) : Math.min(...proposed)
  }

  private atStartOf(periodSeconds: number, current: number, now: number): number {
    const changed = (events: readonly ScaleEvent[]) =>
      events.reduce((sum, { change, at }) => (at > now - periodSeconds * 1000 ? sum + change : sum), 0)
    return current - changed(this.ups) + changed(this.downs)
  }
}

/** Without `behavior`: at most twice the replicas, or four (v1.36, convertDesiredReplicasWithRules). */
export function limitByRules({ current, desired, min, max }: Bounds): Limited {
  const limit = Math.max(2 * current, 4)
  const [allowed, words] = max > limit ? [limit, upLimit] : [max, tooMany]
  if (desired < min) return { replicas: min, ...tooFew }
  return desired > allowed ? { replicas: allowed, ...words } : { replicas: desired, ...withinRange }
}
