import type { ClaimRequirement } from '../../../api/objects/karpenter.ts'
import { normalizedLabels } from '../names.ts'

export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'

interface Bounds {
  readonly gte: number | undefined
  readonly lte: number | undefined
}

const noValues: ReadonlySet<string> = new Set()
const unbounded: Bounds = { gte: undefined, lte: undefined }

/**
 * The values that a label may have: a set, or all values except a set, within bounds (v1.14, pkg/scheduling
 * Requirement). Values keep the order in which they were given.
 */
export class Requirement {
  readonly key: string
  readonly isComplement: boolean
  readonly values: ReadonlySet<string>
  readonly bounds: Bounds
  readonly minValues: number | undefined

  constructor(
    key: string,
    isComplement: boolean,
    values: ReadonlySet<string>,
    bounds: Bounds = unbounded,
    minValues?: number,
  ) {
    this.key = key
    this.isComplement = isComplement
    this.values = values
    this.bounds = bounds
    this.minValues = minValues
  }

  static of({ key, operator, values = [], minValues }: ClaimRequirement): Requirement {
    const name = normalizedLabels.get(key) ?? key
    switch (operator) {
      case 'In':
        return new Requirement(name, false, new Set(values), unbounded, minValues)
      case 'NotIn':
        return new Requirement(name, true, new Set(values), unbounded, minValues)
      case 'Exists':
        return new Requirement(name, true, noValues, unbounded, minValues)
      case 'DoesNotExist':
        return new Requirement(name, false, noValues, unbounded, minValues)
      // Exclusive bounds are stored as inclusive ones.
      case 'Gt':
        return new Requirement(name, true, noValues, { gte: integerOf(values[0]) + 1, lte: undefined }, minValues)
      case 'Lt':
        return new Requirement(name, true, noValues, { gte: undefined, lte: integerOf(values[0]) - 1 }, minValues)
      case 'Gte':
        return new Requirement(name, true, noValues, { gte: integerOf(values[0]), lte: undefined }, minValues)
      case 'Lte':
        return new Requirement(name, true, noValues, { gte: undefined, lte: integerOf(values[0]) }, minValues)
    }
  }

  static in(key: string, values: Iterable<string>, minValues?: number): Requirement {
    return new Requirement(normalizedLabels.get(key) ?? key, false, new Set(values), unbounded, minValues)
  }

  static exists(key: string): Requirement {
    return new Requirement(key, true, noValues)
  }

  static doesNotExist(key: string): Requirement {
    return new Requirement(key, false, noValues)
  }

  get operator(): Operator {
    if (this.isComplement) return this.values.size > 0 ? 'NotIn' : 'Exists'
    return this.values.size > 0 ? 'In' : 'DoesNotExist'
  }

  /** The number of allowed values. */
  get size(): number {
    return this.isComplement ? Number.POSITIVE_INFINITY : this.values.size
  }

  /** Reports whether the label may be absent. */
  get allowsAbsence(): boolean {
    const { operator } = this
    return operator === 'NotIn' || operator === 'DoesNotExist'
  }

  has(value: string): boolean {
    return this.values.has(value) !== this.isComplement && isWithin(value, this.bounds)
  }

  withMinValues(minValues: number): Requirement {
    return new Requirement(this.key, this.isComplement, this.values, this.bounds, minValues)
  }

  /** The values that both allow. */
  intersection(other: Requirement): Requirement {
    const minValues = greater(this.minValues, other.minValues)
    const bounds = tighter(this.bounds, other.bounds)
    if (isEmpty(bounds)) return new Requirement(this.key, false, noValues, unbounded, minValues)
    const isComplement = this.isComplement && other.isComplement
    const values = new Set<string>()
    if (isComplement) for (const value of other.values) if (isWithin(value, bounds)) values.add(value)
    const [from, by] = this.isComplement && !other.isComplement ? [other, this] : [this, other]
    for (const value of from.values) {
      if (isComplement || by.values.has(value) !== by.isComplement) if (isWithin(value, bounds)) values.add(value)
    }
    return new Requirement(this.key, isComplement, values, isComplement ? bounds : unbounded, minValues)
  }

  intersects(other: Requirement): boolean {
    const bounds = tighter(this.bounds, other.bounds)
    if (isEmpty(bounds)) return false
    if (this.isComplement && other.isComplement) return true
    const [from, by] = this.isComplement ? [other, this] : [this, other]
    for (const value of from.values) {
      if (by.values.has(value) !== by.isComplement && isWithin(value, bounds)) return true
    }
    return false
  }

  /** As fields of a NodeClaim: one requirement, or two requirements for a range. */
  toFields(): readonly ClaimRequirement[] {
    const { key, bounds, minValues } = this
    const more = minValues === undefined ? {} : { minValues }
    const { gte, lte } = bounds
    if (gte !== undefined || lte !== undefined) {
      return [
        ...(gte === undefined ? [] : [{ key, operator: 'Gte' as const, values: [String(gte)], ...more }]),
        ...(lte === undefined ? [] : [{ key, operator: 'Lte' as const, values: [String(lte)], ...more }]),
      ]
    }
    const { operator } = this
    const values = operator === 'In' || operator === 'NotIn' ? { values: [...this.values].sort() } : {}
    return [{ key, operator, ...values, ...more }]
  }

  toString(): string {
    const { key, operator, bounds, minValues } = this
    let text = `${key} ${operator}`
    if (operator === 'In' || operator === 'NotIn') {
      const sorted = [...this.values].sort()
      const shown = sorted.length > 5 ? [...sorted.slice(0, 5), `and ${sorted.length - 5} others`] : sorted
      text += ` [${shown.join(' ')}]`
    }
    if (bounds.gte !== undefined) text += ` >=${bounds.gte}`
    if (bounds.lte !== undefined) text += ` <=${bounds.lte}`
    return minValues === undefined ? text : `${text} minValues ${minValues}`
  }
}

// Validated by the API server; any other value counts as 0, as in upstream.
function integerOf(text: string | undefined): number {
  return text !== undefined && isInteger(text) ? Number(text) : 0
}

function isInteger(text: string): boolean {
  return /^[+-]?[0-9]+$/.test(text)
}

function isWithin(value: string, { gte, lte }: Bounds): boolean {
  if (gte === undefined && lte === undefined) return true
  if (!isInteger(value)) return false
  const number = Number(value)
  return (gte === undefined || number >= gte) && (lte === undefined || number <= lte)
}

function tighter(a: Bounds, b: Bounds): Bounds {
  if (a === unbounded) return b
  if (b === unbounded) return a
  return { gte: greater(a.gte, b.gte), lte: lesser(a.lte, b.lte) }
}

function isEmpty({ gte, lte }: Bounds): boolean {
  return gte !== undefined && lte !== undefined && gte > lte
}

function greater(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b)
}

function lesser(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b)
}
