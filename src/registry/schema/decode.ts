import type { Json } from '../../api/objects/meta.ts'
import { setOwn } from '../patch/merge-patch.ts'
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
 * What needs no change is shared with the input, never copied.
 */
export function decode(shape: StructShape, value: unknown): Decoded {
  const decoding = new Decoding()
  const result = decoding.shape(shape, value, '', undefined, '')
  if (decoding.problem !== undefined) return { ok: false, message: decoding.problem }
  return { ok: true, value: (result ?? {}) as Record<string, unknown>, strict: decoding.strict }
}

type JsonMap = Record<string, unknown>

// Top-level parts that were decoded before: pods of one template share their spec, and an update mostly repeats what is
// stored. Keyed by what went in and by what came out; anything that had to be complained about is not remembered.
const remembered = new WeakMap<object, { readonly shape: StructShape; readonly value: unknown }>()

class Decoding {
  problem: string | undefined
  readonly strict: string[] = []
  depth = 0

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
        else this.mismatch(scalar.found, shape.goName, owner, fields)
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
      if (!Object.hasOwn(value, name)) continue
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
    const stack = fields === '' ? field.name : `${fields}.${field.name}`
    const top = path === '' && field.shape.is === 'struct'
    if (top) {
      const known = remembered.get(value)
      if (known !== undefined && known.shape === field.shape) return known.value
    }
    const complaints = this.strict.length
    const next = this.shape(field.shape, value, at, owner, stack)
    if (top && this.problem === undefined && this.strict.length === complaints && isMap(next)) {
      const entry = { shape: field.shape as StructShape, value: next }
      remembered.set(value, entry)
      if (next !== value) remembered.set(next, entry)
    }
    return field.omitEmpty && !field.pointer && isEmpty(next) ? undefined : next
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
      if (!Object.hasOwn(value, name)) continue
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

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
