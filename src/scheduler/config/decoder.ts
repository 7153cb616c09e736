/**
 * Reads JSON values strictly: every field must be known and have its type. Problems are collected with their paths, so
 * that one pass reports all of them.
 */
export class ConfigDecoding {
  readonly unknownFields: string[] = []
  readonly problems: string[] = []

  unknown(path: string): void {
    this.unknownFields.push(`unknown field ${JSON.stringify(path)}`)
  }

  wrong(path: string, value: unknown, what: string): void {
    this.problems.push(`${path}: Invalid value: ${JSON.stringify(value)}: ${what}`)
  }
}

/** Reads a value; `undefined` when it is absent or invalid. */
export type Decoder<T> = (value: unknown, path: string, decoding: ConfigDecoding) => T | undefined

function scalar<T>(test: (value: unknown) => value is T, what: string): Decoder<T> {
  return (value, path, decoding) => {
    if (value === undefined || value === null) return undefined
    if (test(value)) return value
    decoding.wrong(path, value, what)
    return undefined
  }
}

export const text: Decoder<string> = scalar((value): value is string => typeof value === 'string', 'must be a string')
export const flag: Decoder<boolean> = scalar(
  (value): value is boolean => typeof value === 'boolean',
  'must be a boolean',
)
export const integer: Decoder<number> = scalar(
  (value): value is number => typeof value === 'number' && Number.isInteger(value),
  'must be an integer',
)
export const decimal: Decoder<number> = scalar(
  (value): value is number => typeof value === 'number',
  'must be a number',
)

/** Accepts any value. */
export const anything: Decoder<unknown> = (value) => value

export function list<T>(of: Decoder<T>): Decoder<readonly T[]> {
  return (value, path, decoding) => {
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value)) {
      decoding.wrong(path, value, 'must be a list')
      return undefined
    }
    return value.flatMap((item, i): T[] => {
      const read = of(item, `${path}[${i}]`, decoding)
      return read === undefined ? [] : [read]
    })
  }
}

export function map<T>(of: Decoder<T>): Decoder<Readonly<Record<string, T>>> {
  return (value, path, decoding) => {
    const entries = entriesOf(value, path, decoding)
    if (entries === undefined) return undefined
    const read: Record<string, T> = {}
    for (const [key, item] of entries) {
      const one = of(item, `${path}.${key}`, decoding)
      if (one !== undefined) read[key] = one
    }
    return read
  }
}

type FieldDecoders = Readonly<Record<string, Decoder<unknown>>>
type DecodedFields<F extends FieldDecoders> = { readonly [K in keyof F]?: F[K] extends Decoder<infer T> ? T : never }

export function object<F extends FieldDecoders>(fields: F): Decoder<DecodedFields<F>> {
  return (value, path, decoding) => {
    const entries = entriesOf(value, path, decoding)
    if (entries === undefined) return undefined
    const read: Record<string, unknown> = {}
    for (const [key, item] of entries) {
      const at = path === '' ? key : `${path}.${key}`
      const decoder = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (decoder === undefined) {
        decoding.unknown(at)
        continue
      }
      const one = decoder(item, at, decoding)
      if (one !== undefined) read[key] = one
    }
    return read as DecodedFields<F>
  }
}

function entriesOf(value: unknown, path: string, decoding: ConfigDecoding): [string, unknown][] | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object' && !Array.isArray(value)) return Object.entries(value)
  decoding.wrong(path, value, 'must be an object')
  return undefined
}
