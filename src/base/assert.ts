/** Thrown when an invariant of berth itself is broken; never for invalid input, which is returned as a value. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/** Closes an exhaustive switch: the compiler rejects the call while an alternative is unhandled. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`)
}
