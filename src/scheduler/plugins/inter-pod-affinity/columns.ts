import { DomainCounter, fewDomains } from '../../columns/domain-counter.ts'
import type { ColumnSources, PluginColumn, PluginColumns, RowClass } from '../../columns/plugin-columns.ts'
import type { LabelColumn } from '../../columns/table/label-column.ts'
import type { NodeTable } from '../../columns/table/node-table.ts'
import type { AffinityTerm, ParsedPod, PodShape } from '../../contract/contract.ts'
import type { AffinityState, InterPodAffinityRules } from './inter-pod-affinity.ts'
import { PairCounts, type ReadonlyPairCounts } from './pair-counts.ts'
import { affinityBroken, antiAffinityBroken, existingAntiAffinityBroken, normalizeAffinity } from './rules.ts'
import { allMean, meansIncoming, meansPlaced, namespaceLabelsOf, type ResolvedTerm } from './term-matching.ts'

/** The pods counted by one label, and the meaning of a row's part: its domain, or the count of its domain. */
interface TermCounter {
  readonly counter: DomainCounter
  readonly label: LabelColumn
  readonly part: 'domain' | 'present' | 'count'
}

const noLabel = -1

export function affinityColumns(args: InterPodAffinityRules): PluginColumns {
  const matches = new WeakMap<NodeTable, Map<number, CachedMatches>>()
  const matchesOf = (pod: ParsedPod, sources: ColumnSources): TermMatches => {
    const { table, versionOf } = sources
    let known = matches.get(table)
    if (known === undefined || known.size > maxIdentities) {
      known = new Map()
      matches.set(table, known)
    }
    const terms = table.terms.version
    const namespaces = versionOf('namespaces')
    let found = known.get(pod.shape.identityId)
    if (found?.terms !== terms || found.namespaces !== namespaces) {
      found = { terms, namespaces, matches: matchTerms(pod.shape, sources) }
      known.set(pod.shape.identityId, found)
    }
    return found.matches
  }
  return {
    open: (pod, sources) => openAffinity(pod, args, sources, matchesOf),
    keyOf(pod, sources) {
      // Pods with affinity share a column with pods of the same identity.
      if (pod.shape.hasAffinity) return `=${pod.shape.identityId}`
      return sources.table.terms.version === 0 ? '' : matchesOf(pod, sources).key
    },
  }
}

const maxIdentities = 10_000

interface CachedMatches {
  readonly terms: number
  readonly namespaces: number
  readonly matches: TermMatches
}

/** The terms of placed pods that match a pod. */
interface TermMatches {
  readonly repelling: ReadonlySet<AffinityTerm>
  readonly weighing: ReadonlySet<AffinityTerm>
  readonly key: string
}

const noMatches: TermMatches = { repelling: new Set(), weighing: new Set(), key: '' }

function matchTerms(shape: PodShape, { table, objects }: ColumnSources): TermMatches {
  if (table.terms.version === 0) return noMatches
  const namespaceLabels = namespaceLabelsOf(shape.namespace, objects)
  const matching = (terms: ReadonlySet<AffinityTerm>): ReadonlySet<AffinityTerm> =>
    new Set([...terms].filter((term) => meansIncoming(term, shape, namespaceLabels)))
  const repelling = matching(table.terms.repelling)
  const weighing = matching(table.terms.weighing)
  if (repelling.size === 0 && weighing.size === 0) return noMatches
  const ids = (terms: ReadonlySet<AffinityTerm>): string =>
    [...terms]
      .map(({ id }) => id)
      .sort()
      .join(' ')
  return { repelling, weighing, key: `${ids(repelling)}/${ids(weighing)}` }
}

function openAffinity(
  pod: ParsedPod,
  args: InterPodAffinityRules,
  sources: ColumnSources,
  matchesOf: (pod: ParsedPod, sources: ColumnSources) => TermMatches,
): PluginColumn | undefined | 'plain' {
  const { shape } = pod
  if (shape.termProblem !== undefined) return 'plain'
  const { table, versionOf } = sources
  const matches = matchesOf(pod, sources)
  const reader = new TermReader(shape, args, sources, matches)
  const affinity = termCounters(
    keysOf(reader.affinity),
    table,
    'present',
    (key) => (placed) => reader.attracts(placed, key),
  )
  const antiAffinity = termCounters(
    keysOf(reader.antiAffinity),
    table,
    'present',
    (key) => (placed) => reader.rejects(placed, key),
  )
  const existing = termCounters(reader.repellingKeys, table, 'present', (key) => (placed) => reader.repels(placed, key))
  const scored = termCounters(reader.weighingKeys, table, 'count', (key) => (placed) => reader.weigh(placed, key))
  const all = [...affinity, ...antiAffinity, ...existing, ...scored]
  const filters = affinity.length + antiAffinity.length + existing.length > 0
  const namespaces = versionOf('namespaces')
  return {
    parts: all.length,
    partsOf(row, into, at) {
      for (let i = 0; i < all.length; i++) into[at + i] = partOf(all[i] as TermCounter, row)
    },
    ...(filters ? { filterClass: openFilter(shape, reader.affinity, affinity, antiAffinity, existing, sources) } : {}),
    ...(scored.length === 0 ? {} : { scoreClasses: openScore(scored, all.length - scored.length) }),
    counters: all.map(({ counter }) => counter),
    preFilterState: (like) => stateOf(like, reader, { affinity, antiAffinity, existing }, sources),
    // The plan key of pods without affinity contains their matches. For other pods the matches can change during the
    // plan.
    isCurrent: () =>
      versionOf('namespaces') === namespaces && (!shape.hasAffinity || matchesOf(pod, sources).key === matches.key),
  }
}

/** The terms between the incoming pod and placed pods, in both directions. */
class TermReader {
  readonly affinity: readonly ResolvedTerm[]
  readonly antiAffinity: readonly ResolvedTerm[]
  private readonly preferred: readonly { readonly weight: number; readonly resolved: ResolvedTerm }[]
  private readonly matches: TermMatches
  private readonly hardWeight: number
  private readonly scoresPlaced: boolean

  constructor(shape: PodShape, args: InterPodAffinityRules, { objects }: ColumnSources, matches: TermMatches) {
    this.matches = matches
    this.affinity = shape.requiredAffinity.map((term) => args.resolve(term, objects))
    this.antiAffinity = shape.requiredAntiAffinity.map((term) => args.resolve(term, objects))
    this.preferred = [
      ...shape.preferredAffinity.map(({ weight, term }) => ({ weight, resolved: args.resolve(term, objects) })),
      ...shape.preferredAntiAffinity.map(({ weight, term }) => ({
        weight: -weight,
        resolved: args.resolve(term, objects),
      })),
    ]
    this.hardWeight = args.hardPodAffinityWeight ?? 1
    this.scoresPlaced = args.ignorePreferredTermsOfExistingPods !== true || this.preferred.length > 0
  }

  get repellingKeys(): ReadonlySet<string> {
    return new Set([...this.matches.repelling].map(({ topologyKey }) => topologyKey))
  }

  get weighingKeys(): ReadonlySet<string> {
    const own = this.preferred.map(({ resolved }) => resolved.term.topologyKey)
    const placed = this.scoresPlaced ? [...this.matches.weighing].map(({ topologyKey }) => topologyKey) : []
    return new Set([...own, ...placed])
  }

  /** The number of required affinity terms that a placed pod satisfies. It counts only if all terms match it. */
  attracts(placed: PodShape, key: string): number {
    if (!allMean(this.affinity, placed)) return 0
    return this.affinity.filter(({ term }) => term.topologyKey === key).length
  }

  /** The number of required anti-affinity terms of the incoming pod that match a placed pod. */
  rejects(placed: PodShape, key: string): number {
    return this.antiAffinity.filter((one) => one.term.topologyKey === key && meansPlaced(one, placed)).length
  }

  /** The number of required anti-affinity terms of a placed pod that match the incoming pod. */
  repels(placed: PodShape, key: string): number {
    let count = 0
    for (const term of placed.requiredAntiAffinity) {
      if (term.topologyKey === key && this.matches.repelling.has(term)) count++
    }
    return count
  }

  /** The weight of a placed pod in the score of its domain. */
  weigh(placed: PodShape, key: string): number {
    let sum = 0
    for (const { weight, resolved } of this.preferred) {
      if (resolved.term.topologyKey === key && meansPlaced(resolved, placed)) sum += weight
    }
    if (!this.scoresPlaced || !placed.hasAffinity) return sum
    const { weighing } = this.matches
    const counts = (term: AffinityTerm): boolean => term.topologyKey === key && weighing.has(term)
    if (this.hardWeight > 0) for (const term of placed.requiredAffinity) if (counts(term)) sum += this.hardWeight
    for (const { term, weight } of placed.preferredAffinity) if (counts(term)) sum += weight
    for (const { term, weight } of placed.preferredAntiAffinity) if (counts(term)) sum -= weight
    return sum
  }
}

function stateOf(
  pod: ParsedPod,
  { affinity, antiAffinity }: TermReader,
  counted: {
    readonly affinity: readonly TermCounter[]
    readonly antiAffinity: readonly TermCounter[]
    readonly existing: readonly TermCounter[]
  },
  { objects }: ColumnSources,
): AffinityState | undefined {
  const existing = new PairCounts(pairsOf(counted.existing))
  if (existing.isEmpty && affinity.length === 0 && antiAffinity.length === 0) return undefined
  return {
    affinity,
    antiAffinity,
    namespaceLabels: namespaceLabelsOf(pod.shape.namespace, objects),
    existing,
    affinityCounts: new PairCounts(pairsOf(counted.affinity)),
    antiAffinityCounts: new PairCounts(pairsOf(counted.antiAffinity)),
  }
}

function pairsOf(counted: readonly TermCounter[]): ReadonlyPairCounts {
  const byKey = new Map(counted.map((termCounter) => [termCounter.label.key, termCounter]))
  return {
    get(key, value) {
      const termCounter = byKey.get(key)
      return termCounter === undefined ? 0 : termCounter.counter.countIn(termCounter.label.idOf(value) ?? 0)
    },
    keys: () => byKey.keys(),
    nonZero: counted.reduce((sum, { counter }) => sum + counter.nonZeroDomains, 0),
  }
}

function keysOf(terms: readonly ResolvedTerm[]): ReadonlySet<string> {
  return new Set(terms.map(({ term }) => term.topologyKey))
}

function termCounters(
  keys: ReadonlySet<string>,
  table: NodeTable,
  otherwise: 'present' | 'count',
  weigherOf: (key: string) => (placed: PodShape) => number,
): readonly TermCounter[] {
  return [...keys].map((topologyKey) => {
    const label = table.label(topologyKey)
    const part = label.distinct > fewDomains ? otherwise : 'domain'
    const counter = new DomainCounter(table, {
      topologyKey,
      weigh: weigherOf(topologyKey),
      countsTerminating: true,
      marksDomain: part !== 'domain',
    })
    return { counter, label, part }
  })
}

function partOf({ counter, label, part }: TermCounter, row: number): number {
  const domain = label.ids[row] as number
  if (part === 'domain') return domain
  if (part === 'count') return domain === 0 ? 0 : counter.countIn(domain)
  return domain === 0 ? noLabel : counter.countIn(domain) > 0 ? 1 : 0
}

/** Reports whether a pod was counted in the domain of the class; undefined without the label. */
function isThere({ counter, part }: TermCounter, number: number): boolean | undefined {
  if (part === 'domain') return number === 0 ? undefined : counter.countIn(number) > 0
  return number === noLabel ? undefined : number > 0
}

function openFilter(
  shape: PodShape,
  terms: readonly ResolvedTerm[],
  affinity: readonly TermCounter[],
  antiAffinity: readonly TermCounter[],
  existing: readonly TermCounter[],
  { statuses }: ColumnSources,
): NonNullable<PluginColumn['filterClass']> {
  const apart = statuses.idOf('InterPodAffinity', affinityBroken)
  const together = statuses.idOf('InterPodAffinity', antiAffinityBroken)
  const unwanted = statuses.idOf('InterPodAffinity', existingAntiAffinityBroken)
  const meansItself = allMean(terms, shape)
  const antiAt = affinity.length
  const existingAt = antiAt + antiAffinity.length
  return ({ parts }, at) => {
    let found = true
    let anywhere = 0
    for (let i = 0; i < affinity.length; i++) {
      const termCounter = affinity[i] as TermCounter
      const there = isThere(termCounter, parts[at + i] as number)
      if (there === undefined) return apart
      if (!there) found = false
      anywhere += termCounter.counter.total
    }
    // The first pod of a group with affinity to itself fits anywhere.
    if (!found && !(anywhere === 0 && meansItself)) return apart
    for (let i = 0; i < antiAffinity.length; i++) {
      if (isThere(antiAffinity[i] as TermCounter, parts[at + antiAt + i] as number) === true) return together
    }
    for (let i = 0; i < existing.length; i++) {
      if (isThere(existing[i] as TermCounter, parts[at + existingAt + i] as number) === true) return unwanted
    }
    return 0
  }
}

/** `first` is the index of the first scored part of the column. */
function openScore(scored: readonly TermCounter[], first: number): NonNullable<PluginColumn['scoreClasses']> {
  return (feasible, at, scores) => {
    for (let c = 0; c < feasible.length; c++) {
      const { parts } = feasible[c] as RowClass
      let sum = 0
      for (let i = 0; i < scored.length; i++) {
        const { counter, part } = scored[i] as TermCounter
        const number = parts[at + first + i] as number
        sum += part === 'domain' ? counter.countIn(number) : number
      }
      scores[c] = sum
    }
    normalizeAffinity(scores)
  }
}
