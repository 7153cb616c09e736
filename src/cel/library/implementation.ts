import {
  Duration,
  isObject,
  ListValue,
  MapValue,
  noOverload,
  type ObjectValue,
  Opaque,
  type OpaqueContent,
  Optional,
  Timestamp,
  type Value,
} from '../value.ts'

/** The implementation of a function. The receiver, if any, is the first argument. */
export type Implementation = (args: readonly Value[], isMember: boolean) => Value

export type Library = Readonly<Record<string, Implementation>>

export const text = (value: Value | undefined): string => {
  if (typeof value !== 'string') throw noOverload()
  return value
}
export const int = (value: Value | undefined): bigint => {
  if (typeof value !== 'bigint') throw noOverload()
  return value
}
export const bool = (value: Value | undefined): boolean => {
  if (typeof value !== 'boolean') throw noOverload()
  return value
}
export const list = (value: Value | undefined): ListValue => {
  if (!(value instanceof ListValue)) throw noOverload()
  return value
}
export const map = (value: Value | undefined): MapValue => {
  if (!(value instanceof MapValue)) throw noOverload()
  return value
}
export const object = (value: Value | undefined): ObjectValue => {
  if (value === undefined || !isObject(value)) throw noOverload()
  return value
}
export const optional = (value: Value | undefined): Optional => {
  if (!(value instanceof Optional)) throw noOverload()
  return value
}
export const timestamp = (value: Value | undefined): Timestamp => {
  if (!(value instanceof Timestamp)) throw noOverload()
  return value
}
export const duration = (value: Value | undefined): Duration => {
  if (!(value instanceof Duration)) throw noOverload()
  return value
}
export function opaque<K extends OpaqueContent['kind']>(
  kind: K,
  value: Value | undefined,
): Extract<OpaqueContent, { readonly kind: K }> {
  if (!(value instanceof Opaque) || value.content.kind !== kind) throw noOverload()
  return value.content as Extract<OpaqueContent, { readonly kind: K }>
}
