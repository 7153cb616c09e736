import type { KubeObject } from '../../api/objects/meta.ts'
import { editDistance } from '../../base/edit-distance.ts'
import { listed } from '../report/phrases.ts'

/** `nodes "nod-3" not found in dump.json; did you mean "node-3"?` */
export function notFoundText(resource: string, name: string, known: readonly string[], source?: string): string {
  const where = source === undefined ? '' : ` in ${source}`
  return `${resource} ${JSON.stringify(name)} not found${where}; ${nameHint(name, known)}`
}

/**
 * The known name for a given name: the same name, or the only name that continues it after a period. Output omits the
 * suffix that names share, and printed names are accepted as input.
 */
export function meantName(given: string, known: readonly string[]): string | undefined {
  if (known.includes(given)) return given
  const [only, ...others] = known.filter((name) => name.startsWith(`${given}.`))
  return others.length === 0 ? only : undefined
}

/** No node has this label. Suggests values. */
export function unmatchedLabelText(
  { key, value }: { readonly key: string; readonly value: string },
  nodes: readonly KubeObject[],
): string {
  const found = nodes.map(({ metadata }) => metadata.labels?.[key]).filter((each) => each !== undefined)
  if (found.length === 0) return `no node matches ${key}=${value}: no node has the label ${key}`
  return `no node matches ${key}=${value}; ${nameHint(value, [...new Set(found)].sort(), 8)}`
}

/** Suggests the intended names, or otherwise lists the nearest ones. */
export function nameHint(unknown: string, known: readonly string[], most = 6): string {
  if (known.length === 0) return 'none exist'
  const similar = similarNames(unknown, known)
  if (similar.length > 0) return `did you mean ${listed(quoted(similar), most)}?`
  return `existing names are ${listed(quoted(nearestFirst(unknown, known)), most)}`
}

const quoted = (names: readonly string[]): readonly string[] => names.map((name) => JSON.stringify(name))

// Long generated names share most of their characters, so only a typing error counts as similar.
const mostEdits = 2

/** Names that differ by at most two edits, or otherwise names that contain the given name or are contained in it. */
function similarNames(unknown: string, known: readonly string[]): readonly string[] {
  const rated = known.flatMap((name) => {
    const isLengthSimilar = Math.abs(unknown.length - name.length) <= mostEdits
    const edits = isLengthSimilar ? editDistance(unknown, name) : mostEdits + 1
    if (edits <= Math.min(mostEdits, unknown.length / 3)) return [{ name, rank: edits }]
    const isPart =
      name.startsWith(unknown) || (unknown.length > 2 && (name.includes(unknown) || unknown.includes(name)))
    return isPart ? [{ name, rank: mostEdits + 1 }] : []
  })
  const best = Math.min(...rated.map(({ rank }) => rank))
  return rated
    .filter(({ rank }) => rank === best)
    .map(({ name }) => name)
    .sort()
}

function nearestFirst(unknown: string, known: readonly string[]): readonly string[] {
  return known
    .map((name) => ({ name, edits: editDistance(unknown, name) }))
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
}
