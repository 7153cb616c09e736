/**
 * A port: resolves after everything that is ready to run has run. lmdb starts writing no earlier than that, so this
 * costs no time.
 */
export function restOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
