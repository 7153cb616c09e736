/** A read-only view of pods counted by topology key and value. */
export interface ReadonlyPairCounts {
  get(key: string, value: string): number
  keys(): Iterable<string>
  /** The number of pairs with a non-zero count. */
  readonly nonZero: number
}

/** Counts with cheap copies: changes of a copy do not affect the original. */
export class PairCounts implements ReadonlyPairCounts {
  private readonly base: ReadonlyPairCounts | undefined
  private readonly own = new Map<string, Map<string, number>>()
  nonZero: number

  constructor(base?: ReadonlyPairCounts) {
    this.base = base
    this.nonZero = base?.nonZero ?? 0
  }

  get isEmpty(): boolean {
    return this.nonZero === 0
  }

  get(key: string, value: string): number {
    return this.own.get(key)?.get(value) ?? this.base?.get(key, value) ?? 0
  }

  keys(): Iterable<string> {
    return this.base === undefined ? this.own.keys() : new Set([...this.base.keys(), ...this.own.keys()])
  }

  add(key: string, value: string, delta: number): void {
    const before = this.get(key, value)
    const after = before + delta
    let values = this.own.get(key)
    if (values === undefined) {
      values = new Map()
      this.own.set(key, values)
    }
    values.set(value, after)
    if (before === 0 && after !== 0) this.nonZero++
    else if (before !== 0 && after === 0) this.nonZero--
  }

  copy(): PairCounts {
    return new PairCounts(this)
  }
}
