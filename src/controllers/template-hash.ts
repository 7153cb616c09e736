const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * A short name for a template, the same for equal templates whatever the order of their fields. Upstream hashes Go's
 * dump of its own struct (v1.36, pkg/controller ComputeHash), which nothing but Go can write, so names of ReplicaSets
 * and revisions differ from a real cluster's; they look alike: FNV-1a of 32 bits, its decimal digits in the safe
 * alphabet. The collision count goes in as upstream's does.
 */
export function templateHash(template: unknown, collisionCount?: number): string {
  let hash = 0x811c9dc5
  const add = (byte: number): void => {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  }
  for (const byte of new TextEncoder().encode(canonicalJson(template))) add(byte)
  if (collisionCount !== undefined) {
    for (let i = 0; i < 8; i++) add(i < 4 ? (collisionCount >>> (8 * i)) & 0xff : 0)
  }
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
