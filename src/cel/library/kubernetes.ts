import {
  addQuantities,
  compareQuantities,
  milliValueInt64,
  parseQuantity,
  type Quantity,
  quantityOf,
  quantitySign,
  subtractQuantities,
  valueInt64,
} from '../../api/quantity.ts'
import { EvaluationError, ListValue, MapValue, none, noOverload, Opaque, Optional, type SemanticVersion, type Value } from '../value.ts' // biome-ignore format: one line
import { bool, type Library, opaque, text } from './implementation.ts'
import { formatProblems, knownFormats } from './named-formats.ts'
import { readUrl } from './urls.ts'

const quantityValue = (quantity: Quantity): Opaque => new Opaque({ kind: 'quantity', quantity })

function quantityArg(value: Value | undefined): Quantity {
  return typeof value === 'bigint' ? quantityOf(value) : opaque('quantity', value).quantity
}

function asInteger(quantity: Quantity): bigint | undefined {
  const whole = valueInt64(quantity)
  return compareQuantities(quantityOf(whole), quantity) === 0 ? whole : undefined
}

function approximate(quantity: Quantity): number {
  return asInteger(quantity) !== undefined ? Number(valueInt64(quantity)) : Number(milliValueInt64(quantity)) / 1000
}

// semver.org, as github.com/blang/semver parses it: numbers without leading zeros.
const semverPattern = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/ // biome-ignore format: one line

export function readSemver(raw: string): SemanticVersion | undefined {
  const match = semverPattern.exec(raw)
  if (match === null) return undefined
  const pre = (match[4] ?? '').split('.').filter((part) => part !== '')
  if (pre.some((part) => /^0\d+$/.test(part))) return undefined
  const [major, minor, patch] = [1, 2, 3].map((i) => BigInt(match[i] as string)) as [bigint, bigint, bigint]
  return { numbers: [major, minor, patch], pre: pre.map((part) => (/^\d+$/.test(part) ? BigInt(part) : part)) }
}

/** A version without a leading `v`, with missing parts added and leading zeros removed. */
function normalizedSemver(raw: string): SemanticVersion | undefined {
  const rest = raw.replace(/^v/, '')
  const parts = rest.split('.')
  const three = parts.length > 3 ? [parts[0], parts[1], parts.slice(2).join('.')] : parts
  const plain = three.map((part = '') => (part.length > 1 ? part.replace(/^0+(?=\d)/, '') : part))
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) ?? '')) return undefined
  while (plain.length < 3) plain.push('0')
  return readSemver(plain.join('.'))
}

function semverOf(raw: Value | undefined, normalize: Value | undefined): SemanticVersion | undefined {
  return normalize !== undefined && bool(normalize) ? normalizedSemver(text(raw)) : readSemver(text(raw))
}

function compareSemver(a: SemanticVersion, b: SemanticVersion): number {
  for (let i = 0; i < 3; i++) {
    const [x, y] = [a.numbers[i] as bigint, b.numbers[i] as bigint]
    if (x !== y) return x < y ? -1 : 1
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Number(a.pre.length === 0) - Number(b.pre.length === 0)
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i], b.pre[i]]
    if (x === y) continue
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1
    if (typeof x !== typeof y) return typeof x === 'bigint' ? -1 : 1
    return x < y ? -1 : 1
  }
  return 0
}

/** Quantities and versions are ordered, with the same function names. */
function order([a, b]: readonly Value[]): number {
  if (a instanceof Opaque && a.content.kind === 'semver') {
    return compareSemver(a.content.version, opaque('semver', b).version)
  }
  return compareQuantities(opaque('quantity', a).quantity, opaque('quantity', b).quantity)
}

const part = (index: 0 | 1 | 2) => (args: readonly Value[]) => opaque('semver', args[0]).version.numbers[index]

export const kubernetes: Library = {
  quantity: ([value]) => {
    const read = parseQuantity(text(value))
    if (!read.ok) throw new EvaluationError(read.message)
    return quantityValue(read.value)
  },
  isQuantity: ([value]) => parseQuantity(text(value)).ok,
  sign: ([value]) => BigInt(quantitySign(opaque('quantity', value).quantity)),
  isInteger: ([value]) => asInteger(opaque('quantity', value).quantity) !== undefined,
  asInteger: ([value]) => {
    const found = asInteger(opaque('quantity', value).quantity)
    if (found === undefined) throw new EvaluationError('cannot convert value to integer')
    return found
  },
  asApproximateFloat: ([value]) => approximate(opaque('quantity', value).quantity),
  add: ([a, b]) => quantityValue(addQuantities(opaque('quantity', a).quantity, quantityArg(b))),
  sub: ([a, b]) => quantityValue(subtractQuantities(opaque('quantity', a).quantity, quantityArg(b))),
  isGreaterThan: (args) => order(args) > 0,
  isLessThan: (args) => order(args) < 0,
  compareTo: (args) => BigInt(Math.sign(order(args))),
  semver: ([raw, normalize]) => {
    const version = semverOf(raw, normalize)
    if (version === undefined) throw new EvaluationError('No Major.Minor.Patch elements found')
    return new Opaque({ kind: 'semver', version })
  },
  isSemver: ([raw, normalize]) => semverOf(raw, normalize) !== undefined,
  major: part(0),
  minor: part(1),
  patch: part(2),
  url: ([value]) => {
    const read = readUrl(text(value))
    if (!read.ok) throw new EvaluationError(`URL parse error during conversion from string: ${read.why}`)
    return new Opaque({ kind: 'url', url: read.url })
  },
  isURL: ([value]) => readUrl(text(value)).ok,
  getScheme: ([value]) => opaque('url', value).url.scheme,
  getHost: ([value]) => opaque('url', value).url.host,
  getHostname: ([value]) => {
    const { host } = opaque('url', value).url
    return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  },
  getPort: ([value]) => /:(\d+)$/.exec(opaque('url', value).url.host)?.[1] ?? '',
  getEscapedPath: ([value]) => opaque('url', value).url.path,
  getQuery: ([value]) => {
    const found = new Map<string, string[]>()
    for (const [name, one] of new URLSearchParams(opaque('url', value).url.query)) {
      found.set(name, [...(found.get(name) ?? []), one])
    }
    return MapValue.of([...found].map(([name, values]) => [name, new ListValue(values)]))
  },
  'format.named': ([name]) =>
    knownFormats.has(text(name)) ? new Optional(new Opaque({ kind: 'format', name: text(name) })) : none,
  validate: ([format, value]) => {
    const problems = formatProblems(opaque('format', format).name, text(value))
    if (problems === undefined) throw noOverload()
    return problems.length === 0 ? none : new Optional(new ListValue(problems))
  },
  ...Object.fromEntries(
    [...knownFormats].map((name) => [`format.${name}`, () => new Opaque({ kind: 'format', name })]),
  ),
}
