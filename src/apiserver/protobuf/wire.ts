/** Protocol buffers as bytes: the parts of a message, without knowing what they mean. */
export type WireValue =
  | { readonly wire: 'varint'; readonly value: bigint }
  | { readonly wire: 'fixed64'; readonly bytes: Uint8Array }
  | { readonly wire: 'bytes'; readonly bytes: Uint8Array }

export class MalformedMessage extends Error {}

/** Each part of a message in order. Throws MalformedMessage where the bytes are not a message. */
export function* partsOf(bytes: Uint8Array): Generator<{ readonly number: number; readonly value: WireValue }> {
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new MalformedMessage('unexpected end of a number')
      value |= BigInt(byte & 0x7f) << shift
      if ((byte & 0x80) === 0) return value
    }
    throw new MalformedMessage('a number of more than 64 bits')
  }
  const take = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw new MalformedMessage('unexpected end of the message')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const key = Number(varint())
    const number = key >>> 3
    if (number === 0) throw new MalformedMessage('a field without a number')
    switch (key & 7) {
      case 0:
        yield { number, value: { wire: 'varint', value: varint() } }
        break
      case 1:
        yield { number, value: { wire: 'fixed64', bytes: take(8) } }
        break
      case 2:
        yield { number, value: { wire: 'bytes', bytes: take(Number(varint())) } }
        break
      case 5:
        take(4)
        break
      default:
        throw new MalformedMessage(`wire type ${key & 7}`)
    }
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function textOf(value: WireValue): string {
  if (value.wire !== 'bytes') throw new MalformedMessage('a text was expected')
  try {
    return decoder.decode(value.bytes)
  } catch {
    throw new MalformedMessage('a text that is not UTF-8')
  }
}

export function bytesOf(value: WireValue): Uint8Array {
  if (value.wire !== 'bytes') throw new MalformedMessage('bytes were expected')
  return value.bytes
}

export function numberOf(value: WireValue): number {
  return Number(integerOf(value))
}

/** An integer of 64 bits: a bigint where a number would not be exact. */
export function integerOf(value: WireValue): number | bigint {
  if (value.wire !== 'varint') throw new MalformedMessage('a number was expected')
  const exact = BigInt.asIntN(64, value.value)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}
