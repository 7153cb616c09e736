/**
 * A port: after everything that is ready to run has run. lmdb begins to write no earlier than that, so nothing is lost by
 * waiting for it.
 */
export function restOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
