import type { Json } from '../../api/objects/meta.ts'
import { setOwn } from '../patch/merge-patch.ts'
import { Recent } from '../recent.ts'
import { zeroOf } from './parse-types.ts'
import { decodeScalar, isTooDeep, maxDepth } from './scalars.ts'
import type { Field, ListShape, MapShape, Shape, StructShape } from './shape.ts'

export type Decoded =
  | {
      readonly ok: true
      readonly value: Record<string, unknown>
      /** `unknown field "spec.x"`: what strict decoding refuses and others warn about. Such fields are dropped. */
      readonly strict: readonly string[]
    }
  /** In the words of Go's JSON decoder. */
  | { readonly ok: false; readonly message: string }

// Upstream's list of strict errors ends here (apimachinery, runtime/serializer/json).
const maxStrictErrors = 100

/**
 * Reads a JSON object as a type: wrong values are refused, unknown fields dropped, and what remains is written as Go
 * would write it again (canonical quantities and times, no empty optional values, empty required ones).
 * What needs no change is shared with the input, never copied. `known` is an object of the same type that was decoded
 * before: parts of the input that are the very parts of it are taken as they are.
 */
export function decode(shape: StructShape, value: unknown, known?: object): Decoded {
  const decoding = new Decoding(known as JsonMap | undefined)
  const result = decoding.shape(shape, value, '', undefined, '')
  if (decoding.problem !== undefined) return { ok: false, message: decoding.problem }
  return { ok: true, value: (result ?? {}) as Record<string, unknown>, strict: decoding.strict }
}

type JsonMap = Record<string, unknown>

// Pods of one template share their spec. Keyed by what went in; what had to be complained about is not remembered.
const recent = new Recent<object, { readonly shape: StructShape; readonly value: unknown }>()

class Decoding {
  problem: string | undefined
  readonly strict: string[] = []
  depth = 0
  readonly #known: JsonMap | undefined

  constructor(known: JsonMap | undefined) {
    this.#known = known
  }

  /** `path` as strict errors write it (with indexes), `fields` as Go's type errors do (without). */
  shape(shape: Shape, value: unknown, path: string, owner: StructShape | undefined, fields: string): unknown {
    switch (shape.is) {
      case 'struct':
        return this.struct(shape, value, path, owner, fields)
      case 'list':
        return this.list(shape, value, path, owner, fields)
      case 'map':
        return this.map(shape, value, path, owner, fields)
      case 'loose':
        if (isMap(value)) return this.struct(shape.of, value, path, owner, fields)
        if (isTooDeep(value)) this.fail('exceeded max depth')
        return value
      case 'scalar': {
        const scalar = decodeScalar(shape.kind, value)
        if (scalar.ok) return scalar.value
        if ('message' in scalar) this.fail(scalar.message)
        else this.mismatch(scalar.found, scalar.type ?? shape.goName, owner, fields)
        return undefined
      }
    }
  }

  struct(shape: StructShape, value: unknown, path: string, owner: StructShape | undefined, fields: string): unknown {
    if (!isMap(value)) return this.mismatch(jsonKind(value), shape.goName, owner, fields)
    if (this.depth > maxDepth) return this.fail('exceeded max depth')
    this.depth++
    let out: JsonMap = value
    for (const name in value) {
      const given = value[name]
      const field = shape.fields.get(name)
      if (field === undefined) {
        if (given === undefined) continue
        this.unknown(join(path, name))
        if (out === value) out = { ...value }
        delete out[name]
        continue
      }
      const next = this.field(shape, field, given, path, fields)
      if (next === given) continue
      if (out === value) out = { ...value }
      if (next === undefined) delete out[name]
      else out[name] = next
    }
    for (const { name, zero } of shape.always) {
      if (out[name] !== undefined) continue
      if (out === value) out = { ...value }
      out[name] = zero
    }
    this.depth--
    return out
  }

  field(owner: StructShape, field: Field, value: unknown, path: string, fields: string): unknown {
    if (value === undefined || value === null) return undefined
    const at = path === '' ? field.name : `${path}.${field.name}`
    const own = field.via === undefined ? field.name : `${field.via}.${field.name}`
    const stack = fields === '' ? own : `${fields}.${own}`
    if (path !== '') return this.value(owner, field, value, at, stack)
    if (this.#known !== undefined && this.#known[field.name] === value) return value
    if (field.shape.is !== 'struct' || field.name === 'metadata') return this.value(owner, field, value, at, stack)
    const before = recent.get(value)
    if (before !== undefined && before.shape === field.shape) return before.value
    const complaints = this.strict.length
    const next = this.value(owner, field, value, at, stack)
    if (this.problem === undefined && this.strict.length === complaints && next !== undefined) {
      recent.set(value, { shape: field.shape, value: next })
    }
    return next
  }

  value(owner: StructShape, field: Field, value: unknown, path: string, fields: string): unknown {
    const next = this.shape(field.shape, value, path, owner, fields)
    if (field.pointer || !isEmpty(next) || isAnyJson(field.shape)) return next
    if (field.omitEmpty) return undefined
    // What is stored tells an empty list from none as little as protobuf does.
    return typeof next === 'object' && field.shape.is !== 'struct' ? null : next
  }

  list(shape: ListShape, value: unknown, path: string, owner: StructShape | undefined, fields: string): unknown {
    if (!Array.isArray(value)) return this.mismatch(jsonKind(value), shape.goName, owner, fields)
    let out: unknown[] = value
    for (let i = 0; i < value.length; i++) {
      const given: unknown = value[i]
      const next = given === null ? zeroOf(shape.of) : this.shape(shape.of, given, `${path}[${i}]`, owner, fields)
      if (next === given) continue
      if (out === value) out = [...value]
      out[i] = next
    }
    return out
  }

  map(shape: MapShape, value: unknown, path: string, owner: StructShape | undefined, fields: string): unknown {
    if (!isMap(value)) return this.mismatch(jsonKind(value), shape.goName, owner, fields)
    let out: JsonMap = value
    for (const name in value) {
      const given = value[name]
      if (given === undefined) continue
      const next = given === null ? zeroOf(shape.of) : this.shape(shape.of, given, `${path}.${name}`, owner, fields)
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

  mismatch(found: string, goName: string, owner: StructShape | undefined, fields: string): undefined {
    const into = owner === undefined ? 'value' : `struct field ${owner.name}.${fields}`
    return this.fail(`json: cannot unmarshal ${found} into Go ${into} of type ${goName}`)
  }

  unknown(path: string): void {
    if (this.strict.length < maxStrictErrors) this.strict.push(`unknown field ${JSON.stringify(path)}`)
  }
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

const isAnyJson = (shape: Shape): boolean => shape.is === 'scalar' && shape.kind === 'json'

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
