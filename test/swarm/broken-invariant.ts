/** An invariant does not hold. The message starts with its name. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
}

export function hold(name: string, condition: boolean, detail: () => string): void {
  if (!condition) throw new BrokenInvariant(`${name}: ${detail()}`)
}
