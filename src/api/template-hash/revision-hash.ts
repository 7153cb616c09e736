import { addFnv1, fnvOffset, safeText } from './fnv.ts'

/**
 * The hash of a StatefulSet revision, the same as on a real cluster: FNV-1 over the JSON that Go writes (sorted keys;
 * escaped angle brackets and ampersands) and over the collision count (v1.36, pkg/controller/history
 * HashControllerRevision).
 */
export function revisionHash(data: unknown, collisionCount: number): string {
  const json = canonicalJson(data).replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return safeText(addFnv1(fnvOffset, new TextEncoder().encode(`${json}${collisionCount}`)))
}

/** JSON with sorted keys and without undefined members. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = value as Readonly<Record<string, unknown>>
  const parts = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`)
  return `{${parts.join(',')}}`
}
