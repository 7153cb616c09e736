import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { FieldError } from '../errors/field-error.ts'

/** A decoded JSON object: every field has the type of its schema. */
export type Obj = Readonly<Record<string, unknown>>

/** The errors so far, under the rules of a release. Checks append to it. */
export interface Errors extends Array<FieldError> {
  readonly release: KubernetesRelease
}

export function noErrors(release: KubernetesRelease): Errors {
  const errors = [] as FieldError[] as { release: KubernetesRelease } & FieldError[]
  errors.release = release
  return errors
}

const none: readonly never[] = []
const nothing: Obj = Object.freeze({})

export const child = (from: Obj | undefined, name: string): Obj | undefined =>
  (from?.[name] as Obj | null | undefined) ?? undefined

/** A struct that is not a pointer; empty if absent. */
export const part = (from: Obj | undefined, name: string): Obj => child(from, name) ?? nothing

/** The entries of a table for the fields that the object has, each with the value of the field. */
export const partsIn = <T>(from: Obj, table: Readonly<Record<string, T>>) =>
  Object.entries(table).flatMap(([name, entry]) => {
    const found = child(from, name)
    return found === undefined ? [] : [{ name, entry, part: found }]
  })

export const list = (from: Obj | undefined, name: string): readonly Obj[] =>
  (from?.[name] as readonly Obj[] | null | undefined) ?? none

export const texts = (from: Obj | undefined, name: string): readonly string[] =>
  (from?.[name] as readonly string[] | null | undefined) ?? none

export const numbers = (from: Obj | undefined, name: string): readonly number[] =>
  (from?.[name] as readonly number[] | null | undefined) ?? none

export type Strings = Readonly<Record<string, string>>

export const strings = (from: Obj | undefined, name: string): Strings =>
  (from?.[name] as Strings | null | undefined) ?? (nothing as Strings)

/** The value of a key in a map of the user; inherited properties are ignored. */
export const entryOf = (map: Strings, key: string): string | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined

/** The positions of the values that are in the list before. */
export function repeatedAt(values: readonly string[]): ReadonlySet<number> {
  const seen = new Set<string>()
  const repeated = new Set<number>()
  values.forEach((value, i) => {
    if (seen.has(value)) repeated.add(i)
    seen.add(value)
  })
  return repeated
}
