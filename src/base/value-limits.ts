/**
 * The maximum number of members of objects and items of lists in a request body, because each can cost much more than its
 * few bytes. An object of 1.5 MiB, the most that etcd stores, has fewer unless they are shorter than 31 bytes on average.
 */
export const maxValues = 50_000
export const tooManyValues = `exceeded max number of members and items of ${maxValues}`

/** The maximum number of members of one object, because tables of names become slower as they grow. */
export const maxMembers = 25_000
export const tooManyMembers = `exceeded max number of members of an object of ${maxMembers}`

/** Why a value exceeds the limits. */
export const valueProblem = (value: unknown): string | undefined => problemOf(counted(value))

/** Why a value exceeds a limit, unless it replaces a value that exceeds the limit equally. */
export function grownValueProblem(value: unknown, before: unknown): string | undefined {
  const now = counted(value)
  const problem = problemOf(now)
  if (problem === undefined) return undefined
  const then = counted(before)
  return now.values > then.values || now.members > then.members ? problem : undefined
}

interface Counted {
  /** Of all objects and lists. */
  values: number
  /** Of the largest object. */
  members: number
}

function problemOf({ values, members }: Counted): string | undefined {
  if (values > maxValues) return tooManyValues
  return members > maxMembers ? tooManyMembers : undefined
}

function counted(value: unknown): Counted {
  const found = { values: 0, members: 0 }
  count(value, found)
  return found
}

function count(value: unknown, found: Counted): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    found.values += value.length
    for (let i = 0; i < value.length; i++) count(value[i], found)
    return
  }
  let members = 0
  for (const name in value) {
    members++
    count((value as Readonly<Record<string, unknown>>)[name], found)
  }
  found.values += members
  if (members > found.members) found.members = members
}
