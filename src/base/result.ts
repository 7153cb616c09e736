/** The result of a function whose input may be invalid: invalid input is a value, not an exception. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

export function done<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function failed(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message }
}

/** For text that the program wrote, or that was validated before: an error here is a bug. */
export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}
