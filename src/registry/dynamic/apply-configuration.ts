import type { Json, KubeObject } from '../../api/objects/meta.ts'
import { StructValue, type Value } from '../../cel/value.ts'
import { typedProblem } from '../apply/typed-problems.ts'
import { listProblem, mergeValues, type Ownership } from '../apply/typed-value.ts'
import { undeclaredField } from '../custom/custom-kind.ts'
import type { Kind } from '../kinds/kind.ts'
import { ownershipOfKind } from '../write/managers.ts'
import type { GroupVersionKind } from './admission-request.ts'
import { jsonOf, typeMismatch } from './patch-values.ts'

/**
 * An object with an apply configuration merged into it; a string says why that is not possible (mutating/patch, smd).
 */
export function mergedByApply(
  kind: Kind,
  { group, version, kind: name }: GroupVersionKind,
  live: KubeObject,
  value: Value,
): KubeObject | string {
  if (!(value instanceof StructValue)) return 'unsupported return type from ApplyConfiguration expression'
  const mismatch = typeMismatch(value)
  if (mismatch !== undefined) return mismatch
  // Schemas are looked up in the group of the object. The kinds of subresources are not in it.
  if (name !== kind.kind) {
    const unknown = `no corresponding type for ${group}/${version}, Kind=${name}`
    return `error applying patch: failed to convert patch object to typed object: ${unknown}`
  }
  const patch = { ...(jsonOf(value) as object), apiVersion: kind.apiVersion, kind: kind.kind } as unknown as KubeObject
  const ownership = ownershipOfKind(kind)
  const problem =
    (kind.shape === undefined
      ? undeclaredField(kind.custom, patch)
      : typedProblem(kind.shape, patch as unknown as Json)) ?? listProblem(patch, ownership, '')
  if (problem !== undefined) {
    return `error applying patch: failed to convert patch object to typed object: ${problem}`
  }
  const atomics = atomicsIn(patch, ownership, '')
  if (atomics.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`
    return `error applying patch: invalid ApplyConfiguration: ${why}`
  }
  return mergeValues(live, patch, ownership) as KubeObject
}

/** Paths of lists and maps that can only be replaced as a whole. */
function atomicsIn(value: unknown, how: Ownership, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = how.is === 'leaf' ? [path] : []
  if (Array.isArray(value)) {
    if (how.is !== 'elements') return own
    return [...own, ...value.flatMap((item, i) => atomicsIn(item, how.of, `${path}[${i}]`))]
  }
  if (how.is !== 'members') return own
  return Object.entries(value).flatMap(([name, inner]) => atomicsIn(inner, how.of(name), `${path}.${name}`))
}
