const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * A short name for a template, the same for equal templates whatever the order of their fields. Upstream hashes Go's
 * dump of its own struct (v1.36, pkg/controller ComputeHash), which nothing but Go can write, so names of ReplicaSets
 * and of revisions of DaemonSets differ from a real cluster's; they look alike: FNV-1a of 32 bits, its decimal digits in the safe
 * alphabet. The collision count goes in as upstream's does.
 */
export function templateHash(template: unknown, collisionCount?: number): string {
  let hash = OFFSET
  const add = (byte: number): void => {
    hash = Math.imul(hash ^ byte, PRIME) >>> 0
  }
  for (const byte of new TextEncoder().encode(canonicalJson(template))) add(byte)
  if (collisionCount !== undefined) {
    for (let i = 0; i < 8; i++) add(i < 4 ? (collisionCount >>> (8 * i)) & 0xff : 0)
  }
  return safeText(String(hash))
}

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/**
 * The hash of a StatefulSet's revision, the same as on a real cluster: FNV-1 of the JSON that Go writes, keys sorted and
 * angle brackets and ampersands escaped, and of the collision count (v1.36, pkg/controller/history
 * HashControllerRevision).
 */
export function revisionHash(data: unknown, collisionCount: number): string {
  const json = canonicalJson(data).replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  let hash = OFFSET
  for (const byte of new TextEncoder().encode(`${json}${collisionCount}`)) hash = (Math.imul(hash, PRIME) ^ byte) >>> 0
  return safeText(String(hash))
}

/** Each character by its code in an alphabet that spells nothing (v1.36, apimachinery util/rand SafeEncodeString). */
function safeText(text: string): string {
  let safe = ''
  for (let i = 0; i < text.length; i++) safe += SAFE_ALPHABET[text.charCodeAt(i) % SAFE_ALPHABET.length]
  return safe
}

/** JSON with sorted keys and without what is undefined. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = value as Readonly<Record<string, unknown>>
  const parts = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`)
  return `{${parts.join(',')}}`
}
