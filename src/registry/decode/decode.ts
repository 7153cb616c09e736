import type { Json } from '../../api/objects/meta.ts'
import type { Field, ListShape, MapShape, ScalarKind, Shape, StructShape } from '../../api/schema/shape.ts'
import { zeroOf } from '../../api/schema/type-table.ts'
import { Numeral, withoutNumerals } from '../../base/exact-json.ts'
import type { MutableFields } from '../../base/fields.ts'
import { Recent } from '../../base/recent.ts'
import { maxErrorText } from '../errors/field-error.ts'
import { setOwn, without } from '../patch/merge-patch.ts'
import { decodeScalar, isPlainTime, isTooDeep, jsonKind, maxDepth } from './scalars.ts'

export type Decoded =
  | {
      readonly ok: true
      readonly value: Record<string, unknown>
      /** `unknown field "spec.x"`: strict decoding rejects these, other modes warn. Such fields are dropped. */
      readonly strict: readonly string[]
    }
  /** The message is that of Go's JSON decoder. */
  | { readonly ok: false; readonly message: string }

// Upstream's list of strict errors ends at this number (apimachinery, runtime/serializer/json).
const maxStrictErrors = 100

/**
 * Reads a JSON object as a type: wrong values are rejected, unknown fields dropped, and the rest is normalized as Go
 * would write it (canonical quantities and times, no empty optional values, but empty required ones). Unchanged parts
 * are shared with the input, never copied. `known` is an object of the same type that was decoded before: parts of the
 * input that are identical to its parts are used as they are. `without-keys`: the paths of unknown fields lack the keys of
 * maps, as where upstream reads no text (runtime.DefaultUnstructuredConverter).
 */
export function decode(shape: StructShape, value: unknown, known?: object, paths?: 'without-keys'): Decoded {
  // Only an aborted decoding leaves a trail.
  if (trail.length > 0) trail.length = 0
  const decoding = new Decoding(known as MutableFields | undefined, paths)
  const result = decoding.shape(shape, value, undefined)
  if (decoding.problem !== undefined) return { ok: false, message: decoding.problem }
  return { ok: true, value: (result ?? {}) as Record<string, unknown>, strict: decoding.strict }
}

/** The same for one field of an object of the type. Undefined: it is empty, or it has errors. */
export function decodeField(owner: StructShape, field: Field, value: NonNullable<unknown>): unknown {
  const decoding = new Decoding(undefined)
  const result = decoding.value(owner, field, value)
  return decoding.problem === undefined && decoding.strict.length === 0 ? result : undefined
}

// Pods of one template share their spec. Keyed by the input; results with errors are not remembered.
const recent = new Recent<object, { readonly shape: StructShape; readonly value: unknown }>()

const readThemselves: ReadonlySet<ScalarKind> = new Set(['quantity', 'time', 'micro-time', 'int-or-string', 'duration'])

/** The path to the current value: fields, list indexes, map keys. Shared, because one value is read at a time. */
const trail: (Field | number | string)[] = []

class Decoding {
  problem: string | undefined
  private isAborted = false
  readonly strict: string[] = []
  /** The number of unknown fields, including unknown fields that are not reported. */
  private complaints = 0
  private strictText = 0
  depth = 0
  private readonly known: MutableFields | undefined
  private readonly hasKeys: boolean
  /** The known metadata, while the metadata is decoded. */
  private knownMeta: MutableFields | undefined
  /** Formatted only for an error. */
  private readonly trail = trail

  constructor(known: MutableFields | undefined, paths?: 'without-keys') {
    this.known = known
    this.hasKeys = paths === undefined
  }

  shape(shape: Shape, value: unknown, owner: StructShape | undefined): unknown {
    switch (shape.is) {
      case 'struct':
        return this.struct(shape, value, owner)
      case 'list':
        return this.list(shape, value, owner)
      case 'map':
        return this.map(shape, value, owner)
      case 'loose':
        if (isMap(value)) return this.struct(shape.of, value, owner)
        if (isTooDeep(value)) this.fail('exceeded max depth')
        return withoutNumerals(value)
      case 'scalar': {
        // The most frequent case.
        if (typeof value === 'string') {
          if (shape.kind === 'string' || (shape.kind === 'time' && isPlainTime(value))) return value
        } else if (typeof value === 'boolean' && shape.kind === 'bool') return value
        const scalar = decodeScalar(shape.kind, value)
        if (scalar.ok) return scalar.value
        if ('message' in scalar) this.abort(scalar.message)
        else this.mismatch(scalar.found, scalar.type ?? shape.goName, owner, readThemselves.has(shape.kind))
        return undefined
      }
    }
  }

  struct(shape: StructShape, value: unknown, owner: StructShape | undefined): unknown {
    if (!isMap(value)) return this.mismatch(jsonKind(value), shape.goName, owner)
    if (this.depth > maxDepth) return this.fail('exceeded max depth')
    this.depth++
    let out: MutableFields = value
    let gone: string[] | undefined
    let at = 0
    let written = 0
    for (const name in value) {
      const given = value[name]
      if (given === undefined) continue
      const field = shape.fieldAt(at++, name)
      if (field === undefined) this.unknown(name)
      else {
        if (field.isAlways) written++
        if (given === null && field.isAlways && isWrittenAsNull(shape, name)) continue
      }
      const next = field === undefined || given === null ? undefined : this.field(shape, field, given)
      if (next === given) continue
      if (next === undefined) {
        gone ??= []
        gone.push(name)
      } else {
        if (out === value) out = { ...value }
        out[name] = next
      }
    }
    if (gone !== undefined) out = without(out, gone)
    if (gone !== undefined || written < shape.always.length) out = withRequired(out, shape)
    this.depth--
    return out
  }

  field(owner: StructShape, field: Field, value: NonNullable<unknown>): unknown {
    if (this.trail.length > 0) {
      // Most writes share the managedFields with the stored object, which are larger than the rest of the metadata.
      const isKnown = this.trail.length === 1 && this.knownMeta !== undefined && this.knownMeta[field.name] === value
      return isKnown ? value : this.value(owner, field, value)
    }
    const known = this.known
    if (known !== undefined && known[field.name] === value) return value
    if (field.name === 'metadata') return this.metadata(owner, field, value)
    // Nodes are created with a status, which they may share, too. A written status belongs to one object.
    const mayShare = field.name === 'spec' || (field.name === 'status' && known === undefined)
    if (!mayShare || field.shape.is !== 'struct') return this.value(owner, field, value)
    const before = recent.get(value)
    if (before !== undefined && before.shape === field.shape) return before.value
    const complaints = this.complaints
    const next = this.value(owner, field, value)
    if (this.problem === undefined && this.complaints === complaints && next !== undefined) {
      recent.set(value, { shape: field.shape, value: next })
    }
    return next
  }

  private metadata(owner: StructShape, field: Field, value: NonNullable<unknown>): unknown {
    const known = this.known?.['metadata']
    this.knownMeta = isMap(known) ? known : undefined
    const next = this.value(owner, field, value)
    this.knownMeta = undefined
    return next
  }

  value(owner: StructShape, field: Field, value: unknown): unknown {
    // The most frequent case, which needs no path.
    if (field.shape.is === 'scalar' && isPlain(field.shape.kind, value)) return value
    this.trail.push(field)
    const next = this.shape(field.shape, value, owner)
    this.trail.pop()
    if (field.pointer || !isEmpty(next) || isAnyJson(field.shape)) return next
    if (field.omitEmpty) return undefined
    // The stored form does not distinguish an empty list from an absent one, as with protobuf.
    return typeof next === 'object' && field.shape.is !== 'struct' ? null : next
  }

  list(shape: ListShape, value: unknown, owner: StructShape | undefined): unknown {
    if (!Array.isArray(value)) return this.mismatch(jsonKind(value), shape.goName, owner)
    const { of } = shape
    let out: unknown[] = value
    for (let i = 0; i < value.length; i++) {
      const given: unknown = value[i]
      this.trail.push(i)
      const next =
        given === null ? zeroOf(of) : of.is === 'struct' ? this.struct(of, given, owner) : this.shape(of, given, owner)
      this.trail.pop()
      if (next === given) continue
      if (out === value) out = [...value]
      out[i] = next
    }
    return out
  }

  map(shape: MapShape, value: unknown, owner: StructShape | undefined): unknown {
    if (!isMap(value)) return this.mismatch(jsonKind(value), shape.goName, owner)
    let out: MutableFields = value
    for (const name in value) {
      const given = value[name]
      if (given === undefined) continue
      this.trail.push(name)
      const next = given === null ? zeroOf(shape.of) : this.shape(shape.of, given, owner)
      this.trail.pop()
      if (next === given) continue
      if (out === value) out = { ...value }
      setOwn(out as Record<string, Json>, name, next as Json)
    }
    return out
  }

  fail(message: string): undefined {
    this.problem ??= message
    return undefined
  }

  /** A type with its own unmarshaler aborts Go's decoding at once; for a plain type, the error is remembered. */
  abort(message: string): undefined {
    if (!this.isAborted) this.problem = message
    this.isAborted = true
    return undefined
  }

  mismatch(found: string, goName: string, owner: StructShape | undefined, readsItself = false): undefined {
    // Go's type errors name only fields, with the structs in which they are embedded.
    const fields = this.trail
      .filter((step): step is Field => typeof step === 'object')
      .map(({ via, name }) => (via === undefined ? name : `${via}.${name}`))
    const into = owner === undefined ? 'value' : `struct field ${owner.name}.${fields.join('.')}`
    const message = `json: cannot unmarshal ${found} into Go ${into} of type ${goName}`
    return readsItself ? this.abort(message) : this.fail(message)
  }

  unknown(name: string): void {
    this.complaints++
    if (this.strict.length >= maxStrictErrors || this.strictText > maxErrorText) return
    const trail = this.hasKeys ? this.trail : this.trail.filter((step) => typeof step !== 'string')
    const path = [...trail, name].map((step) =>
      typeof step === 'number' ? `[${step}]` : `.${typeof step === 'string' ? step : step.name}`,
    )
    const text = `unknown field ${JSON.stringify(path.join('').slice(1))}`
    this.strictText += text.length
    this.strict.push(text)
  }
}

/** Adds the members that Go always writes. `fields` has only names that the struct has. */
function withRequired(fields: MutableFields, shape: StructShape): MutableFields {
  let out: MutableFields | undefined
  for (const { name, zero } of shape.always) {
    if (fields[name] !== undefined) continue
    // Not a spread; see `extended`.
    out ??= Object.assign({}, fields)
    out[name] = zero
  }
  return out ?? fields
}

/** Whether a non-empty value already has the form of the kind. */
function isPlain(kind: ScalarKind, value: unknown): boolean {
  if (typeof value === 'string') {
    return value !== '' && (kind === 'string' || (kind === 'time' && isPlainTime(value)))
  }
  if (typeof value === 'number') {
    return value !== 0 && (value | 0) === value && (kind === 'int32' || kind === 'int64')
  }
  return value === true && kind === 'bool'
}

function isWrittenAsNull({ always }: StructShape, name: string): boolean {
  for (const one of always) if (one.name === name) return one.zero === null
  return false
}

function isMap(value: unknown): value is MutableFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Numeral)
}

const isAnyJson = (shape: Shape): boolean => shape.is === 'scalar' && shape.kind === 'json'

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
