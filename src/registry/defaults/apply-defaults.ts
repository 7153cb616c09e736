import { formatQuantity, milliQuantity, parseQuantity, quantityMilli } from '../../api/quantity.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Field, Shape, StructShape } from '../../api/schema/shape.ts'
import { extended } from '../../base/extended.ts'
import type { MutableFields } from '../../base/fields.ts'
import { Recent } from '../../base/recent.ts'
import { type Defaults, defaultsByType } from './default-table.ts'

/**
 * Sets the defaults of absent fields in an object, from the outside in. Parts without defaults are shared with the
 * input, never copied.
 */
export function applyDefaults(shape: StructShape, object: MutableFields, release: KubernetesRelease): MutableFields {
  return inStruct(shape, object, release, true) as MutableFields
}

/** The same for one field of the object that is not its spec. */
export function applyDefaultsTo(owner: StructShape, field: Field, value: unknown, release: KubernetesRelease): unknown {
  return fieldsWithDefaults(owner).includes(field.name) ? inValue(field.shape, value, release) : value
}

// Pods of one template share their spec.
const recent = new Recent<
  object,
  { readonly shape: Shape; readonly release: KubernetesRelease; readonly value: unknown }
>()

function inStruct(shape: StructShape, given: MutableFields, release: KubernetesRelease, top: boolean): unknown {
  const own = defaultsByType[shape.id]
  let out = own === undefined ? given : withOwn(own, given, release)
  for (const name of fieldsWithDefaults(shape)) {
    const value = out[name]
    if (value === undefined || value === null) continue
    const field = shape.fields.get(name)
    if (field === undefined) continue
    const next = top && name === 'spec' ? inSpec(field.shape, value, release) : inValue(field.shape, value, release)
    if (next === value) continue
    if (out === given) out = { ...given }
    out[name] = next
  }
  return out
}

function inSpec(shape: Shape, value: unknown, release: KubernetesRelease): unknown {
  if (shape.is !== 'struct') return inValue(shape, value, release)
  const known = recent.get(value as object)
  if (known !== undefined && known.shape === shape && known.release === release) return known.value
  const next = inValue(shape, value, release)
  recent.set(value as object, { shape, release, value: next })
  return next
}

function inValue(shape: Shape, value: unknown, release: KubernetesRelease): unknown {
  switch (shape.is) {
    case 'struct':
      return inStruct(shape, value as MutableFields, release, false)
    case 'list': {
      const list = value as readonly unknown[]
      let out: unknown[] | undefined
      for (let i = 0; i < list.length; i++) {
        const next = inValue(shape.of, list[i], release)
        if (next === list[i]) continue
        out ??= [...list]
        out[i] = next
      }
      return out ?? list
    }
    case 'map':
      return isResourceList(shape) ? roundedUp(value as MutableFields) : value
    default:
      return value
  }
}

function withOwn(own: Defaults, given: MutableFields, release: KubernetesRelease): MutableFields {
  if (typeof own === 'function') return own(given, release)
  let out = given
  for (const name in own) {
    if (given[name] !== undefined) continue
    if (out === given) out = extended(given, {})
    out[name] = own[name]
  }
  return out
}

function isResourceList(shape: Shape): boolean {
  return shape.goName === 'v1.ResourceList'
}

/** Quantities finer than a thousandth are rounded up (core/v1 SetDefaults_ResourceList). */
function roundedUp(list: MutableFields): MutableFields {
  let out = list
  for (const name in list) {
    const text = list[name]
    // In canonical form, the suffix shows whether a quantity is finer.
    if (typeof text !== 'string' || !/[nu]$|e-/.test(text)) continue
    const parsed = parseQuantity(text)
    if (!parsed.ok) continue
    if (out === list) out = { ...list }
    out[name] = formatQuantity(milliQuantity(quantityMilli(parsed.value), parsed.value.format))
  }
  return out
}

const known = new WeakMap<StructShape, readonly string[]>()

/** The fields of a type that contain defaults. */
function fieldsWithDefaults(shape: StructShape): readonly string[] {
  let names = known.get(shape)
  if (names === undefined) {
    names = [...shape.fields.values()]
      .filter((field) => leadsToDefaults(field.shape, new Set()))
      .map(({ name }) => name)
    known.set(shape, names)
  }
  return names
}

function leadsToDefaults(shape: Shape, seen: Set<Shape>): boolean {
  if (seen.has(shape)) return false
  seen.add(shape)
  if (shape.is === 'list') return leadsToDefaults(shape.of, seen)
  if (shape.is === 'map') return isResourceList(shape)
  if (shape.is !== 'struct') return false
  if (defaultsByType[shape.id] !== undefined) return true
  for (const field of shape.fields.values()) if (leadsToDefaults(field.shape, seen)) return true
  return false
}
