import { deepEqual } from '../api/equality.ts'
import type { Json, JsonObject } from '../api/objects/meta.ts'

/** The JSON merge patch (RFC 7396) that turns one object into the other. */
export function mergePatchBetween(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, Json> = {}
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined
    if (deepEqual(old, value)) continue
    patch[name] = isObject(old) && isObject(value) ? mergePatchBetween(old, value) : (value as Json)
  }
  return patch
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
