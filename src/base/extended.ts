/**
 * `{ ...object, ...more }` for members that the object may lack. For a spread, V8 creates a new hidden class per result
 * (the class of a clone has no transitions), which costs a microsecond and slows down all later reads. Use a spread to
 * replace existing members. Do not use this function for maps with keys from users: `__proto__` is not an ordinary key
 * here.
 */
export function extended<A extends object, B extends object>(object: A, more: B): Omit<A, keyof B> & B {
  return Object.assign({}, object, more)
}
