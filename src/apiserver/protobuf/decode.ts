import type { Json } from '../../api/objects/meta.ts'
import type { ReleaseApi } from '../../api/releases/release-api.ts'
import type { LooseShape, Member, ScalarKind, Shape, StructShape } from '../../api/schema/shape.ts'
import { parseJson } from '../../base/exact-json.ts'
import { setOwn } from '../../registry/patch/merge-patch.ts'
import { bytesOf, integerOf, MalformedMessage, numberOf, partsOf, textOf, type WireValue } from './wire.ts'

/** The members of a message by number. */
type Numbering = ReadonlyMap<number, Member>

const numberings = new WeakMap<StructShape, Numbering>()

function numberingOf(shape: StructShape): Numbering {
  let known = numberings.get(shape)
  if (known === undefined) {
    known = new Map(shape.members.map((member) => [member.number, member]))
    numberings.set(shape, known)
  }
  return known
}

const magic = [0x6b, 0x38, 0x73, 0x00]

export type DecodedEnvelope =
  | { readonly kind: 'object'; readonly value: { readonly [key: string]: Json } }
  | { readonly kind: 'malformed'; readonly message: string }

/** A Kubernetes object in protobuf (runtime.Unknown behind a magic number) as the JSON it stands for. */
export function decodeProtobuf(body: Uint8Array, api: ReleaseApi): DecodedEnvelope {
  if (!magic.every((byte, index) => body[index] === byte)) {
    return {
      kind: 'malformed',
      message: 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    }
  }
  try {
    let apiVersion = ''
    let kind = ''
    let raw: Uint8Array = new Uint8Array(0)
    for (const { number, value } of partsOf(body.subarray(4))) {
      if (number === 1) {
        for (const part of partsOf(bytesOf(value))) {
          if (part.number === 1) apiVersion = textOf(part.value)
          if (part.number === 2) kind = textOf(part.value)
        }
      } else if (number === 2) raw = bytesOf(value)
    }
    const slash = apiVersion.indexOf('/')
    const shape =
      api.shapeOfKind(slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1), kind) ??
      (kind === 'DeleteOptions' ? api.types.get('meta.DeleteOptions') : undefined)
    if (shape === undefined)
      return {
        kind: 'malformed',
        message: `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
      }
    return { kind: 'object', value: { apiVersion, kind, ...message(raw, numberingOf(shape), 0) } }
  } catch (error) {
    if (error instanceof MalformedMessage) return { kind: 'malformed', message: `proto: ${error.message}` }
    throw error
  }
}

// JSONSchemaProps nests in itself; nothing sensible nests this deep.
const maxDepth = 100

function message(bytes: Uint8Array, numbering: Numbering, depth: number): { [key: string]: Json } {
  if (depth > maxDepth) throw new MalformedMessage('exceeded max depth')
  const object: { [key: string]: Json } = {}
  for (const { number, value } of partsOf(bytes)) {
    const member = numbering.get(number)
    // A newer client's field: dropped, as upstream drops what it does not know.
    if (member === undefined) continue
    if ('inline' in member) {
      Object.assign(object, message(bytesOf(value), numberingOf(member.inline), depth + 1))
      continue
    }
    const { field } = member
    const { name, shape } = field
    if (shape.is === 'list') {
      const list = (object[name] ?? []) as Json[]
      list.push(decodedValue(value, shape.of, depth))
      object[name] = list
    } else if (shape.is === 'map') {
      const map = (object[name] ?? {}) as { [key: string]: Json }
      const [key, entry] = mapEntry(bytesOf(value), shape.of, depth)
      setOwn(map, key, entry)
      object[name] = map
    } else {
      const decoded = decodedValue(value, shape, depth)
      // Go writes every field that is not a pointer, and leaves the zero values out of its JSON.
      if (decoded !== null && (field.pointer || field.isAlways || !isZero(decoded))) object[name] = decoded
    }
  }
  return object
}

function isZero(value: Json): boolean {
  if (value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function mapEntry(bytes: Uint8Array, of: Shape, depth: number): [string, Json] {
  let key = ''
  let value: Json = of.is === 'scalar' && of.kind === 'string' ? '' : null
  for (const part of partsOf(bytes)) {
    if (part.number === 1) key = textOf(part.value)
    if (part.number === 2) value = decodedValue(part.value, of, depth)
  }
  return [key, value]
}

function decodedValue(value: WireValue, shape: Shape, depth: number): Json {
  switch (shape.is) {
    case 'scalar':
      return scalar(value, shape.kind)
    case 'struct':
      return message(bytesOf(value), numberingOf(shape), depth + 1)
    case 'loose':
      return alternative(bytesOf(value), shape, depth + 1)
    case 'list':
      // A list inside a map or list is a message with repeated items (authorization's extra values).
      return [...partsOf(bytesOf(value))].map((part) => decodedValue(part.value, shape.of, depth + 1))
    case 'map':
      throw new MalformedMessage('a map inside a list')
  }
}

/** The numbers of the two members: the object, and what may be instead of it. */
const alternatives = {
  array: { object: 1, other: 2 },
  bool: { object: 2, other: 1 },
  strings: { object: 1, other: 2 },
} as const

/** JSONSchemaPropsOrArray and the like: one of its two members is the JSON value. */
function alternative(bytes: Uint8Array, { form, of }: LooseShape, depth: number): Json {
  const numbers = alternatives[form]
  const list: Json[] = []
  let flag = false
  for (const { number, value } of partsOf(bytes)) {
    if (number === numbers.object) return message(bytesOf(value), numberingOf(of), depth)
    if (number !== numbers.other) continue
    if (form === 'bool') flag = numberOf(value) !== 0
    else if (form === 'strings') list.push(textOf(value))
    else list.push(message(bytesOf(value), numberingOf(of), depth))
  }
  return form === 'bool' ? flag : list
}

function scalar(value: WireValue, kind: ScalarKind): Json {
  switch (kind) {
    case 'string':
      return textOf(value)
    case 'int32':
      return Number(BigInt.asIntN(32, BigInt(integerOf(value))))
    case 'int64':
      return integerOf(value) as Json
    case 'bool':
      return numberOf(value) !== 0
    case 'float64':
      if (value.wire !== 'fixed64') throw new MalformedMessage('a float was expected')
      return Buffer.from(value.bytes).readDoubleLE(0)
    case 'quantity':
      return firstText(bytesOf(value), 1)
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64')
    case 'time':
    case 'micro-time':
      return instant(bytesOf(value), kind)
    case 'int-or-string':
      return intOrString(bytesOf(value))
    case 'duration':
      return duration(bytesOf(value))
    case 'json':
      return rawJson(bytesOf(value))
  }
}

function firstText(bytes: Uint8Array, wanted: number): string {
  for (const { number, value } of partsOf(bytes)) if (number === wanted) return textOf(value)
  return ''
}

function instant(bytes: Uint8Array, kind: 'time' | 'micro-time'): Json {
  let seconds: number | undefined
  let nanos = 0
  for (const { number, value } of partsOf(bytes)) {
    if (number === 1) seconds = numberOf(value)
    if (number === 2) nanos = numberOf(value)
  }
  // An empty message is Go's zero time, which JSON writes as null.
  if (seconds === undefined) return null
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) throw new MalformedMessage('a time out of range')
  const text = date.toISOString().slice(0, 19)
  return kind === 'time' ? `${text}Z` : `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

function intOrString(bytes: Uint8Array): Json {
  let type = 0
  let int = 0
  let text = ''
  for (const { number, value } of partsOf(bytes)) {
    if (number === 1) type = numberOf(value)
    if (number === 2) int = numberOf(value)
    if (number === 3) text = textOf(value)
  }
  return type === 0 ? int : text
}

function duration(bytes: Uint8Array): Json {
  for (const { number, value } of partsOf(bytes)) if (number === 1) return `${numberOf(value) / 1e9}s`
  return '0s'
}

function rawJson(bytes: Uint8Array): Json {
  const text = firstText(bytes, 1)
  if (text === '') return null
  try {
    return parseJson(text) as Json
  } catch {
    throw new MalformedMessage('raw JSON that is not JSON')
  }
}
