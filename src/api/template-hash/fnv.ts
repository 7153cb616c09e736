// 32-bit FNV in two variants: New32 and New32a of Go's hash/fnv.

export const fnvOffset = 0x811c9dc5
const prime = 0x01000193

export function addFnv1(hash: number, bytes: Iterable<number>): number {
  let sum = hash
  for (const byte of bytes) sum = (Math.imul(sum, prime) ^ byte) >>> 0
  return sum
}

export function addFnv1a(hash: number, bytes: ArrayLike<number>): number {
  let sum = hash
  for (let i = 0; i < bytes.length; i++) sum = Math.imul(sum ^ (bytes[i] as number), prime)
  return sum >>> 0
}

const safeAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** The digits of a hash in an alphabet that forms no words (v1.36, apimachinery util/rand SafeEncodeString). */
export function safeText(hash: number): string {
  let safe = ''
  for (const digit of String(hash)) safe += safeAlphabet[digit.charCodeAt(0) % safeAlphabet.length]
  return safe
}
