import { deepEqual, semanticEqual } from '../../api/equality.ts'
import { duplicate, invalid, notSupported, required, tooLong, tooMany } from '../errors/field-error.ts'
import type { FormatCheck } from './declared-formats.ts'
import { immutable } from './meta.ts'
import type { Errors, Obj } from './reader.ts'
import { inOrder } from './shown.ts'

/** The declared rules of a type: the rules of its fields, and the fields of its union, of which exactly one is set. */
export interface DeclaredType {
  /** The type as messages name and print it. */
  readonly name: string
  readonly union?: readonly string[]
  readonly fields: Readonly<Record<string, DeclaredField>>
}

export type DeclaredField =
  | {
      readonly kind: 'text'
      readonly required?: true
      /** A string pointer: only an absent string is not checked. */
      readonly pointer?: true
      readonly format?: FormatCheck
      readonly oneOf?: readonly string[]
      readonly maxBytes?: number
    }
  | {
      readonly kind: 'list'
      readonly max?: number
      readonly of?: DeclaredType
      /** Each item has a unique key, and is compared with the old item that has this key. */
      readonly keyOf?: (item: Obj) => string
      /** The strings are unique. */
      readonly isSet?: true
    }
  | { readonly kind: 'map'; readonly required?: true; readonly keys?: FormatCheck; readonly of?: DeclaredType }
  | {
      readonly kind: 'struct'
      readonly of: DeclaredType
      readonly pointer?: true
      /** The changes that are refused: every change, or a change of a value that is set before and after. */
      readonly fixed?: 'always' | 'while set'
    }

/**
 * Checks an object against declared rules (v1.37, zz_generated.validations.go of a group). Unchanged values are not checked
 * again; `old` is absent where there is no value to compare with.
 */
export function checkDeclared(
  errors: Errors,
  type: DeclaredType,
  value: Obj,
  old: Obj | undefined,
  path: string,
): void {
  checkUnion(errors, type, value, old, path)
  for (const [name, field] of Object.entries(type.fields)) {
    const given = value[name] ?? undefined
    const before = old?.[name] ?? undefined
    if (old !== undefined && isUnchanged(field, given, before)) continue
    checkField(errors, field, given, before, path === '' ? name : `${path}.${name}`)
  }
}

/**
 * Go does not distinguish an empty string from an absent one; pointers to strings may not change anyway. Whether a map
 * has a key matters, so lists and maps are compared exactly.
 */
function isUnchanged(field: DeclaredField, given: unknown, before: unknown): boolean {
  if (field.kind === 'text') return (given ?? '') === (before ?? '')
  if (field.kind === 'struct' && field.fixed !== undefined) return semanticEqual(given, before)
  return deepEqual(given, before)
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && (!Array.isArray(value) || value.length > 0)

function checkUnion(errors: Errors, { union }: DeclaredType, value: Obj, old: Obj | undefined, path: string): void {
  if (union === undefined) return
  if (old !== undefined && union.every((name) => isSet(value[name]) === isSet(old[name]))) return
  const given = union.filter((name) => isSet(value[name]))
  const all = union.map((name) => `\`${name}\``).join(', ')
  if (given.length > 1) errors.push(invalid(path, `{${given.join(', ')}}`, `must specify exactly one of: ${all}`))
  else if (given.length === 0) errors.push(invalid(path, '', `must specify one of: ${all}`))
}

function checkField(errors: Errors, field: DeclaredField, given: unknown, before: unknown, path: string): void {
  switch (field.kind) {
    case 'text':
      checkText(errors, field, given as string | undefined, path)
      break
    case 'list':
      checkList(errors, field, (given ?? []) as readonly unknown[], (before ?? []) as readonly Obj[], path)
      break
    case 'map':
      checkMap(errors, field, (given ?? {}) as Entries, (before ?? {}) as Entries, path)
      break
    case 'struct':
      checkStruct(errors, field, given as Obj | undefined, before as Obj | undefined, path)
      break
  }
}

type Field<K> = Extract<DeclaredField, { readonly kind: K }>
type Entries = Readonly<Record<string, Obj>>

function checkText(errors: Errors, field: Field<'text'>, given: string | undefined, path: string): void {
  if (given === undefined || (given === '' && field.pointer !== true)) {
    if (field.required === true) errors.push(required(path))
    return
  }
  field.format?.(errors, given, path)
  if (field.oneOf?.includes(given) === false) errors.push(notSupported(path, given, field.oneOf))
  if (field.maxBytes !== undefined && Buffer.byteLength(given) > field.maxBytes) {
    errors.push(tooLong(path, field.maxBytes))
  }
}

function checkList(
  errors: Errors,
  { max, of, keyOf, isSet: hasUniqueTexts }: Field<'list'>,
  items: readonly unknown[],
  before: readonly Obj[],
  path: string,
): void {
  if (max !== undefined && items.length > max) {
    errors.push(tooMany(path, items.length, max))
    return
  }
  if (keyOf !== undefined || hasUniqueTexts === true) {
    const seen = new Set<string>()
    items.forEach((item, i) => {
      const key = keyOf === undefined ? (item as string) : keyOf(item as Obj)
      if (seen.has(key))
        errors.push(duplicate(`${path}[${i}]`, of === undefined ? item : inOrder(errors, of.name, item)))
      seen.add(key)
    })
  }
  if (of === undefined) return
  items.forEach((item, i) => {
    const old = keyOf === undefined ? undefined : before.find((one) => keyOf(one) === keyOf(item as Obj))
    if (old !== undefined && deepEqual(item, old)) return
    checkDeclared(errors, of, item as Obj, old, `${path}[${i}]`)
  })
}

function checkMap(errors: Errors, field: Field<'map'>, given: Entries, before: Entries, path: string): void {
  const keys = Object.keys(given)
  if (keys.length === 0 && field.required === true) errors.push(required(path))
  for (const key of keys) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    if (old === undefined) field.keys?.(errors, key, path)
    else if (deepEqual(given[key], old)) continue
    if (field.of !== undefined) checkDeclared(errors, field.of, given[key] as Obj, old, `${path}[${key}]`)
  }
}

function checkStruct(
  errors: Errors,
  { of, pointer, fixed }: Field<'struct'>,
  given: Obj | undefined,
  before: Obj | undefined,
  path: string,
): void {
  if (pointer === true && given === undefined) return
  if (before !== undefined && fixed !== undefined) {
    errors.push(invalid(path, null, fixed === 'always' ? immutable : 'field cannot be modified once set'))
  } else checkDeclared(errors, of, given ?? {}, before, path)
}
