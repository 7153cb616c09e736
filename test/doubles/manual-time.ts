import type { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { RunDriver } from '../../src/runtime/run-driver.ts'

// A client in the same process answers after a few promises have been resolved one after the other; a watch that is
// taken up again shows what it missed a promise later. Generous, for it costs next to nothing.
const promisesDeep = 20

/** Lets a run driver on a manual clock do everything that it can do without time passing. */
export async function comeToRest(driver: RunDriver): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < promisesDeep; i++) await Promise.resolve()
    await driver.idle()
  }
}

/** Moves a manual clock through every instant at which something is due, and waits for the driver at each. */
export function letTimePass(driver: RunDriver, clock: VirtualClock, ms: number): Promise<void> {
  return passTime(clock, ms, () => comeToRest(driver))
}

/** The same for other components. */
export async function passTime(clock: VirtualClock, ms: number, rest: () => Promise<void>): Promise<void> {
  const until = clock.now() + ms
  await rest()
  for (let next = clock.nextDeadline(); next !== undefined && next <= until; next = clock.nextDeadline()) {
    clock.advanceTo(Math.max(next, clock.now()))
    await rest()
  }
  clock.advanceTo(until)
  await rest()
}
