import type { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { RunDriver } from '../../src/runtime/run-driver.ts'

// A client in the same process answers after a chain of a few promises; a watch that
// resumes shows missed events one promise later. The number is generous, because a turn costs little.
const promisesDeep = 20

/** Runs all work of a run driver on a manual clock that is possible without time passing. */
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
