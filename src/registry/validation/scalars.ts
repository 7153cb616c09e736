import type { Obj } from './reader.ts'

// Strings, numbers and booleans of a decoded object.

/** A string. Absent means empty, as in Go. */
export const text = (from: Obj | undefined, name: string): string => (from?.[name] as string | null | undefined) ?? ''

/** A string pointer. Absent differs from empty. */
export const textIfSet = (from: Obj | undefined, name: string): string | undefined =>
  (from?.[name] as string | null | undefined) ?? undefined

export const number = (from: Obj | undefined, name: string): number => (from?.[name] as number | null | undefined) ?? 0

export const numberIfSet = (from: Obj | undefined, name: string): number | undefined =>
  (from?.[name] as number | null | undefined) ?? undefined

export const flag = (from: Obj | undefined, name: string): boolean => from?.[name] === true

export const flagIfSet = (from: Obj | undefined, name: string): boolean | undefined =>
  (from?.[name] as boolean | null | undefined) ?? undefined
