import type { Cidr } from '../api/cidr.ts'
import { compareQuantities, formatQuantity, type Quantity } from '../api/quantity.ts'

/**
 * The values of expressions. int is bigint, double is number; bytes, uint and the others have their own classes, so
 * that every value has a distinct type.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Uint8Array
  | ListValue
  | MapValue
  | ObjectValue
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | Opaque

/** An error of an expression: a missing key, an overflow. `&&` and `||` may absorb it. */
export class EvaluationError extends Error {
  override readonly name: string = 'EvaluationError'
}

export const noOverload = (): EvaluationError => new EvaluationError('no such overload')

export class Uint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

export class Timestamp {
  /** Nanoseconds since 1970. */
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class Duration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class TypeValue {
  readonly type: string
  constructor(type: string) {
    this.type = type
  }
}

export class Optional {
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
}

export const none = new Optional(undefined)

/** Values of the libraries of Kubernetes. */
export type OpaqueContent =
  | { readonly kind: 'ip'; readonly address: bigint; readonly family: 4 | 6 }
  | { readonly kind: 'cidr'; readonly cidr: Cidr; readonly address: bigint }
  | { readonly kind: 'url'; readonly url: ParsedUrl }
  | { readonly kind: 'quantity'; readonly quantity: Quantity }
  | { readonly kind: 'semver'; readonly version: SemanticVersion }
  | { readonly kind: 'format'; readonly name: string }
  | { readonly kind: 'authorizer'; readonly authorizer: CelAuthorizer; readonly check: AccessCheck }
  | { readonly kind: 'path-check'; readonly authorizer: CelAuthorizer; readonly check: AccessCheck }
  | { readonly kind: 'group-check'; readonly authorizer: CelAuthorizer; readonly check: AccessCheck }
  | { readonly kind: 'resource-check'; readonly authorizer: CelAuthorizer; readonly check: AccessCheck }
  | { readonly kind: 'decision'; readonly decision: AccessDecision }

/** An access check in an expression, with the fields set so far. */
export interface AccessCheck {
  /** Set by `serviceAccount`; otherwise the caller of the request is checked. */
  readonly user?: string
  readonly path?: string
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
  readonly error?: string
}

export type CelAuthorizer = (check: AccessCheck) => AccessDecision

export interface ParsedUrl {
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly query: string
  readonly text: string
}

export interface SemanticVersion {
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly pre: readonly (string | bigint)[]
}

export class Opaque {
  readonly content: OpaqueContent
  constructor(content: OpaqueContent) {
    this.content = content
  }
}

/** How lists are compared and extended: by position, as a set, or by the keys of its elements. */
export type ListOrder =
  | { readonly kind: 'atomic' }
  | { readonly kind: 'set' }
  | { readonly kind: 'map'; readonly keys: readonly string[] }

const atomic: ListOrder = { kind: 'atomic' }

export class ListValue {
  readonly items: readonly Value[]
  readonly order: ListOrder
  constructor(items: readonly Value[], order: ListOrder = atomic) {
    this.items = items
    this.order = order
  }
}

/** A list that a comprehension is building; nothing else refers to it. */
export class GrowingList extends ListValue {
  constructor() {
    super([])
  }
  append(more: ListValue): this {
    for (const item of more.items) (this.items as Value[]).push(item)
    return this
  }
}

export class MapValue {
  /** Keyed by a string that distinguishes keys: `1` and `'1'` are different keys, `1` and `1u` are not. */
  readonly entries = new Map<string, { readonly key: Value; readonly value: Value }>()

  static of(entries: Iterable<readonly [Value, Value]>): MapValue {
    const map = new MapValue()
    for (const [key, value] of entries) map.insert(key, value)
    return map
  }

  insert(key: Value, value: Value): this {
    this.entries.set(keyText(key), { key, value })
    return this
  }

  get(key: Value): Value | undefined {
    return this.entries.get(keyText(key))?.value
  }

  /** Whether the map has the key, for the operator `in`. */
  has(key: Value): boolean {
    return this.entries.has(keyText(key))
  }
}

export class GrowingMap extends MapValue {}

function keyText(key: Value): string {
  if (typeof key === 'string') return `s${key}`
  if (typeof key === 'boolean') return `b${key}`
  if (typeof key === 'bigint') return `n${key}`
  if (key instanceof Uint) return `n${key.value}`
  if (typeof key === 'number' && Number.isInteger(key)) return `n${BigInt(key)}`
  return `d${String(key)}`
}

/** An object with a schema. Fields are read by their names in expressions. */
export interface ObjectValue {
  readonly isObject: true
  readonly size: number
  get(field: string): Value | undefined
  has(field: string): boolean
  /** Every present field, known or not, by its real name. */
  fields(): Iterable<readonly [string, Value]>
}

/** A value that an expression created by the name of its type. */
export class StructValue implements ObjectValue {
  readonly isObject = true
  readonly type: string
  private readonly made: ReadonlyMap<string, Value>

  constructor(type: string, made: ReadonlyMap<string, Value>) {
    this.type = type
    this.made = made
  }

  get size(): number {
    return this.made.size
  }

  get(field: string): Value | undefined {
    return this.made.get(field)
  }

  has(field: string): boolean {
    return this.made.has(field)
  }

  fields(): Iterable<readonly [string, Value]> {
    return this.made
  }
}

export const isObject = (value: Value): value is ObjectValue =>
  typeof value === 'object' && value !== null && 'isObject' in value

export function typeName(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
  }
  if (value === null) return 'null_type'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof ListValue) return 'list'
  if (value instanceof MapValue) return 'map'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof TypeValue) return 'type'
  if (value instanceof Optional) return 'optional_type'
  if (value instanceof Opaque) return opaqueTypes[value.content.kind]
  return 'object'
}

export const opaqueTypes: Readonly<Record<OpaqueContent['kind'], string>> = {
  ip: 'net.IP',
  cidr: 'net.CIDR',
  url: 'kubernetes.URL',
  quantity: 'kubernetes.Quantity',
  semver: 'kubernetes.Semver',
  format: 'kubernetes.NamedFormat',
  authorizer: 'kubernetes.authorization.Authorizer',
  'path-check': 'kubernetes.authorization.PathCheck',
  'group-check': 'kubernetes.authorization.GroupCheck',
  'resource-check': 'kubernetes.authorization.ResourceCheck',
  decision: 'kubernetes.authorization.Decision',
}

/** The number of an int, uint or double; undefined for other types. */
export function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return value instanceof Uint ? value.value : undefined
}

/** Number of code points, bytes, elements or entries; undefined for values without size. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === 'string') return codePoints(value)
  if (value instanceof Uint8Array) return value.length
  if (value instanceof ListValue) return value.items.length
  if (value instanceof MapValue) return value.entries.size
  if (isObject(value)) return value.size
  if (value instanceof Opaque && value.content.kind === 'ip') return value.content.family === 4 ? 4 : 16
  if (value instanceof Opaque && value.content.kind === 'cidr') return Math.ceil(value.content.cidr.prefix / 8)
  return undefined
}

function codePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00) count--
  }
  return count
}

/** Equality across types: numbers are compared by value, all other values only within one type. */
export function equals(a: Value, b: Value): boolean {
  if (a === b) return true
  const x = numberOf(a)
  const y = numberOf(b)
  // biome-ignore lint/suspicious/noDoubleEquals: int and double are equal by value.
  if (x !== undefined && y !== undefined) return x == y
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof ListValue) return b instanceof ListValue && listEquals(a, b)
  if (a instanceof MapValue) return b instanceof MapValue && mapEquals(a, b)
  if (isObject(a)) return isObject(b) && objectEquals(a, b)
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, i) => byte === b[i])
  }
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type === b.type
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false
    if (a.value === undefined || b.value === undefined) return a.value === b.value
    return equals(a.value, b.value)
  }
  return a instanceof Opaque && b instanceof Opaque && opaqueEquals(a.content, b.content)
}

function opaqueEquals(a: OpaqueContent, b: OpaqueContent): boolean {
  if (a.kind === 'quantity' && b.kind === 'quantity') return compareQuantities(a.quantity, b.quantity) === 0
  return a.kind === b.kind && opaqueText(a) === opaqueText(b)
}

function opaqueText(content: OpaqueContent): string {
  switch (content.kind) {
    case 'ip':
      return `ip ${content.family} ${content.address}`
    case 'cidr':
      return `cidr ${content.cidr.family} ${content.address}/${content.cidr.prefix}`
    case 'url':
      return `url ${content.url.text}`
    case 'quantity':
      return formatQuantity(content.quantity)
    case 'semver':
      return `semver ${content.version.numbers.join('.')}-${content.version.pre.join('.')}`
    case 'format':
      return `format ${content.name}`
    case 'decision':
      return JSON.stringify(content.decision)
    default:
      return JSON.stringify(content.check)
  }
}

function listEquals(a: ListValue, b: ListValue): boolean {
  if (a.items.length !== b.items.length) return false
  if (a.order.kind === 'set') return a.items.every((one) => b.items.some((other) => equals(one, other)))
  if (a.order.kind === 'map') {
    const { keys } = a.order
    const others = new Map(b.items.map((one) => [elementKey(one, keys), one]))
    return a.items.every((one) => {
      const other = others.get(elementKey(one, keys))
      return other !== undefined && equals(one, other)
    })
  }
  return a.items.every((one, i) => equals(one, b.items[i] as Value))
}

export function elementKey(element: Value, keys: readonly string[]): string {
  if (!isObject(element)) return ''
  return JSON.stringify(
    keys.map((key) => {
      const value = element.get(key)
      return value === undefined ? null : keyText(value)
    }),
  )
}

function mapEquals(a: MapValue, b: MapValue): boolean {
  if (a.entries.size !== b.entries.size) return false
  for (const [text, { value }] of a.entries) {
    const other = b.entries.get(text)
    if (other === undefined || !equals(value, other.value)) return false
  }
  return true
}

function objectEquals(a: ObjectValue, b: ObjectValue): boolean {
  if (a.size !== b.size) return false
  const others = new Map(b.fields())
  for (const [name, value] of a.fields()) {
    const other = others.get(name)
    if (other === undefined || !equals(value, other)) return false
  }
  return true
}

/** Less than, equal, greater: -1, 0, 1. Undefined if there is no order. */
export function compare(a: Value, b: Value): number | undefined {
  const x = numberOf(a)
  const y = numberOf(b)
  // NaN has no order.
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : x <= y ? 0 : undefined
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos)
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return undefined
}

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** Compares strings by their UTF-8 bytes, as Go does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
