import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { FieldError } from '../errors/field-error.ts'

/** A decoded JSON object: every field has the type of its schema. */
export type Obj = Readonly<Record<string, unknown>>

/** The errors so far, under the rules of a release. Checks append to it. */
export interface Errors extends Array<FieldError> {
  readonly release: KubernetesRelease
}

export const noErrors = (release: KubernetesRelease): Errors => Object.assign([], { release })

const none: readonly never[] = []
const nothing: Obj = Object.freeze({})

/** A string; absent means empty, as in Go. */
export const text = (from: Obj | undefined, name: string): string => (from?.[name] as string | null | undefined) ?? ''

/** A string pointer: absent and empty differ. */
export const textIfSet = (from: Obj | undefined, name: string): string | undefined =>
  (from?.[name] as string | null | undefined) ?? undefined

export const number = (from: Obj | undefined, name: string): number => (from?.[name] as number | null | undefined) ?? 0

export const numberIfSet = (from: Obj | undefined, name: string): number | undefined =>
  (from?.[name] as number | null | undefined) ?? undefined

export const flag = (from: Obj | undefined, name: string): boolean => from?.[name] === true

export const flagIfSet = (from: Obj | undefined, name: string): boolean | undefined =>
  (from?.[name] as boolean | null | undefined) ?? undefined

export const child = (from: Obj | undefined, name: string): Obj | undefined =>
  (from?.[name] as Obj | null | undefined) ?? undefined

/** A struct that is not a pointer; empty if absent. */
export const part = (from: Obj | undefined, name: string): Obj => child(from, name) ?? nothing

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
