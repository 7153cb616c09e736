import type { Namespace } from '../../../api/objects/cluster.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { AffinityTerm, ObjectReader, PodShape } from '../../contract/contract.ts'

/** Reports whether a term of a placed pod matches the incoming pod, given the labels of its namespace. */
export function meansIncoming(term: AffinityTerm, incoming: PodShape, namespaceLabels: StringMap | undefined): boolean {
  if (!term.namespaces.has(incoming.namespace) && !term.namespaceSelector.matches(namespaceLabels)) return false
  return term.selector.matches(incoming.labels)
}

/** A term of the incoming pod with its namespace selector resolved to namespaces. */
export interface ResolvedTerm {
  readonly term: AffinityTerm
  readonly namespaces: ReadonlySet<string>
  /**
   * The term matches pods of all namespaces. Up to v1.36, this includes every selector that matches a namespace without
   * labels, because the labels of the namespaces of placed pods are ignored (InterPodAffinity: the term is passed by
   * value when its selector is replaced).
   */
  readonly anyNamespace: boolean
}

export type TermResolver = (term: AffinityTerm, objects: ObjectReader) => ResolvedTerm

export function termResolver({ changes }: KubernetesRelease): TermResolver {
  const isExact = changes.has('NamespaceSelectorsResolved')
  return (term, objects) => resolveTerm(term, objects, isExact)
}

function resolveTerm(term: AffinityTerm, objects: ObjectReader, isExact: boolean): ResolvedTerm {
  const { namespaces, namespaceSelector } = term
  const anyNamespace = isExact ? namespaceSelector.everything : namespaceSelector.matches(undefined)
  if (anyNamespace || namespaceSelector.nothing) return { term, namespaces, anyNamespace }
  const all = new Set(namespaces)
  for (const { metadata } of objects.list('namespaces') as readonly Namespace[]) {
    if (namespaceSelector.matches(metadata.labels)) all.add(metadata.name)
  }
  return { term, namespaces: all, anyNamespace }
}

export function meansPlaced({ term, namespaces, anyNamespace }: ResolvedTerm, placed: PodShape): boolean {
  return (anyNamespace || namespaces.has(placed.namespace)) && term.selector.matches(placed.labels)
}

/** A pod counts for required affinity only if all terms match it. */
export function allMean(terms: readonly ResolvedTerm[], placed: PodShape): boolean {
  return terms.length > 0 && terms.every((term) => meansPlaced(term, placed))
}

export function namespaceLabelsOf(namespace: string, objects: ObjectReader): StringMap | undefined {
  return objects.get('namespaces', namespace)?.metadata.labels
}
