/** The part of ASN.1's distinguished encoding that certificates need (ITU-T X.690). */

function tagged(tag: number, body: Buffer): Buffer {
  const { length } = body
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body])
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff)
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), body])
}

export const sequence = (...parts: readonly Buffer[]) => tagged(0x30, Buffer.concat(parts))
export const set = (...parts: readonly Buffer[]) => tagged(0x31, Buffer.concat(parts))
export const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0]))
export const utf8 = (text: string) => tagged(0x0c, Buffer.from(text, 'utf8'))
export const octetString = (bytes: Buffer) => tagged(0x04, bytes)
export const bitString = (bytes: Buffer, unusedBits = 0) =>
  tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]))

/** Non-negative and small: serial numbers and versions. */
export const integer = (value: number) => tagged(0x02, Buffer.from([value]))

export function context(number: number, body: Buffer, form: 'constructed' | 'primitive' = 'constructed'): Buffer {
  return tagged((form === 'constructed' ? 0xa0 : 0x80) | number, body)
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const group = [arc & 0x7f]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) group.unshift((left & 0x7f) | 0x80)
    bytes.push(...group)
  }
  return tagged(0x06, Buffer.from(bytes))
}

/** UTCTime up to 2049, GeneralizedTime after it, as RFC 5280 requires. */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  return Number(text.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(`${text.slice(2)}Z`))
    : tagged(0x18, Buffer.from(`${text}Z`))
}

/** A positive integer of any size, from its bytes. */
export function integerOf(bytes: Buffer): Buffer {
  return tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

export interface DerValue {
  readonly tag: number
  /** With tag and length. */
  readonly raw: Buffer
  readonly body: Buffer
}

/** The values that follow each other in a buffer. Throws if it is not valid DER. */
export function readDer(buffer: Buffer): readonly DerValue[] {
  const values: DerValue[] = []
  let at = 0
  while (at < buffer.length) {
    const tag = buffer[at] as number
    const first = buffer[at + 1]
    if (first === undefined || (tag & 0x1f) === 0x1f || values.length >= 1024) throw new Error('invalid DER')
    const count = first < 0x80 ? 0 : first & 0x7f
    if (count > 4) throw new Error('invalid DER')
    const length =
      first < 0x80 ? first : buffer.subarray(at + 2, at + 2 + count).reduce((sum, byte) => sum * 256 + byte, 0)
    const start = at + 2 + count
    if (start + length > buffer.length) throw new Error('invalid DER')
    values.push({ tag, raw: buffer.subarray(at, start + length), body: buffer.subarray(start, start + length) })
    at = start + length
  }
  return values
}

/** The dotted form of an object identifier. */
export function readObjectId(body: Buffer): string {
  const arcs: number[] = []
  let value = 0
  for (const byte of body) {
    value = value * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    if (arcs.length === 0)
      arcs.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)))
    else arcs.push(value)
    value = 0
  }
  return arcs.join('.')
}
