/**
 * The instants of monitoring passes: one period after the end of the previous pass. A pass without waiting requests
 * takes no virtual time, so the passes form a grid, which includes the passes that were skipped because they had
 * nothing to do.
 */
export class PassSchedule {
  private readonly periodMs: number
  /** An instant of the grid: the end of the last pass. */
  private phaseAt = 0

  constructor(periodMs: number) {
    this.periodMs = periodMs
  }

  /** Records the end of a pass. The next pass is one period later. */
  ended(at: number): void {
    this.phaseAt = at
  }

  /** The first pass at or after an instant. */
  private at(instant: number): number {
    return this.phaseAt + Math.ceil((instant - this.phaseAt) / this.periodMs) * this.periodMs
  }

  /** The first pass after an instant: a heartbeat at the instant of a pass is seen by the next one. */
  after(instant: number): number {
    return this.upTo(instant) + this.periodMs
  }

  /** The last pass at or before an instant. */
  upTo(instant: number): number {
    return this.phaseAt + Math.floor((instant - this.phaseAt) / this.periodMs) * this.periodMs
  }

  /** The first pass after the last one that took place, but not before an instant. */
  next(instant: number): number {
    return Math.max(this.at(instant), this.phaseAt + this.periodMs)
  }
}
