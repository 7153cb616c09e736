import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../api/objects/meta.ts'
import { mergePatchBetween } from './merge-patch.ts'

/** RFC 7396, section 2. */
function patched(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result: Record<string, Json> = { ...(isObject ? (target as JsonObject) : {}) }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = patched(result[name], value)
  }
  return result
}

const value = fc.letrec<{ readonly any: unknown; readonly object: unknown }>((tie) => ({
  any: fc.oneof(
    fc.integer({ max: 3 }),
    fc.boolean(),
    fc.array(fc.integer({ max: 2 }), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3 }),
})).object as fc.Arbitrary<JsonObject>

it('creates a patch that changes one object into the other', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      expect(patched(before, mergePatchBetween(before, after))).toEqual(after)
    }),
  )
})
