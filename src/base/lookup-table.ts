/**
 * A table for lookups of untrusted keys. It has no prototype, so `constructor`, `__proto__` and the other members of
 * Object.prototype are absent like any other unknown name.
 */
export function lookupTable<Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null) as Record<string, Value>, entries)
}

/** The member of an object with an untrusted name; undefined for names that only its prototype has. */
export function ownEntry<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
