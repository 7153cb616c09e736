/** The namespace and the name of an argument `NAME` or `NAMESPACE/NAME`. */
export function namespacedName(given: string, namespace: string): readonly [namespace: string, name: string] {
  return given.includes('/') ? (given.split('/', 2) as [string, string]) : [namespace, given]
}
