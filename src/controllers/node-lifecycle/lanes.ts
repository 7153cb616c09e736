import type { Moment } from './moment.ts'

/** Work that ends when it calls `finished`, at once or in a later step. */
export type Task = (moment: Moment, finished: (moment: Moment) => void) => void

/** Does tasks in order, so many at a time, and then what comes after. */
export function runInLanes(
  tasks: readonly Task[],
  width: number,
  moment: Moment,
  afterAll: (moment: Moment) => void,
): void {
  let next = 0
  let active = 0
  let isAdvancing = false
  const advance = (now: Moment): void => {
    // A task that ends at once comes back here from within the loop, which goes on by itself.
    if (isAdvancing) return
    isAdvancing = true
    while (active < width && next < tasks.length) {
      const task = tasks[next++] as Task
      active++
      task(now, (later) => {
        active--
        advance(later)
      })
    }
    isAdvancing = false
    if (active === 0) afterAll(now)
  }
  advance(moment)
}
