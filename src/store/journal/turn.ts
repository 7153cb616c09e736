/**
 * A port: resolves after everything that is ready to run has run. lmdb does not start to write before that, so waiting
 * costs no time.
 */
export function restOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
