import type { Json, JsonObject } from '../../api/objects/meta.ts'
import { Numeral } from '../../base/exact-json.ts'

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Numeral)
}

/** Sets a property safely for every name, including `__proto__`. */
export function setOwn(target: Record<string, Json>, name: string, value: Json): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
  } else target[name] = value
}

/** A copy of an object without some members. A copy from which members are deleted stays slow for its lifetime. */
export function without<T extends object>(object: T, gone: readonly string[]): T {
  const out: Record<string, Json> = {}
  const isGone = new Set(gone)
  for (const name in object) if (!isGone.has(name)) setOwn(out, name, object[name] as Json)
  return out as T
}

/** A copy of `base` to which the members of `patch` are added. A spread is slow for members that it lacks; see `extended`. */
export function draftOf(base: JsonObject, patch: JsonObject): Record<string, Json> {
  let addsNone = true
  for (const name in patch) if (!Object.hasOwn(base, name)) addsNone = false
  if (addsNone) return { ...base }
  const out: Record<string, Json> = {}
  for (const name in base) setOwn(out, name, base[name] as Json)
  return out
}

/** JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces. The target is not changed. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return Array.isArray(patch) ? patch.map(withoutNulls) : patch
  const base: JsonObject = isJsonObject(target) ? target : {}
  const out = draftOf(base, patch)
  for (const name in patch) {
    const value = patch[name] as Json
    if (value === null) delete out[name]
    else setOwn(out, name, applyMergePatch(Object.hasOwn(base, name) ? base[name] : undefined, value))
  }
  return out
}

/** github.com/evanphx/json-patch, pruneNils: new values contain no nulls, including objects in lists. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const out: Record<string, Json> = {}
  for (const name in value) {
    const inner = value[name] as Json
    if (inner !== null) setOwn(out, name, withoutNulls(inner))
  }
  return out
}
