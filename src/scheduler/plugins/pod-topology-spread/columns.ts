import { RequiredNodeAffinity } from '../../../api/node-selector.ts'
import { labels } from '../../../api/well-known.ts'
import { DomainCounter, fewDomains } from '../../columns/domain-counter.ts'
import type { ColumnSources, PluginColumn, PluginColumns, RowClass } from '../../columns/plugin-columns.ts'
import type { LabelColumn } from '../../columns/table/label-column.ts'
import type { NodeTable } from '../../columns/table/node-table.ts'
import { countRows } from '../../columns/table/placed-shapes.ts'
import type { ParsedPod } from '../../contract/contract.ts'
import {
  constraintsOf,
  defaultSelector,
  hasAllKeys,
  includes,
  type SpreadConstraint,
  type SpreadSettings,
} from './constraints.ts'
import type { SpreadState } from './pod-topology-spread.ts'
import { RetargetedCounts, type WorkloadSelector } from './retargeted-counts.ts'
import { type DomainCounts, ShiftedDomains } from './shifted-domains.ts'
import { domainWeight, labelMissing, needsAllKeys, noDomain, normalizeSpread, tooUneven } from './spread-score.ts'

/** Replaces the count on nodes without the label. */
const noLabel = -1

interface SpreadCounts {
  /** The pods in a domain, by value id of the label. */
  countIn(domain: number): number
  /** The pods on a node. */
  countOn(row: number): number
}

interface SpreadColumn<C extends SpreadCounts = SpreadCounts> {
  readonly constraint: SpreadConstraint
  readonly counter: C
  readonly label: LabelColumn
  /** The meaning of a row's part: its domain, the count of its domain, or the count of its node. */
  readonly part: 'domain' | 'domain-count' | 'node-count'
}

export function spreadColumns(settings: SpreadSettings): PluginColumns {
  // The default selector depends on objects that rarely change.
  const selectors = new WeakMap<NodeTable, Map<number, CachedSelector>>()
  const selectionOf = (pod: ParsedPod, sources: ColumnSources): CachedSelector => {
    let known = selectors.get(sources.table)
    if (known === undefined || known.size > maxIdentities) {
      known = new Map()
      selectors.set(sources.table, known)
    }
    const version = ownersVersion(sources)
    let found = known.get(pod.shape.identityId)
    if (found?.version !== version) {
      found = { version, ...defaultSelection(pod, sources) }
      known.set(pod.shape.identityId, found)
    }
    return found
  }
  const onlySoft = settings.defaults.every(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
  const sharesPlan = (pod: ParsedPod, sources: ColumnSources): boolean => {
    if (!onlySoft || ownConstraints(pod) || settings.defaults.length === 0) return false
    const { selector, key, namespace } = selectionOf(pod, sources)
    if (selector.everything) return false
    const placed = sources.table.placed()
    return sources.sharesPlan(countRows(placed.selectedBy(namespace, selector, key)))
  }
  return {
    open: (pod, sources) =>
      sharesPlan(pod, sources)
        ? openRetargeted(pod, settings, sources, (one) => selectionOf(one, sources))
        : openSpread(pod, settings, sources),
    keyOf(pod, sources) {
      if (ownConstraints(pod)) return String(pod.shape.identityId)
      if (settings.defaults.length === 0) return ''
      return sharesPlan(pod, sources) ? '~' : selectionOf(pod, sources).key
    },
    filterKeyOf(pod, sources) {
      if (ownConstraints(pod)) return String(pod.shape.identityId)
      return onlySoft ? '' : selectionOf(pod, sources).key
    },
  }
}

function ownConstraints({ pod }: ParsedPod): boolean {
  return (pod.spec.topologySpreadConstraints ?? []).length > 0
}

interface CachedSelector extends WorkloadSelector {
  readonly version: number
}

const maxIdentities = 10_000

function ownersVersion({ versionOf }: ColumnSources): number {
  const owners = ['services', 'replicationcontrollers', 'replicasets.apps', 'statefulsets.apps'] as const
  return owners.reduce((sum, resource) => sum + versionOf(resource), 0)
}

function defaultSelection({ pod, shape }: ParsedPod, { objects }: ColumnSources): WorkloadSelector {
  const selector = defaultSelector(pod, objects)
  const { namespace } = shape
  const key = selector.everything ? '' : `${namespace} ${selector.matches(shape.labels)} ${selector.toString()}`
  return { key, namespace, selector }
}

/** For pods that differ only in the default selector, which matches pods on few nodes. */
function openRetargeted(
  pod: ParsedPod,
  settings: SpreadSettings,
  sources: ColumnSources,
  selectionOf: (pod: ParsedPod) => WorkloadSelector,
): PluginColumn | 'plain' {
  const { table, objects } = sources
  const soft = constraintsOf(pod.pod, 'ScheduleAnyway', settings, objects)
  if (typeof soft === 'string') return 'plain'
  const requireAllKeys = needsAllKeys(pod.pod, settings)
  const required = requireAllKeys ? soft : []
  const labelsOfSoft = soft.map(({ topologyKey }) => table.label(topologyKey))
  const lacksNames = (): boolean => labelsOfSoft.some((label) => label.idOf('') !== undefined)
  if (lacksNames()) return 'plain'
  // For the hostname the count per node is enough.
  const summed = soft.filter((constraint) => softPart(constraint) === 'domain')
  const counts = new RetargetedCounts(
    table,
    summed.map((constraint) => ({
      label: table.label(constraint.topologyKey),
      includes: inclusionOf(pod, constraint, required, table),
    })),
  )
  const spreads = soft.map((constraint, i): SpreadColumn => {
    const n = summed.indexOf(constraint)
    const counter = {
      countIn: (domain: number) => counts.countIn(n, domain),
      countOn: (row: number) => counts.countOn(row),
    }
    return { constraint, counter, label: labelsOfSoft[i] as LabelColumn, part: softPart(constraint) }
  })
  return {
    ...partsOf(spreads),
    scoreClasses: openSoft(spreads, 0, requireAllKeys),
    counters: [counts],
    preFilterState: () => undefined,
    isCurrent: () => !lacksNames(),
    retarget: (one, dirty) => counts.retarget(selectionOf(one), dirty),
  }
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
  // Upstream sometimes treats a missing label like an empty value, which matters only when both occur.
  if (spreads.some(({ label }) => label.idOf('') !== undefined)) return 'plain'
  return {
    ...partsOf(spreads),
    ...(hard.length === 0 ? {} : { filterClass: openHard(pod, hardSpreads, sources) }),
    ...(soft.length === 0 ? {} : { scoreClasses: openSoft(softSpreads, hard.length, requireAllKeys) }),
    counters: spreads.map(({ counter }) => counter),
    preFilterState: (like) => (hard.length === 0 ? undefined : stateOf(like, hardSpreads)),
    isCurrent: () => !spreads.some(({ label }) => label.idOf('') !== undefined),
  }
}

function partsOf(spreads: readonly SpreadColumn[]): Pick<PluginColumn, 'parts' | 'partsOf'> {
  return {
    parts: spreads.length,
    partsOf(row, into, at) {
      for (let i = 0; i < spreads.length; i++) into[at + i] = partOf(spreads[i] as SpreadColumn, row)
    },
  }
}

function stateOf({ pod }: ParsedPod, spreads: readonly SpreadColumn<DomainCounter>[]): SpreadState {
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
      return Math.min(least, noDomain)
    },
  }
}

function countHard(
  pod: ParsedPod,
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  { table }: ColumnSources,
): SpreadColumn<DomainCounter> {
  const label = table.label(constraint.topologyKey)
  const part = label.distinct > fewDomains ? 'domain-count' : 'domain'
  return { constraint, label, part, counter: createCounter(pod, constraint, all, part, table) }
}

function countSoft(
  pod: ParsedPod,
  constraint: SpreadConstraint,
  required: readonly SpreadConstraint[],
  { table }: ColumnSources,
): SpreadColumn<DomainCounter> {
  const label = table.label(constraint.topologyKey)
  const part = softPart(constraint)
  return { constraint, label, part, counter: createCounter(pod, constraint, required, part, table) }
}

function softPart({ topologyKey }: SpreadConstraint): SpreadColumn['part'] {
  return topologyKey === labels.hostname ? 'node-count' : 'domain'
}

function createCounter(
  pod: ParsedPod,
  constraint: SpreadConstraint,
  required: readonly SpreadConstraint[],
  part: SpreadColumn['part'],
  table: ColumnSources['table'],
): DomainCounter {
  const { selector, topologyKey } = constraint
  const { namespace } = pod.shape
  return new DomainCounter(table, {
    topologyKey,
    weigh: (shape) => (!selector.everything && shape.namespace === namespace && selector.matches(shape.labels) ? 1 : 0),
    includes: inclusionOf(pod, constraint, required, table),
    countsTerminating: false,
    marksDomain: part === 'domain-count',
    tracksLeast: true,
  })
}

/** Returns a function that reports whether pods on a row count for the constraint. */
function inclusionOf(
  { pod }: ParsedPod,
  constraint: SpreadConstraint,
  required: readonly SpreadConstraint[],
  table: NodeTable,
): (row: number) => boolean {
  const affinity = new RequiredNodeAffinity(pod)
  return (row) => {
    const node = table.rows[row]?.node
    return node !== undefined && hasAllKeys(node, required) && includes(constraint, pod, node, affinity)
  }
}

function partOf({ counter, label, part }: SpreadColumn, row: number): number {
  const domain = label.ids[row] as number
  if (part === 'domain') return domain
  if (domain === 0) return noLabel
  return part === 'node-count' ? counter.countOn(row) : counter.countIn(domain)
}

/** The count of the class; undefined without the label. */
function countOf({ counter, part }: SpreadColumn, number: number): number | undefined {
  if (part === 'domain') return number === 0 ? undefined : counter.countIn(number)
  return number === noLabel ? undefined : number
}

function openHard(
  { shape }: ParsedPod,
  spreads: readonly SpreadColumn<DomainCounter>[],
  { statuses }: ColumnSources,
): NonNullable<PluginColumn['filterClass']> {
  const missing = statuses.idOf('PodTopologySpread', labelMissing)
  const uneven = statuses.idOf('PodTopologySpread', tooUneven)
  const self = spreads.map(({ constraint }) => (constraint.selector.matches(shape.labels) ? 1 : 0))
  return ({ parts }, at) => {
    for (let i = 0; i < spreads.length; i++) {
      const spread = spreads[i] as SpreadColumn<DomainCounter>
      const count = countOf(spread, parts[at + i] as number)
      if (count === undefined) return missing
      const { counter, constraint } = spread
      const least = counter.domains < constraint.minDomains ? 0 : Math.min(counter.least, noDomain)
      if (count + (self[i] as number) - least > constraint.maxSkew) return uneven
    }
    return 0
  }
}

/** `first` is the index of the first part of soft constraints. */
function openSoft(
  spreads: readonly SpreadColumn[],
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
          const spread = spreads[i] as SpreadColumn
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
