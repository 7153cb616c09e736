/**
 * When monitoring passes take place: every period, counted from the end of the one before. In virtual time a pass takes
 * no time, so they form a grid; the instants of passes that had nothing to do, and were skipped, are on it too.
 */
export class PassSchedule {
  private readonly periodMs: number
  /** An instant of the grid: where the last pass ended. */
  private phaseAt = 0

  constructor(periodMs: number) {
    this.periodMs = periodMs
  }

  /** A pass has ended; the next is a period later. */
  ended(at: number): void {
    this.phaseAt = at
  }

  /** The first pass at or after an instant. */
  private at(instant: number): number {
    return this.phaseAt + Math.ceil((instant - this.phaseAt) / this.periodMs) * this.periodMs
  }

  /** The first pass after an instant: a sign of life that comes with a pass is seen by the one that follows. */
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
