import { parseGoDuration } from '../../api/go-duration.ts'
import type { LooseShape, ScalarKind, Shape, StructShape } from '../../api/schema/shape.ts'
import { parseTime } from '../../api/time.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { Fields } from '../../base/fields.ts'
import { itemsNumber, type MessageField, messageOf, type ProtobufMessage } from './messages.ts'
import { delimited, fixed64, varint, WireWriter } from './wire.ts'

/**
 * Writes the fields of a message before what the writer has, byte for byte as Go's generated code: every field that is
 * not a pointer, including zero values; pointers that are set; maps sorted by key.
 */
export function writeMessage(writer: WireWriter, message: ProtobufMessage, object: Fields): void {
  const { fields } = message
  for (let i = fields.length - 1; i >= 0; i--) writeField(writer, fields[i] as MessageField, object)
}

export const writeStruct = (writer: WireWriter, shape: StructShape, object: Fields): void =>
  writeMessage(writer, messageOf(shape), object)

function writeField(writer: WireWriter, field: MessageField, object: Fields): void {
  const { number, part } = field
  if (part !== undefined) {
    const from = writer.length
    writeMessage(writer, part, object)
    writer.enclose(number, from)
    return
  }
  const value = object[field.name]
  if (field.repeats === 'list') {
    const list = (value ?? none) as readonly unknown[]
    for (let i = list.length - 1; i >= 0; i--) writeValue(writer, field, number, list[i])
  } else if (field.repeats === 'map') {
    if (value !== undefined && value !== null) writeMap(writer, field, value as Fields)
  } else if (value !== undefined && value !== null) writeValue(writer, field, number, value)
  else if (!field.pointer) writeAbsent(writer, field)
}

const none: readonly unknown[] = []

function writeMap(writer: WireWriter, field: MessageField, map: Fields): void {
  const keys = Object.keys(map).sort(byBytes)
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string
    const from = writer.length
    const value = map[key]
    if (value !== undefined && value !== null) writeValue(writer, field, 2, value)
    else writeAbsent(writer, { ...field, number: 2 })
    const before = writer.length
    writer.text(key)
    writer.enclose(1, before)
    writer.enclose(field.number, from)
  }
}

/** Compares strings as Go does: by bytes, which differs from JavaScript beyond the basic plane. */
function byBytes(a: string, b: string): number {
  if (!/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b)) return a < b ? -1 : a > b ? 1 : 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const nothing: Fields = Object.freeze({})

/** What Go writes for an unset field that is not a pointer. */
function writeAbsent(writer: WireWriter, { number, shape }: MessageField): void {
  if (shape.is === 'struct') {
    const from = writer.length
    writer.raw(zeroOf(shape))
    writer.enclose(number, from)
    return
  }
  if (shape.is !== 'scalar') {
    writer.varint(0)
    writer.key(number, delimited)
    return
  }
  switch (shape.kind) {
    case 'string':
    case 'time':
    case 'micro-time':
    case 'json':
      writer.varint(0)
      writer.key(number, delimited)
      return
    case 'int32':
    case 'int64':
    case 'bool':
      writer.varint(0)
      writer.key(number, varint)
      return
    case 'float64':
      writer.float(0)
      writer.key(number, fixed64)
      return
    case 'bytes':
      return
    case 'quantity':
      writeScalar(writer, 'quantity', number, '0')
      return
    case 'int-or-string':
      writeScalar(writer, 'int-or-string', number, 0)
      return
    case 'duration':
      writeScalar(writer, 'duration', number, '0s')
  }
}

const zeros = new Map<StructShape, Uint8Array>()

/** An empty struct, the most frequent status. */
function zeroOf(shape: StructShape): Uint8Array {
  let bytes = zeros.get(shape)
  if (bytes === undefined) {
    const writer = new WireWriter()
    writeStruct(writer, shape, nothing)
    bytes = writer.take()
    zeros.set(shape, bytes)
  }
  return bytes
}

function writeValue(writer: WireWriter, field: MessageField, number: number, value: unknown): void {
  const { shape } = field
  switch (shape.is) {
    case 'scalar':
      writeScalar(writer, shape.kind, number, value)
      return
    case 'struct': {
      const from = writer.length
      writeMessage(writer, messageOf(shape), value as Fields)
      writer.enclose(number, from)
      return
    }
    case 'loose': {
      const from = writer.length
      writeUnion(writer, shape, value)
      writer.enclose(number, from)
      return
    }
    case 'list': {
      const from = writer.length
      writeItems(writer, shape.of, value as readonly unknown[])
      writer.enclose(number, from)
      return
    }
    case 'map':
      throw new Error('a map inside a list has no encoding')
  }
}

function writeItems(writer: WireWriter, of: Shape, list: readonly unknown[]): void {
  if (of.is !== 'scalar') throw new Error('a list of messages inside a list has no encoding')
  for (let i = list.length - 1; i >= 0; i--) writeScalar(writer, of.kind, itemsNumber, list[i])
}

function writeUnion(writer: WireWriter, { form: union, of }: LooseShape, value: unknown): void {
  const schema = messageOf(of)
  if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) {
      const from = writer.length
      if (union === 'strings') writer.text(String(value[i]))
      else writeMessage(writer, schema, value[i] as Fields)
      writer.enclose(2, from)
    }
    return
  }
  if (typeof value === 'object') {
    const from = writer.length
    writeMessage(writer, schema, value as Fields)
    writer.enclose(union === 'bool' ? 2 : 1, from)
  }
  if (union !== 'bool') return
  writer.varint(value === false ? 0 : 1)
  writer.key(1, varint)
}

function writeScalar(writer: WireWriter, kind: ScalarKind, number: number, value: unknown): void {
  switch (kind) {
    case 'int32':
    case 'int64':
      writer.varint(value as number | bigint)
      writer.key(number, varint)
      return
    case 'bool':
      writer.varint(value === true ? 1 : 0)
      writer.key(number, varint)
      return
    case 'float64':
      writer.float(Number(value))
      writer.key(number, fixed64)
      return
    default: {
      const from = writer.length
      writeBody(writer, kind, value)
      writer.enclose(number, from)
    }
  }
}

/** A length-delimited value. */
function writeBody(writer: WireWriter, kind: ScalarKind, value: unknown): void {
  switch (kind) {
    case 'string':
      writer.text(String(value))
      return
    case 'bytes':
      writer.raw(Buffer.from(String(value), 'base64'))
      return
    case 'quantity':
      writeText(writer, 1, String(value))
      return
    case 'json':
      // Go's types for raw JSON do not keep this null.
      if (value !== null) writeText(writer, 1, encodeJson(value))
      return
    case 'time':
    case 'micro-time':
      writeInstant(writer, String(value), kind)
      return
    case 'duration': {
      const parsed = parseGoDuration(String(value))
      writer.varint(parsed.ok ? parsed.value : 0)
      writer.key(1, varint)
      return
    }
    case 'int-or-string': {
      const isText = typeof value === 'string'
      writeText(writer, 3, isText ? value : '')
      writer.varint(isText ? 0 : Number(value))
      writer.key(2, varint)
      writer.varint(isText ? 1 : 0)
      writer.key(1, varint)
      return
    }
    default:
      throw new Error(`${kind} has no length`)
  }
}

function writeText(writer: WireWriter, number: number, text: string): void {
  const from = writer.length
  writer.text(text)
  writer.enclose(number, from)
}

/** A google.protobuf.Timestamp. Times have seconds only, as in JSON. */
function writeInstant(writer: WireWriter, text: string, kind: 'time' | 'micro-time'): void {
  const ms = parseTime(text)
  if (ms === undefined) return
  writer.varint(kind === 'time' ? 0 : microsOf(text) * 1000)
  writer.key(2, varint)
  writer.varint(Math.floor(ms / 1000))
  writer.key(1, varint)
}

function microsOf(text: string): number {
  const point = text.indexOf('.')
  if (point < 0) return 0
  const digits = /^\d+/.exec(text.slice(point + 1))?.[0] ?? ''
  return Number(digits.slice(0, 6).padEnd(6, '0'))
}
