import { aggregate } from '../../../api/label-matcher.ts'
import type { WeightedNodeTerm } from '../../../api/node-selector.ts'
import type { Node, NodeSelectorTerm } from '../../../api/objects/node.ts'

/**
 * The nodes that terms with matchFields on the name select, if every term does. The terms are alternatives, so a term
 * without a name selects all nodes (undefined).
 */
export function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields } of terms) {
    let ofTerm: Set<string> | undefined
    for (const { key, operator, values } of matchFields ?? []) {
      if (key !== 'metadata.name' || operator !== 'In') continue
      const listed = new Set(values)
      ofTerm = ofTerm === undefined ? listed : new Set([...ofTerm].filter((name) => listed.has(name)))
    }
    if (ofTerm === undefined) return undefined
    for (const name of ofTerm) names.add(name)
  }
  return names
}

/** The problems of terms that the API server accepts: it does not check that the value of Gt is a number. */
export function preferenceProblem(terms: readonly WeightedNodeTerm[]): string | undefined {
  const problems = terms.flatMap(({ term }) => term.problems)
  return problems.length === 0 ? undefined : aggregate(problems)
}

export function sumPreferences({ metadata }: Node, terms: readonly WeightedNodeTerm[]): number {
  let sum = 0
  for (const { weight, term } of terms) if (term.matches(metadata.labels, metadata.name)) sum += weight
  return sum
}
