import { RequiredNodeAffinity } from '../../../api/node-selector.ts'
import { labels } from '../../../api/well-known.ts'
import type { LabelColumn } from '../../cache/label-column.ts'
import type { NodeTable } from '../../cache/node-table.ts'
import type { ColumnSources, PluginColumn, PluginColumns, RowClass } from '../../framework/columnar/column.ts'
import { DomainCounter, FEW_DOMAINS } from '../../framework/columnar/domain-counter.ts'
import type { ParsedPod } from '../../framework/contract.ts'
import {
  constraintsOf,
  defaultSelector,
  hasAllKeys,
  includes,
  type SpreadConstraint,
  type SpreadSettings,
} from './constraints.ts'
import type { SpreadState } from './pod-topology-spread.ts'
import { type DomainCounts, ShiftedDomains } from './shifted-domains.ts'
import { domainWeight, labelMissing, NO_DOMAIN, needsAllKeys, normalizeSpread, tooUneven } from './spread-score.ts'

/** In place of a count, where the node lacks the label. */
const NO_LABEL = -1

interface Spread {
  readonly constraint: SpreadConstraint
  readonly counter: DomainCounter
  readonly label: LabelColumn
  /** What a row's number is: the domain it is in, what was counted in that domain, or what was counted on the node. */
  readonly part: 'domain' | 'domain-count' | 'node-count'
}

export function spreadColumns(settings: SpreadSettings): PluginColumns {
  // What the defaults select hangs on objects that come and go; most of the time none did.
  const selectors = new WeakMap<NodeTable, Map<number, { readonly version: number; readonly key: string }>>()
  return {
    open: (pod, sources) => openSpread(pod, settings, sources),
    keyOf(pod, sources) {
      const { shape } = pod
      if ((pod.pod.spec.topologySpreadConstraints ?? []).length > 0) return String(shape.identityId)
      if (settings.defaults.length === 0) return ''
      let known = selectors.get(sources.table)
      if (known === undefined || known.size > IDENTITIES_KEPT) {
        known = new Map()
        selectors.set(sources.table, known)
      }
      const version = ownersVersion(sources)
      let found = known.get(shape.identityId)
      if (found?.version !== version) {
        found = { version, key: defaultsKey(pod, sources) }
        known.set(shape.identityId, found)
      }
      return found.key
    },
  }
}

const IDENTITIES_KEPT = 10_000

function ownersVersion({ versionOf }: ColumnSources): number {
  const owners = ['services', 'replicationcontrollers', 'replicasets.apps', 'statefulsets.apps'] as const
  return owners.reduce((sum, resource) => sum + versionOf(resource), 0)
}

function defaultsKey({ pod, shape }: ParsedPod, { objects }: ColumnSources): string {
  const selector = defaultSelector(pod, objects)
  if (selector.everything) return ''
  return `${shape.namespace} ${selector.matches(shape.labels)} ${selector.toString()}`
}

function openSpread(
  pod: ParsedPod,
  settings: SpreadSettings,
  sources: ColumnSources,
): PluginColumn | undefined | 'plain' {
  const { objects } = sources
  const hard = constraintsOf(pod.pod, 'DoNotSchedule', settings, objects)
  const soft = constraintsOf(pod.pod, 'ScheduleAnyway', settings, objects)
  if (typeof hard === 'string' || typeof soft === 'string') return 'plain'
  if (hard.length === 0 && soft.length === 0) return undefined
  const requireAllKeys = needsAllKeys(pod.pod, settings)
  const hardSpreads = hard.map((one) => countHard(pod, one, hard, sources))
  const softSpreads = soft.map((one) => countSoft(pod, one, requireAllKeys ? soft : [], sources))
  const spreads = [...hardSpreads, ...softSpreads]
  // Upstream takes a missing label for an empty one in places, which only shows where both occur.
  if (spreads.some(({ label }) => label.idOf('') !== undefined)) return 'plain'
  return {
    parts: spreads.length,
    partsOf(row, into, at) {
      for (let i = 0; i < spreads.length; i++) into[at + i] = partOf(spreads[i] as Spread, row)
    },
    ...(hard.length === 0 ? {} : { filterClass: openHard(pod, hardSpreads, sources) }),
    ...(soft.length === 0 ? {} : { scoreClasses: openSoft(softSpreads, hard.length, requireAllKeys) }),
    counters: spreads.map(({ counter }) => counter),
    preFilterState: (like) => (hard.length === 0 ? undefined : stateOf(like, hardSpreads)),
    isCurrent: () => !spreads.some(({ label }) => label.idOf('') !== undefined),
  }
}

function stateOf({ pod }: ParsedPod, spreads: readonly Spread[]): SpreadState {
  return {
    constraints: spreads.map(({ constraint }) => constraint),
    required: new RequiredNodeAffinity(pod),
    counts: spreads.map(({ counter, label }) => new ShiftedDomains(domainsOfCounter(counter, label))),
  }
}

function domainsOfCounter(counter: DomainCounter, label: LabelColumn): DomainCounts {
  return {
    size: counter.domains,
    get: (domain) => counter.countIn(label.idOf(domain) ?? 0),
    leastExcept(domain) {
      const least = domain === undefined ? counter.least : counter.leastExcept(label.idOf(domain) ?? 0)
      return Math.min(least, NO_DOMAIN)
    },
  }
}

function countHard(
  pod: ParsedPod,
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  { table }: ColumnSources,
): Spread {
  const label = table.label(constraint.topologyKey)
  const part = label.distinct > FEW_DOMAINS ? 'domain-count' : 'domain'
  return { constraint, label, part, counter: createCounter(pod, constraint, all, part, table) }
}

function countSoft(
  pod: ParsedPod,
  constraint: SpreadConstraint,
  required: readonly SpreadConstraint[],
  { table }: ColumnSources,
): Spread {
  const label = table.label(constraint.topologyKey)
  const part = constraint.topologyKey === labels.hostname ? 'node-count' : 'domain'
  return { constraint, label, part, counter: createCounter(pod, constraint, required, part, table) }
}

function createCounter(
  pod: ParsedPod,
  constraint: SpreadConstraint,
  required: readonly SpreadConstraint[],
  part: Spread['part'],
  table: ColumnSources['table'],
): DomainCounter {
  const affinity = new RequiredNodeAffinity(pod.pod)
  const { selector, topologyKey } = constraint
  const { namespace } = pod.shape
  return new DomainCounter(table, {
    topologyKey,
    weigh: (shape) => (!selector.everything && shape.namespace === namespace && selector.matches(shape.labels) ? 1 : 0),
    includes(row) {
      const node = table.rows[row]?.node
      return node !== undefined && hasAllKeys(node, required) && includes(constraint, pod.pod, node, affinity)
    },
    countsTerminating: false,
    marksDomain: part === 'domain-count',
    tracksLeast: true,
  })
}

function partOf({ counter, label, part }: Spread, row: number): number {
  const domain = label.ids[row] as number
  if (part === 'domain') return domain
  if (domain === 0) return NO_LABEL
  return part === 'node-count' ? (counter.rowCounts[row] as number) : counter.countIn(domain)
}

/** What was counted where the class is; undefined where there is no label. */
function countOf({ counter, part }: Spread, number: number): number | undefined {
  if (part === 'domain') return number === 0 ? undefined : counter.countIn(number)
  return number === NO_LABEL ? undefined : number
}

function openHard(
  { shape }: ParsedPod,
  spreads: readonly Spread[],
  { statuses }: ColumnSources,
): NonNullable<PluginColumn['filterClass']> {
  const missing = statuses.idOf('PodTopologySpread', labelMissing)
  const uneven = statuses.idOf('PodTopologySpread', tooUneven)
  const self = spreads.map(({ constraint }) => (constraint.selector.matches(shape.labels) ? 1 : 0))
  return ({ parts }, at) => {
    for (let i = 0; i < spreads.length; i++) {
      const spread = spreads[i] as Spread
      const count = countOf(spread, parts[at + i] as number)
      if (count === undefined) return missing
      const { counter, constraint } = spread
      const least = counter.domains < constraint.minDomains ? 0 : Math.min(counter.least, NO_DOMAIN)
      if (count + (self[i] as number) - least > constraint.maxSkew) return uneven
    }
    return 0
  }
}

/** `first` is where the numbers of soft constraints begin among the column's. */
function openSoft(
  spreads: readonly Spread[],
  first: number,
  requireAllKeys: boolean,
): NonNullable<PluginColumn['scoreClasses']> {
  return (feasible, at, scores) => {
    const from = at + first
    const ignored = feasible.map(
      ({ parts }) =>
        requireAllKeys && spreads.some((spread, i) => countOf(spread, parts[from + i] as number) === undefined),
    )
    const weights = spreads.map(({ part }, i) =>
      domainWeight(part === 'node-count' ? rowsOf(feasible, ignored) : domainsOf(feasible, ignored, from + i)),
    )
    for (let c = 0; c < feasible.length; c++) {
      let score = 0
      if (ignored[c] !== true) {
        const { parts } = feasible[c] as RowClass
        for (let i = 0; i < spreads.length; i++) {
          const spread = spreads[i] as Spread
          const count = countOf(spread, parts[from + i] as number)
          if (count !== undefined) score += count * (weights[i] as number) + (spread.constraint.maxSkew - 1)
        }
      }
      scores[c] = Math.round(score)
    }
    normalizeSpread(scores, (c) => ignored[c] === true)
  }
}

function rowsOf(classes: readonly RowClass[], ignored: readonly boolean[]): number {
  let rows = 0
  for (let c = 0; c < classes.length; c++) if (ignored[c] !== true) rows += (classes[c] as RowClass).size
  return rows
}

function domainsOf(classes: readonly RowClass[], ignored: readonly boolean[], at: number): number {
  const domains = new Set<number>()
  for (let c = 0; c < classes.length; c++) {
    if (ignored[c] !== true) domains.add((classes[c] as RowClass).parts[at] as number)
  }
  return domains.size
}
