import type { Moment } from './moment.ts'

/** What is done with one item. It ends when it calls `finished`, at once or in a later step. */
export type Work<T> = (item: T, moment: Moment, finished: (moment: Moment) => void) => void

/** Works on items in order, so many at a time, and then does what comes after. */
export function runInLanes<T>(
  items: readonly T[],
  width: number,
  moment: Moment,
  work: Work<T>,
  afterAll: (moment: Moment) => void,
): void {
  let next = 0
  let active = 0
  let isAdvancing = false
  const advance = (now: Moment): void => {
    // Work that ends at once comes back here from within the loop, which goes on by itself.
    if (isAdvancing) return
    isAdvancing = true
    while (active < width && next < items.length) {
      active++
      work(items[next++] as T, now, finished)
    }
    isAdvancing = false
    if (active === 0) afterAll(now)
  }
  const finished = (later: Moment): void => {
    active--
    advance(later)
  }
  advance(moment)
}
