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

/** Reads an argument of one class. */
const instanceOf =
  <T extends Value>(type: new (...args: never[]) => T) =>
  (value: Value | undefined): T => {
    if (!(value instanceof type)) throw noOverload()
    return value
  }

export const list = instanceOf(ListValue)
export const map = instanceOf(MapValue)
export const optional = instanceOf(Optional)
export const timestamp = instanceOf(Timestamp)
export const duration = instanceOf(Duration)
export const object = (value: Value | undefined): ObjectValue => {
  if (value === undefined || !isObject(value)) throw noOverload()
  return value
}
export function opaque<K extends OpaqueContent['kind']>(
  kind: K,
  value: Value | undefined,
): Extract<OpaqueContent, { readonly kind: K }> {
  if (!(value instanceof Opaque) || value.content.kind !== kind) throw noOverload()
  return value.content as Extract<OpaqueContent, { readonly kind: K }>
}
