import { parseGoDuration } from '../../api/go-duration.ts'
import type { LooseShape, ScalarKind, Shape, StructShape } from '../../api/schema/shape.ts'
import { parseTime } from '../../api/time.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { Fields } from '../../base/fields.ts'
import { Recent } from '../../base/recent.ts'
import { itemsNumber, type MessageField, messageOf } from './messages.ts'
import { delimited, fixed64, varint, WireWriter } from './wire.ts'

/**
 * The plan for writing a message. Most fields are absent in most objects, so writing looks up only the members of an
 * object, and copies the bytes of the absent fields between them.
 */
interface WrittenMessage {
  /** Ordered by number, as Go writes them. */
  readonly fields: readonly WrittenField[]
  /**
   * The field of each member of an object. A message whose fields are inlined in JSON has the names of all of these
   * fields.
   */
  readonly indexes: ReadonlyMap<string, number>
  /** The bytes of the message without members. */
  readonly absent: Uint8Array
  /** The offset of each field in `absent`; the last entry is its length. */
  readonly absentFrom: readonly number[]
}

interface WrittenField {
  readonly number: number
  readonly shape: Shape
  readonly repeats: MessageField['repeats']
  /** The message of a struct. Set when it is first needed, because types may contain themselves. */
  message: WrittenMessage | undefined
  readonly isPart: boolean
}

const messages = new WeakMap<StructShape, WrittenMessage>()

function writtenMessage(shape: StructShape): WrittenMessage {
  let known = messages.get(shape)
  if (known === undefined) {
    known = planned(messageOf(shape).fields)
    messages.set(shape, known)
  }
  return known
}

function planned(given: readonly MessageField[]): WrittenMessage {
  const indexes = new Map<string, number>()
  const absentFrom = [0]
  const parts: Uint8Array[] = []
  const fields = given.map((field, index): WrittenField => {
    const { number, shape, repeats, part } = field
    const message = part === undefined ? undefined : planned(part.fields)
    for (const name of message?.indexes.keys() ?? [field.name]) indexes.set(name, index)
    const bytes = absentField(field)
    parts.push(bytes)
    absentFrom.push((absentFrom[index] as number) + bytes.length)
    return { number, shape, repeats, message, isPart: part !== undefined }
  })
  return { fields, indexes, absent: Buffer.concat(parts), absentFrom }
}

function absentField(field: MessageField): Uint8Array {
  const writer = new WireWriter()
  if (!field.pointer && field.repeats === 'no') writeAbsent(writer, field.number, field.shape)
  return writer.take()
}

/** The present fields of the messages that are being written, by index; the fields of an inner message follow. */
const present: unknown[] = []
let presentCount = 0

/**
 * Writes an object in front of the bytes of the writer, exactly as Go's generated code does: every field that is not a
 * pointer, including zero values; pointers that are set; maps sorted by key.
 */
export function writeStruct(writer: WireWriter, shape: StructShape, object: Fields): void {
  // Only an error leaves entries here.
  if (presentCount > 0) present.fill(undefined)
  presentCount = 0
  writeMessage(writer, writtenMessage(shape), object)
}

function writeMessage(writer: WireWriter, message: WrittenMessage, object: Fields): void {
  const { fields, indexes, absent, absentFrom } = message
  const first = presentCount
  presentCount += fields.length
  while (present.length < presentCount) present.push(undefined)
  for (const name in object) {
    const index = indexes.get(name)
    if (index === undefined) continue
    const value = object[name]
    if (value === undefined || value === null) continue
    present[first + index] = (fields[index] as WrittenField).isPart ? object : value
  }
  let written = fields.length
  for (let i = fields.length - 1; i >= 0; i--) {
    const value = present[first + i]
    if (value === undefined) continue
    present[first + i] = undefined
    if (i + 1 < written) writer.copy(absent, absentFrom[i + 1] as number, absentFrom[written] as number)
    writeField(writer, fields[i] as WrittenField, value)
    written = i
  }
  if (written > 0) writer.copy(absent, 0, absentFrom[written] as number)
  presentCount = first
}

function writeField(writer: WireWriter, field: WrittenField, value: unknown): void {
  if (field.repeats === 'list') {
    const list = value as readonly unknown[]
    for (let i = list.length - 1; i >= 0; i--) writeValue(writer, field, field.number, list[i])
  } else if (field.repeats === 'map') writeMap(writer, field, value as Fields)
  else writeValue(writer, field, field.number, value)
}

function writeMap(writer: WireWriter, field: WrittenField, map: Fields): void {
  const keys = Object.keys(map)
  if (keys.length > 1) keys.sort(byBytes)
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string
    const from = writer.length
    const value = map[key]
    if (value !== undefined && value !== null) writeValue(writer, field, 2, value)
    else writeAbsent(writer, 2, field.shape)
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

/** Writes an unset field that is not a pointer, as Go does. */
function writeAbsent(writer: WireWriter, number: number, shape: Shape): void {
  if (shape.is === 'struct') {
    const { absent } = writtenMessage(shape)
    const from = writer.length
    writer.copy(absent, 0, absent.length)
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

function writeValue(writer: WireWriter, field: WrittenField, number: number, value: unknown): void {
  const { shape } = field
  switch (shape.is) {
    case 'scalar':
      writeScalar(writer, shape.kind, number, value)
      return
    case 'struct': {
      const from = writer.length
      field.message ??= writtenMessage(shape)
      writeMessage(writer, field.message, value as Fields)
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
  const message = writtenMessage(of)
  if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) {
      const from = writer.length
      if (union === 'strings') writer.text(String(value[i]))
      else writeMessage(writer, message, value[i] as Fields)
      writer.enclose(2, from)
    }
    return
  }
  if (typeof value === 'object') {
    const from = writer.length
    writeMessage(writer, message, value as Fields)
    writer.enclose(union === 'bool' ? 2 : 1, from)
  }
  if (union !== 'bool') return
  writer.varint(value === false ? 0 : 1)
  writer.key(1, varint)
}

function writeScalar(writer: WireWriter, kind: ScalarKind, number: number, value: unknown): void {
  switch (kind) {
    case 'string': {
      const from = writer.length
      writer.text(String(value))
      writer.enclose(number, from)
      return
    }
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
    case 'bytes':
      writer.raw(Buffer.from(String(value), 'base64'))
      return
    case 'quantity':
      writeText(writer, 1, String(value))
      return
    case 'json':
      // Go's types for raw JSON do not keep this null.
      if (value !== null) writeText(writer, 1, jsonText(value))
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

// Objects that were created with the same fields share the tree of their owned fields.
const recentTexts = new Recent<object, string>(256)
const maxRememberedLength = 16 * 1024

function jsonText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return encodeJson(value)
  let text = recentTexts.get(value)
  if (text === undefined) {
    text = encodeJson(value)
    if (text.length <= maxRememberedLength) recentTexts.set(value, text)
  }
  return text
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
