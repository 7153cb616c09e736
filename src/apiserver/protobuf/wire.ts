import { maxValues, tooManyValues } from '../../base/value-limits.ts'

/** Protocol buffers as bytes, without their meaning. */
export class MalformedMessage extends Error {}

export const varint = 0
export const fixed64 = 1
export const delimited = 2
const fixed32 = 5

const decoder = new TextDecoder('utf-8', { fatal: true })
/** Up to this length, a loop over characters is faster than a decoder. */
const shortText = 32

/** Reads the fields of one message. Throws MalformedMessage if the bytes are not a message. */
export class WireReader {
  private readonly bytes: Uint8Array
  private at: number
  private readonly end: number
  /** How many more values the outermost message may have. */
  private readonly rest: { values: number }
  /** The field that `next` found. */
  number = 0
  wire = 0

  constructor(bytes: Uint8Array, from = 0, to = bytes.length, rest = { values: maxValues }) {
    this.bytes = bytes
    this.at = from
    this.end = to
    this.rest = rest
  }

  /**
   * Moves to the next field: `number` and `wire` describe it. Its value must be read or skipped before the next call.
   */
  next(): boolean {
    if (this.at >= this.end) return false
    const key = this.length()
    this.number = key >>> 3
    this.wire = key & 7
    if (this.number === 0) throw new MalformedMessage('a field without a number')
    return true
  }

  skip(): void {
    switch (this.wire) {
      case varint:
        this.integer()
        return
      case fixed64:
        this.advance(8)
        return
      case delimited:
        this.advance(this.length())
        return
      case fixed32:
        this.advance(4)
        return
      default:
        throw new MalformedMessage(`wire type ${this.wire}`)
    }
  }

  get size(): number {
    return this.end - this.at
  }

  /** Counts values of the message. */
  count(values = 1): void {
    this.rest.values -= values
    if (this.rest.values < 0) throw new MalformedMessage(tooManyValues)
  }

  /** A nested message, or an entry of a map. */
  message(): WireReader {
    const from = this.span()
    return new WireReader(this.bytes, from, this.at, this.rest)
  }

  data(): Uint8Array {
    const from = this.span()
    return this.bytes.subarray(from, this.at)
  }

  text(): string {
    if (this.wire !== delimited) throw new MalformedMessage('expected a string')
    const from = this.span()
    const to = this.at
    let isAscii = true
    for (let i = from; i < to && isAscii; i++) isAscii = (this.bytes[i] as number) < 0x80
    if (isAscii && to - from <= shortText) {
      let text = ''
      for (let i = from; i < to; i++) text += String.fromCharCode(this.bytes[i] as number)
      return text
    }
    try {
      return decoder.decode(this.bytes.subarray(from, to))
    } catch {
      throw new MalformedMessage('a string that is not UTF-8')
    }
  }

  float(): number {
    if (this.wire !== fixed64) throw new MalformedMessage('expected a float')
    const from = this.at
    this.advance(8)
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + from, 8).getFloat64(0, true)
  }

  /** A 64-bit integer: a bigint if a number would not be exact. */
  integer(): number | bigint {
    if (this.wire !== varint) throw new MalformedMessage('expected a number')
    return this.varint()
  }

  private span(): number {
    if (this.wire !== delimited) throw new MalformedMessage('expected bytes')
    const length = this.length()
    const from = this.at
    this.advance(length)
    return from
  }

  private advance(length: number): void {
    if (length > this.end - this.at) throw new MalformedMessage('unexpected end of the message')
    this.at += length
  }

  /** A length or a key: values above 32 bits are longer than any body. */
  private length(): number {
    const value = this.varint()
    if (typeof value === 'bigint' || value < 0 || value > 0xffffffff) {
      throw new MalformedMessage('unexpected end of the message')
    }
    return value
  }

  private varint(): number | bigint {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) throw new MalformedMessage('unexpected end of a number')
      const byte = this.bytes[this.at++] as number
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high |= bits >>> 4
      } else high |= bits << (shift - 32)
      if ((byte & 0x80) !== 0) continue
      const near = high * 0x1_0000_0000 + (low >>> 0)
      if (Number.isSafeInteger(near)) return near
      return (BigInt(high) << 32n) | BigInt(low >>> 0)
    }
    throw new MalformedMessage('a number of more than 64 bits')
  }
}

const firstBytes = 4096
/** The runtime writes longer strings. A call of it costs as much as writing this number of characters here. */
const longText = 48
/** The same for bytes. */
const longCopy = 64
/** A large buffer is not kept. */
const maxKeptBytes = 256 * 1024

/**
 * Writes a message from its end to its start, as Go's generated code does, so that lengths are known when they are
 * written.
 */
export class WireWriter {
  private bytes = Buffer.allocUnsafeSlow(firstBytes)
  private at = firstBytes

  get length(): number {
    return this.bytes.length - this.at
  }

  /** A copy of the written bytes; the writer is empty afterwards. */
  take(): Uint8Array {
    const made = Buffer.allocUnsafe(this.length)
    this.bytes.copy(made, 0, this.at)
    this.clear()
    return made
  }

  clear(): void {
    if (this.bytes.length > maxKeptBytes) this.bytes = Buffer.allocUnsafeSlow(firstBytes)
    this.at = this.bytes.length
  }

  /** The key of a field, before its value. */
  key(number: number, wire: number): void {
    this.varint(number * 8 + wire)
  }

  /** Writes the key and the length of the bytes written since `from`, an earlier `length`. */
  enclose(number: number, from: number): void {
    this.varint(this.length - from)
    this.key(number, delimited)
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.at -= bytes.length
    this.bytes.set(bytes, this.at)
  }

  /** Part of other bytes. */
  copy(bytes: Uint8Array, from: number, to: number): void {
    const length = to - from
    this.reserve(length)
    this.at -= length
    if (length > longCopy) this.bytes.set(bytes.subarray(from, to), this.at)
    else for (let i = 0; i < length; i++) this.bytes[this.at + i] = bytes[from + i] as number
  }

  text(text: string): void {
    const { length } = text
    if (length > longText) {
      this.longText(text)
      return
    }
    this.reserve(length)
    const start = this.at - length
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) {
        this.raw(Buffer.from(text, 'utf8'))
        return
      }
      this.bytes[start + i] = code
    }
    this.at = start
  }

  private longText(text: string): void {
    const bytes = Buffer.byteLength(text)
    this.reserve(bytes)
    this.at -= bytes
    this.bytes.write(text, this.at)
  }

  float(value: number): void {
    this.reserve(8)
    this.at -= 8
    this.bytes.writeDoubleLE(value, this.at)
  }

  varint(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= 0x7fffffff) {
      this.reserve(5)
      if (value < 0x80) {
        this.bytes[--this.at] = value
        return
      }
      const bytes = value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5
      this.at -= bytes
      let rest = value
      for (let i = 0; i < bytes; i++) {
        this.bytes[this.at + i] = i === bytes - 1 ? rest : (rest & 0x7f) | 0x80
        rest >>>= 7
      }
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    const out: number[] = []
    for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80)
    out.push(Number(rest))
    this.raw(Uint8Array.from(out))
  }

  private reserve(bytes: number): void {
    if (this.at >= bytes) return
    const used = this.length
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, used + bytes))
    this.bytes.copy(larger, larger.length - used, this.at)
    this.at = larger.length - used
    this.bytes = larger
  }
}
