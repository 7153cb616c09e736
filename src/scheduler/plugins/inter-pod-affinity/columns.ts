import type { LabelColumn } from '../../cache/label-column.ts'
import type { NodeTable } from '../../cache/node-table.ts'
import type { ColumnSources, PluginColumn, RowClass } from '../../framework/columnar/column.ts'
import { DomainCounter, FEW_DOMAINS } from '../../framework/columnar/domain-counter.ts'
import type { AffinityTerm, ParsedPod, PodShape } from '../../framework/contract.ts'
import type { InterPodAffinityArgs } from './inter-pod-affinity.ts'
import { affinityBroken, antiAffinityBroken, existingAntiAffinityBroken, normalizeAffinity } from './rules.ts'
import {
  allMean,
  meansIncoming,
  meansPlaced,
  namespaceLabelsOf,
  type ResolvedTerm,
  resolveTerm,
} from './term-matching.ts'

/** Pods counted by one label, and what the number of a row is: its domain, or what was counted there. */
interface Tally {
  readonly counter: DomainCounter
  readonly label: LabelColumn
  readonly part: 'domain' | 'present' | 'count'
}

const NO_LABEL = -1

export function openInterPodAffinity(
  pod: ParsedPod,
  args: InterPodAffinityArgs,
  sources: ColumnSources,
): PluginColumn | undefined | 'plain' {
  const { shape } = pod
  if (shape.termProblem !== undefined) return 'plain'
  const { table } = sources
  const reader = new TermReader(shape, args, sources)
  const keys = placedKeys(table, reader)
  const affinity = tallies(
    topologyKeys(reader.affinity),
    table,
    'present',
    () => (placed) => (allMean(reader.affinity, placed) ? 1 : 0),
  )
  const antiAffinity = tallies(
    topologyKeys(reader.antiAffinity),
    table,
    'present',
    (key) => (placed) =>
      reader.antiAffinity.some((one) => one.term.topologyKey === key && meansPlaced(one, placed)) ? 1 : 0,
  )
  const existing = tallies(keys.existing, table, 'present', (key) => (placed) => reader.existingTerms(placed, key))
  const scored = tallies(keys.scored, table, 'count', (key) => (placed) => reader.weight(placed, key))
  const all = [...affinity, ...antiAffinity, ...existing, ...scored]
  const namespaces = sources.versionOf('namespaces')
  const filters = affinity.length + antiAffinity.length + existing.length > 0
  return {
    parts: all.length,
    partsOf(row, into, at) {
      for (let i = 0; i < all.length; i++) into[at + i] = partOf(all[i] as Tally, row)
    },
    ...(filters ? { filterClass: openFilter(shape, reader.affinity, affinity, antiAffinity, existing, sources) } : {}),
    ...(scored.length === 0 ? {} : { scoreClasses: openScore(scored, all.length - scored.length) }),
    counters: all.map(({ counter }) => counter),
    outgrownBy: ({ shape: placed }) => placed.hasAffinity && reader.needsMore(placed, keys),
    isCurrent: () => sources.versionOf('namespaces') === namespaces,
  }
}

interface PlacedKeys {
  readonly existing: Set<string>
  readonly scored: Set<string>
}

/** Which terms tie the incoming pod to placed ones, in both directions. */
class TermReader {
  readonly affinity: readonly ResolvedTerm[]
  readonly antiAffinity: readonly ResolvedTerm[]
  private readonly preferred: readonly { readonly weight: number; readonly resolved: ResolvedTerm }[]
  private readonly shape: PodShape
  private readonly hardWeight: number
  private readonly scoresPlaced: boolean
  private readonly namespaceLabels: ReturnType<typeof namespaceLabelsOf>
  private readonly means = new Map<AffinityTerm, boolean>()

  constructor(shape: PodShape, args: InterPodAffinityArgs, { objects }: ColumnSources) {
    this.shape = shape
    this.affinity = shape.requiredAffinity.map((term) => resolveTerm(term, objects))
    this.antiAffinity = shape.requiredAntiAffinity.map((term) => resolveTerm(term, objects))
    this.preferred = [
      ...shape.preferredAffinity.map(({ weight, term }) => ({ weight, resolved: resolveTerm(term, objects) })),
      ...shape.preferredAntiAffinity.map(({ weight, term }) => ({
        weight: -weight,
        resolved: resolveTerm(term, objects),
      })),
    ]
    this.namespaceLabels = namespaceLabelsOf(shape.namespace, objects)
    const ignoresPlaced = args.ignorePreferredTermsOfExistingPods === true && this.preferred.length === 0
    this.hardWeight = args.hardPodAffinityWeight ?? 1
    this.scoresPlaced = !ignoresPlaced
  }

  /** Keys of preferred terms of the incoming pod itself. */
  get ownScoredKeys(): readonly string[] {
    return this.preferred.map(({ resolved }) => resolved.term.topologyKey)
  }

  /** How many required anti-affinity terms of a placed pod mean the incoming one. */
  existingTerms(placed: PodShape, key: string): number {
    let count = 0
    for (const term of placed.requiredAntiAffinity) if (term.topologyKey === key && this.isMeant(term)) count++
    return count
  }

  /** What a placed pod adds to the score of its domain. */
  weight(placed: PodShape, key: string): number {
    let sum = 0
    for (const { weight, resolved } of this.preferred) {
      if (resolved.term.topologyKey === key && meansPlaced(resolved, placed)) sum += weight
    }
    this.placedTerms(placed, (term, weight) => {
      if (term.topologyKey === key) sum += weight
    })
    return sum
  }

  /** Visits the terms of a placed pod that count for the incoming one's score. */
  placedTerms(placed: PodShape, visit: (term: AffinityTerm, weight: number) => void): void {
    if (!this.scoresPlaced || !placed.hasAffinity) return
    if (this.hardWeight > 0) {
      for (const term of placed.requiredAffinity) if (this.isMeant(term)) visit(term, this.hardWeight)
    }
    for (const { term, weight } of placed.preferredAffinity) if (this.isMeant(term)) visit(term, weight)
    for (const { term, weight } of placed.preferredAntiAffinity) if (this.isMeant(term)) visit(term, -weight)
  }

  /** Whether a pod brings a topology key that nothing was counted by so far. */
  needsMore(placed: PodShape, keys: PlacedKeys): boolean {
    for (const term of placed.requiredAntiAffinity) {
      if (!keys.existing.has(term.topologyKey) && this.isMeant(term)) return true
    }
    let more = false
    this.placedTerms(placed, ({ topologyKey }) => {
      if (!keys.scored.has(topologyKey)) more = true
    })
    return more
  }

  private isMeant(term: AffinityTerm): boolean {
    let meant = this.means.get(term)
    if (meant === undefined) {
      meant = meansIncoming(term, this.shape, this.namespaceLabels)
      this.means.set(term, meant)
    }
    return meant
  }
}

/** The keys by which placed pods are tied to the incoming one. */
function placedKeys(table: NodeTable, reader: TermReader): PlacedKeys {
  const keys: PlacedKeys = { existing: new Set(), scored: new Set(reader.ownScoredKeys) }
  const seen = new Set<PodShape>()
  for (const row of table.rows) {
    for (const { shape } of row?.podsWithAffinity ?? []) {
      if (seen.has(shape)) continue
      seen.add(shape)
      for (const { topologyKey } of shape.requiredAntiAffinity) {
        if (reader.existingTerms(shape, topologyKey) > 0) keys.existing.add(topologyKey)
      }
      reader.placedTerms(shape, ({ topologyKey }) => keys.scored.add(topologyKey))
    }
  }
  return keys
}

function topologyKeys(terms: readonly ResolvedTerm[]): ReadonlySet<string> {
  return new Set(terms.map(({ term }) => term.topologyKey))
}

function tallies(
  keys: ReadonlySet<string>,
  table: NodeTable,
  otherwise: 'present' | 'count',
  weigherOf: (key: string) => (placed: PodShape) => number,
): readonly Tally[] {
  return [...keys].map((topologyKey) => {
    const label = table.label(topologyKey)
    const part = label.distinct > FEW_DOMAINS ? otherwise : 'domain'
    const counter = new DomainCounter(table, {
      topologyKey,
      weigh: weigherOf(topologyKey),
      countsTerminating: true,
      marksDomain: part !== 'domain',
    })
    return { counter, label, part }
  })
}

function partOf({ counter, label, part }: Tally, row: number): number {
  const domain = label.ids[row] as number
  if (part === 'domain') return domain
  if (part === 'count') return domain === 0 ? 0 : counter.countIn(domain)
  return domain === 0 ? NO_LABEL : counter.countIn(domain) > 0 ? 1 : 0
}

/** Whether any pod was counted where the class is; undefined where the label is missing. */
function isThere({ counter, part }: Tally, number: number): boolean | undefined {
  if (part === 'domain') return number === 0 ? undefined : counter.countIn(number) > 0
  return number === NO_LABEL ? undefined : number > 0
}

function openFilter(
  shape: PodShape,
  terms: readonly ResolvedTerm[],
  affinity: readonly Tally[],
  antiAffinity: readonly Tally[],
  existing: readonly Tally[],
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
      const tally = affinity[i] as Tally
      const there = isThere(tally, parts[at + i] as number)
      if (there === undefined) return apart
      if (!there) found = false
      anywhere += tally.counter.total
    }
    // The first of a group that wants to be with its like may go anywhere.
    if (!found && !(anywhere === 0 && meansItself)) return apart
    for (let i = 0; i < antiAffinity.length; i++) {
      if (isThere(antiAffinity[i] as Tally, parts[at + antiAt + i] as number) === true) return together
    }
    for (let i = 0; i < existing.length; i++) {
      if (isThere(existing[i] as Tally, parts[at + existingAt + i] as number) === true) return unwanted
    }
    return 0
  }
}

/** `first` is where the numbers that are scored begin among the column's. */
function openScore(scored: readonly Tally[], first: number): NonNullable<PluginColumn['scoreClasses']> {
  return (feasible, at, scores) => {
    for (let c = 0; c < feasible.length; c++) {
      const { parts } = feasible[c] as RowClass
      let sum = 0
      for (let i = 0; i < scored.length; i++) {
        const { counter, part } = scored[i] as Tally
        const number = parts[at + first + i] as number
        sum += part === 'domain' ? counter.countIn(number) : number
      }
      scores[c] = sum
    }
    normalizeAffinity(scores)
  }
}
