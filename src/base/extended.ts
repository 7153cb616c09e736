/**
 * `{ ...object, ...more }` for members that the object may lack. Written that way, V8 gives every single result a hidden class
 * of its own (the one of a clone has no transitions), which costs a microsecond and makes all who read it later slow. Members
 * that are there already are best replaced with a spread. Not for maps whose keys users choose: `__proto__` is no key to it.
 */
export function extended<A extends object, B extends object>(object: A, more: B): Omit<A, keyof B> & B {
  return Object.assign({}, object, more)
}
