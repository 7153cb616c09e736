import type { Json } from '../../api/objects/meta.ts'
import type { ReleaseApi } from '../../api/releases/release-api.ts'
import type { LooseShape, ScalarKind, Shape } from '../../api/schema/shape.ts'
import { parseJson } from '../../base/exact-json.ts'
import { valueProblem } from '../../base/value-limits.ts'
import { setOwn } from '../../registry/patch/merge-patch.ts'
import { outlineOf } from '../json-text.ts'
import { magic, messageShape } from './envelope.ts'
import { itemsNumber, type MessageField, messageOf, type ProtobufMessage } from './messages.ts'
import { delimited, MalformedMessage, varint, WireReader } from './wire.ts'

export type DecodedEnvelope =
  | { readonly kind: 'object'; readonly value: { readonly [key: string]: Json } }
  | { readonly kind: 'malformed'; readonly message: string }

/** A Kubernetes object in protobuf (runtime.Unknown after a magic number) as JSON. */
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
    let raw: WireReader = new WireReader(body, 0, 0)
    const envelope = new WireReader(body, magic.length)
    while (envelope.next()) {
      if (envelope.number === 1) {
        const type = envelope.message()
        while (type.next()) {
          if (type.number === 1) apiVersion = type.text()
          else if (type.number === 2) kind = type.text()
          else type.skip()
        }
      } else if (envelope.number === 2) raw = envelope.message()
      else envelope.skip()
    }
    const shape = messageShape(api, apiVersion, kind)
    if (shape === undefined)
      return {
        kind: 'malformed',
        message: `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
      }
    const value = { apiVersion, kind, ...decodeMessage(raw, messageOf(shape), 0) }
    const problem = raw.size > largeBytes ? valueProblem(value) : undefined
    if (problem !== undefined) throw new MalformedMessage(problem)
    return { kind: 'object', value }
  } catch (error) {
    if (error instanceof MalformedMessage) return { kind: 'malformed', message: `proto: ${error.message}` }
    throw error
  }
}

/** A shorter message cannot exceed a limit of members. */
const largeBytes = 50_000

// JSONSchemaProps is recursive; real schemas are not nested this deep.
const maxDepth = 100

/** The fields of a message as JSON. */
export function decodeMessage(reader: WireReader, message: ProtobufMessage, depth: number): { [key: string]: Json } {
  const object: { [key: string]: Json } = {}
  readInto(object, reader, message, depth)
  return object
}

function readInto(object: { [key: string]: Json }, reader: WireReader, message: ProtobufMessage, depth: number): void {
  if (depth > maxDepth) throw new MalformedMessage('exceeded max depth')
  while (reader.next()) {
    reader.count()
    const field = message.byNumber[reader.number]
    // A field of a newer client is dropped, as in upstream.
    if (field === undefined) reader.skip()
    else if (field.part !== undefined) readInto(object, reader.message(), field.part, depth + 1)
    else if (field.repeats === 'list') {
      const list = object[field.name] as Json[] | undefined
      const value = decodedValue(reader, field, depth)
      if (list === undefined) object[field.name] = [value]
      else list.push(value)
    } else if (field.repeats === 'map') {
      const map = (object[field.name] ?? {}) as { [key: string]: Json }
      readEntry(map, reader.message(), field, depth)
      object[field.name] = map
    } else {
      const decoded = decodedValue(reader, field, depth)
      // Go writes every field that is not a pointer, and omits zero values in JSON.
      if (decoded !== null && (field.pointer || field.written || !isZero(decoded))) object[field.name] = decoded
    }
  }
}

function isZero(value: Json): boolean {
  if (value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function readEntry(map: { [key: string]: Json }, reader: WireReader, field: MessageField, depth: number): void {
  const { shape } = field
  let key = ''
  let value: Json = shape.is === 'scalar' && (shape.kind === 'string' || shape.kind === 'bytes') ? '' : null
  while (reader.next()) {
    if (reader.number === 1) key = reader.text()
    else if (reader.number === 2) value = decodedValue(reader, field, depth)
    else reader.skip()
  }
  setOwn(map, key, value)
}

function decodedValue(reader: WireReader, { shape }: MessageField, depth: number): Json {
  switch (shape.is) {
    case 'scalar':
      return scalar(reader, shape.kind)
    case 'struct':
      return decodeMessage(reader.message(), messageOf(shape), depth + 1)
    case 'loose':
      return unionValue(reader.message(), shape, depth + 1)
    case 'list':
      return items(reader.message(), shape.of)
    case 'map':
      throw new MalformedMessage('a map inside a list')
  }
}

/** Values of a list inside a map or a list. */
function items(reader: WireReader, of: Shape): Json {
  if (of.is !== 'scalar') throw new MalformedMessage('a list of messages inside a list')
  const list: Json[] = []
  while (reader.next()) {
    reader.count()
    if (reader.number === itemsNumber) list.push(scalar(reader, of.kind))
    else reader.skip()
  }
  return list
}

/** A JSON schema or its alternatives: in JSON, one of them; in protobuf, a message with both. */
function unionValue(reader: WireReader, { form: union, of }: LooseShape, depth: number): Json {
  const schema = messageOf(of)
  let allows = false
  let one: Json | undefined
  const list: Json[] = []
  while (reader.next()) {
    reader.count()
    const isSchema = reader.number === (union === 'bool' ? 2 : 1)
    if (isSchema) one = decodeMessage(reader.message(), schema, depth)
    else if (union === 'bool' && reader.number === 1 && reader.wire === varint) allows = reader.integer() !== 0
    else if (reader.number === 2 && reader.wire === delimited) {
      list.push(union === 'strings' ? reader.text() : decodeMessage(reader.message(), schema, depth))
    } else reader.skip()
  }
  if (union === 'bool') return one ?? allows
  return list.length > 0 ? list : (one ?? null)
}

function scalar(reader: WireReader, kind: ScalarKind): Json {
  switch (kind) {
    case 'string':
      return reader.text()
    case 'int32': {
      const value = reader.integer()
      return typeof value === 'number' ? value | 0 : Number(BigInt.asIntN(32, value))
    }
    case 'int64':
      return reader.integer() as Json
    case 'bool':
      return reader.integer() !== 0
    case 'float64':
      return reader.float()
    case 'quantity':
      return firstText(reader.message())
    case 'bytes':
      return Buffer.from(reader.data()).toString('base64')
    case 'time':
    case 'micro-time':
      return instant(reader.message(), kind)
    case 'int-or-string':
      return intOrString(reader.message())
    case 'duration':
      return duration(reader.message())
    case 'json':
      return rawJson(reader.message())
  }
}

function firstText(reader: WireReader): string {
  let text = ''
  while (reader.next()) {
    if (reader.number === 1) text = reader.text()
    else reader.skip()
  }
  return text
}

function instant(reader: WireReader, kind: 'time' | 'micro-time'): Json {
  let seconds: number | undefined
  let nanos = 0
  while (reader.next()) {
    if (reader.number === 1) seconds = Number(reader.integer())
    else if (reader.number === 2) nanos = Number(reader.integer())
    else reader.skip()
  }
  // An empty message is Go's zero time, which JSON writes as null.
  if (seconds === undefined) return null
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) throw new MalformedMessage('a time out of range')
  const text = date.toISOString().slice(0, 19)
  return kind === 'time' ? `${text}Z` : `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

function intOrString(reader: WireReader): Json {
  let type = 0
  let int = 0
  let text = ''
  while (reader.next()) {
    if (reader.number === 1) type = Number(reader.integer())
    else if (reader.number === 2) int = Number(reader.integer()) | 0
    else if (reader.number === 3) text = reader.text()
    else reader.skip()
  }
  return type === 0 ? int : text
}

function duration(reader: WireReader): Json {
  let nanos = 0
  while (reader.next()) {
    if (reader.number === 1) nanos = Number(reader.integer())
    else reader.skip()
  }
  return `${nanos / 1e9}s`
}

function rawJson(reader: WireReader): Json {
  const text = firstText(reader)
  if (text === '') return null
  reader.count(outlineOf(text).values)
  try {
    return parseJson(text) as Json
  } catch {
    throw new MalformedMessage('raw JSON that is not JSON')
  }
}
