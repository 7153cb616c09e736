import type { Attack } from './attack.ts'

const maxTries = 60

/**
 * The smallest attack for which `still` is true, found by removing parts: members of a JSON body, else characters of
 * its text.
 */
export async function shrink(attack: Attack, still: (attack: Attack) => Promise<boolean>): Promise<Attack> {
  let smallest = attack
  let tries = 0
  for (let isSmaller = true; isSmaller && tries < maxTries; ) {
    isSmaller = false
    for (const candidate of smallerAttacks(smallest)) {
      if (tries++ >= maxTries) break
      if (!(await still(candidate))) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

function* smallerAttacks(attack: Attack): Iterable<Attack> {
  const { body, path, headers = {} } = attack
  if (typeof body === 'string') for (const smaller of smallerBodies(body)) yield { ...attack, body: smaller }
  else if (body !== undefined) {
    for (const [from, to] of cuts(body.length)) {
      yield { ...attack, body: Buffer.concat([body.subarray(0, from), body.subarray(to)]) }
    }
  }
  if (path.length > 200) for (const smaller of smallerTexts(path)) yield { ...attack, path: smaller }
  for (const [name, value] of Object.entries(headers)) {
    if (value.length < 100) continue
    for (const smaller of smallerTexts(value)) yield { ...attack, headers: { ...headers, [name]: smaller } }
  }
}

function* smallerBodies(body: string): Iterable<string> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    yield* smallerTexts(body)
    return
  }
  for (const smaller of smallerValues(value)) yield JSON.stringify(smaller)
}

/** Large cuts come first: whole members, halves of lists and texts, then the same within the members that stay. */
function* smallerValues(value: unknown): Iterable<unknown> {
  if (typeof value === 'string') yield* value.length > 8 ? smallerTexts(value) : []
  else if (Array.isArray(value)) {
    for (const [from, to] of cuts(value.length)) yield [...value.slice(0, from), ...value.slice(to)]
    for (const [i, item] of value.slice(0, 8).entries()) {
      for (const smaller of smallerValues(item)) yield value.with(i, smaller)
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
    for (const [from, to] of cuts(members.length)) {
      yield Object.fromEntries([...members.slice(0, from), ...members.slice(to)])
    }
    for (const [i, [name, member]] of members.slice(0, 20).entries()) {
      for (const smaller of smallerValues(member)) yield Object.fromEntries(members.with(i, [name, smaller]))
    }
  }
}

function* smallerTexts(text: string): Iterable<string> {
  for (const [from, to] of cuts(text.length)) yield text.slice(0, from) + text.slice(to)
}

/** The ranges to remove from a row of that length: halves, then quarters, down to single items in short rows. */
function* cuts(length: number): Iterable<readonly [from: number, to: number]> {
  const least = length > 16 ? length / 8 : 1
  for (let size = length / 2; size >= least; size /= 2) {
    const step = Math.max(1, Math.floor(size))
    for (let from = 0; from < length; from += step) yield [from, Math.min(length, from + step)]
  }
  if (length === 1) yield [0, 1]
}
