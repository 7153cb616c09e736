import type { StepContext } from './step-context.ts'

/** The work on one item. It ends when it calls `finished`, immediately or in a later step. */
export type LaneWork<T> = (item: T, context: StepContext, finished: (context: StepContext) => void) => void

/** Works on items in order, `width` at a time, and calls `afterAll` at the end. */
export function runInLanes<T>(
  items: readonly T[],
  width: number,
  context: StepContext,
  work: LaneWork<T>,
  afterAll: (context: StepContext) => void,
): void {
  let next = 0
  let active = 0
  let isAdvancing = false
  const advance = (now: StepContext): void => {
    // Work that ends immediately calls this from within the loop, which continues by itself.
    if (isAdvancing) return
    isAdvancing = true
    while (active < width && next < items.length) {
      active++
      work(items[next++] as T, now, finished)
    }
    isAdvancing = false
    if (active === 0) afterAll(now)
  }
  const finished = (later: StepContext): void => {
    active--
    advance(later)
  }
  advance(context)
}
