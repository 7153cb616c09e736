import { RequestGroups, type RequestLimits } from '../controllers/taint-eviction/request-pacer.ts'
import type { Action, Controller, StepInput, StepOutput } from '../runtime/controller.ts'

/**
 * A controller whose calls wait for their turn as they do behind client-go's rate limiter. In virtual time every other
 * wait is gone, but this one decides how long the eviction of a zone takes.
 */
export function withCallRate(controller: Controller, rate: RequestLimits): Controller {
  const limited = new LimitedCalls(controller, rate)
  const { inspect } = controller
  return {
    name: controller.name,
    watches: controller.watches,
    step: (input) => limited.step(input),
    ...(inspect === undefined ? {} : { inspect: (now: number) => inspect.call(controller, now) }),
  }
}

const SILENT: StepOutput = {}
/** Never added to. */
const NONE: Action[] = []

class LimitedCalls {
  private readonly controller: Controller
  private readonly rate: RequestLimits
  private readonly groups: RequestGroups
  private readonly lanes = new Map<string, Lane>()
  private waiting = 0
  private tokens: number
  private filledAt = Number.NEGATIVE_INFINITY
  private ownWakeAt: number | undefined = Number.NEGATIVE_INFINITY

  constructor(controller: Controller, rate: RequestLimits) {
    this.controller = controller
    this.rate = rate
    this.groups = new RequestGroups(rate)
    this.tokens = rate.burst
  }

  step(input: StepInput): StepOutput {
    const { now, changes, results, answers } = input
    const isNews = changes.length > 0 || results.length > 0 || answers.length > 0
    let output: StepOutput = SILENT
    let actions: Action[] = NONE
    if (isNews || (this.ownWakeAt !== undefined && this.ownWakeAt <= now)) {
      output = this.controller.step(input)
      this.ownWakeAt = output.wakeAt
      const made = output.actions
      if (made !== undefined && made.length > 0) {
        actions = []
        for (const action of made) this.take(action, actions)
      }
    }
    if (this.waiting > 0) {
      if (actions === NONE) actions = []
      this.release(now, actions)
    }
    const wakeAt = Math.min(this.ownWakeAt ?? Number.POSITIVE_INFINITY, this.nextReleaseAt(now))
    const own = wakeAt === Number.POSITIVE_INFINITY ? { actions } : { actions, wakeAt }
    const { asks, watches } = output
    if (asks === undefined && watches === undefined) return own
    return { ...own, ...(asks === undefined ? {} : { asks }), ...(watches === undefined ? {} : { watches }) }
  }

  private take(action: Action, actions: Action[]): void {
    // Events go through a client of their own.
    if (action.kind === 'event') {
      actions.push(action)
      return
    }
    const { resource } = action.call
    let lane = this.lanes.get(resource)
    if (lane === undefined) {
      lane = new Lane()
      this.lanes.set(resource, lane)
    }
    lane.push(action)
    this.waiting++
  }

  private release(now: number, actions: Action[]): void {
    this.fill(now)
    while (this.tokens >= 1 && this.waiting > 0) {
      for (const lane of this.lanes.values()) {
        if (this.tokens < 1) break
        const action = lane.shift()
        if (action === undefined) continue
        this.tokens--
        this.waiting--
        actions.push(action)
      }
    }
  }

  private fill(now: number): void {
    const { perSecond, burst } = this.rate
    if (this.filledAt === Number.NEGATIVE_INFINITY) this.filledAt = now
    // Sums of fractions must not fall short of a whole token by a rounding error.
    const tokens = this.tokens + ((now - this.filledAt) * perSecond) / 1000 + 1e-9
    this.tokens = Math.min(burst, tokens)
    if (this.tokens === burst) this.groups.rested()
    this.filledAt = now
  }

  private nextReleaseAt(now: number): number {
    if (this.waiting === 0) return Number.POSITIVE_INFINITY
    const tokenMs = ((1 - this.tokens) * 1000) / this.rate.perSecond
    return this.groups.endOf(now + Math.max(1, Math.ceil(tokenMs)), now)
  }
}

/**
 * What waits for its turn among calls on one resource. Upstream's workers wait for each call before they make another, so
 * that thousands of calls of one worker do not stand before the only one of another; lanes that take turns do the same.
 */
class Lane {
  private queue: Action[] = []
  private head = 0

  push(action: Action): void {
    this.queue.push(action)
  }

  shift(): Action | undefined {
    const action = this.queue[this.head]
    if (action === undefined) return undefined
    this.head++
    if (this.head === this.queue.length) {
      this.queue = []
      this.head = 0
    }
    return action
  }
}
