/**
 * JSON whose integers keep their digits. A number is a JavaScript number if that is exact; a 64-bit integer beyond 2^53
 * is a bigint, so that comparing, copying and printing need no special case. Only JSON.stringify rejects a bigint: use
 * `encodeJson` instead.
 */

/**
 * A number whose text matters: `1.0` and `1e3` are not integers for Go's decoder, and an integer of more than 64 bits
 * is refused with its digits. Only values from a client contain numerals, until they are decoded to their type.
 */
export class Numeral {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The nearest double, infinite beyond its range. */
  get value(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  toJSON(): number {
    return this.value
  }
}

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n
const integerText = /^-?\d+$/

export function isInt64(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64
}

/** The value of a JSON number's text. */
export function numberOf(text: string): number | bigint | Numeral {
  const value = Number(text)
  if (!integerText.test(text)) return String(value) === text ? value : new Numeral(text)
  // Go's integers have no negative zero.
  if (Number.isSafeInteger(value)) return value + 0 === 0 ? 0 : value
  if (text.length > 20) return new Numeral(text)
  const exact = BigInt(text)
  return isInt64(exact) ? exact : new Numeral(text)
}

/** The next integer. Object types declare `number` where a bigint is possible. */
export function incremented(value: number): number {
  const next = typeof value === 'bigint' ? value + 1n : value + 1
  return (Number.isSafeInteger(next) || typeof next === 'bigint' ? next : BigInt(value) + 1n) as number
}

/** A value as JSON. Without 64-bit integers it is the output of JSON.stringify. */
export function encodeJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch (error) {
    // JSON.stringify cannot write a bigint as a number; it throws if it finds one.
    if (!(error instanceof TypeError) || !hasBigInt(value)) throw error
  }
  return written(value, indent === undefined ? undefined : { unit: ' '.repeat(indent), at: '\n' }) as string
}

interface JsonLayout {
  readonly unit: string
  /** The line break and indentation before a line at this depth. */
  readonly at: string
}

function hasBigInt(value: unknown): boolean {
  const left: unknown[] = [value]
  const seen = new Set<unknown>()
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'bigint') return true
    if (typeof one !== 'object' || one === null || seen.has(one)) continue
    seen.add(one)
    for (const inner of Array.isArray(one) ? one : Object.values(one)) left.push(inner)
  }
  return false
}

function written(given: unknown, layout: JsonLayout | undefined): string | undefined {
  if (typeof given === 'bigint') return String(given)
  if (typeof given !== 'object' || given === null) return JSON.stringify(given)
  const { toJSON } = given as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return written(toJSON.call(given), layout)
  const inner = layout === undefined ? undefined : { unit: layout.unit, at: layout.at + layout.unit }
  if (Array.isArray(given))
    return bracketed(
      '[',
      given.map((one) => written(one, inner) ?? 'null'),
      ']',
      layout,
      inner,
    )
  const members: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const text = written(value, inner)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${layout === undefined ? '' : ' '}${text}`)
  }
  return bracketed('{', members, '}', layout, inner)
}

function bracketed(
  open: string,
  parts: readonly string[],
  close: string,
  layout: JsonLayout | undefined,
  inner: JsonLayout | undefined,
): string {
  if (parts.length === 0 || layout === undefined || inner === undefined) return open + parts.join(',') + close
  return open + inner.at + parts.join(`,${inner.at}`) + layout.at + close
}

// A number follows one of these. A string of many digits rarely does, and an exact parse of a large file is slow.
const longInteger = /(?:^|[[:,])\s*-?\d{16}/

/** JSON.parse with exact integers. Throws the same errors. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return longInteger.test(text) ? new JsonReader(text, (digits) => plainNumber(numberOf(digits))).value() : value
}

/** JSON.parse with exact integers, and with numerals where a decoder needs the original text. */
export function parseWithNumerals(text: string): unknown {
  // Reports invalid JSON with the same error.
  JSON.parse(text)
  return new JsonReader(text, numberOf).value()
}

const plainNumber = (number: number | bigint | Numeral): number | bigint =>
  number instanceof Numeral ? number.value : number

/**
 * A value without numerals: each becomes the nearest double, like an untyped value in Go. Unchanged parts are shared.
 */
export function withoutNumerals(value: unknown): unknown {
  if (value instanceof Numeral) return value.value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    let list: unknown[] | undefined
    for (let i = 0; i < value.length; i++) {
      const after = withoutNumerals(value[i])
      if (after === value[i]) continue
      list ??= [...value]
      list[i] = after
    }
    return list ?? value
  }
  let out: Record<string, unknown> | undefined
  for (const name in value) {
    const before = (value as Record<string, unknown>)[name]
    const after = withoutNumerals(before)
    if (after === before) continue
    out ??= { ...value }
    setMember(out, name, after)
  }
  return out ?? value
}

/** The first numeral that is out of the range of a double. */
export function outOfRange(value: unknown): Numeral | undefined {
  if (value instanceof Numeral) return Number.isFinite(value.value) ? undefined : value
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = outOfRange(value[i])
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const name in value) {
    const found = outOfRange((value as Record<string, unknown>)[name])
    if (found !== undefined) return found
  }
  return undefined
}

export function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
  } else target[name] = value
}

const stringToken = /"(?:[^"\\]|\\.)*"/sy
const scalarToken = /[^\s,\]}]+/y

/** Reads a text that is known to be well-formed. */
class JsonReader {
  private readonly text: string
  private readonly number: (text: string) => unknown
  private at = 0

  constructor(text: string, number: (text: string) => unknown) {
    this.text = text
    this.number = number
  }

  value(): unknown {
    switch (this.next()) {
      case '{':
        return this.object()
      case '[':
        return this.list()
      case '"':
        return this.string()
      default: {
        const text = this.token(scalarToken)
        return /^[tfn]/.test(text) ? JSON.parse(text) : this.number(text)
      }
    }
  }

  /** The next character that is not whitespace. */
  private next(): string {
    while (this.text.charCodeAt(this.at) <= 32) this.at++
    return this.text.charAt(this.at)
  }

  private token(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const text = pattern.exec(this.text)?.[0] ?? ''
    this.at += text.length
    return text
  }

  private string(): string {
    return JSON.parse(this.token(stringToken)) as string
  }

  private object(): unknown {
    const out: Record<string, unknown> = {}
    this.at++
    while (this.next() !== '}') {
      if (this.text[this.at] === ',') this.at++
      else {
        const name = this.string()
        this.next()
        this.at++
        setMember(out, name, this.value())
      }
    }
    this.at++
    return out
  }

  private list(): unknown {
    const out: unknown[] = []
    this.at++
    while (this.next() !== ']') {
      if (this.text[this.at] === ',') this.at++
      else out.push(this.value())
    }
    this.at++
    return out
  }
}
