import { choiceAt, durationAt, fieldOf, WrongField } from '../../api/document-reader.ts'
import type { Fields } from '../../base/fields.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** A number of nodes, or a percentage of the nodes of a pool. */
export type Portion =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number }

/** The actions when a node is not drained within the drain timeout. */
export const timeoutOutcomes = ['fail', 'force', 'skip'] as const
export type TimeoutOutcome = (typeof timeoutOutcomes)[number]

/** How a provider or a tool replaces the nodes of a pool. */
export interface UpgradeStrategy {
  /** The maximum number of nodes beyond the size of the pool. */
  readonly maxSurge: Portion
  /** The maximum number of missing nodes of the pool. */
  readonly maxUnavailable: Portion
  /** At least this number of extra nodes per zone of the pool. */
  readonly surgePerZone?: number
  /** No drain begins before the first extra nodes are Ready. */
  readonly surgesFirst?: boolean
  /** Absent: as many nodes are drained at the same time as maxSurge and maxUnavailable allow together. */
  readonly drainsAtOnce?: 'maxUnavailable'
  /** A percentage of unavailable nodes is rounded up. */
  readonly roundsUp?: boolean
  /** At most this number of nodes is unavailable at the same time. */
  readonly mostUnavailable?: number
  /** Creates all new nodes first, then drains the old ones in batches and removes them at the end. */
  readonly blueGreen?: { readonly batch: Portion; readonly poolSoakMs: number }
  /** Absent: a blocked drain is retried forever. */
  readonly drainTimeoutMs?: number
  readonly onTimeout: TimeoutOutcome
  /** The node whose drain failed becomes schedulable again. */
  readonly releasesFailed?: boolean
  /** Time between the end of a drain, or of a batch, and the removal of the nodes. */
  readonly soakMs: number
  /** Makes all old nodes unschedulable at the start. */
  readonly cordonsAll?: boolean
  /** The node is upgraded and uncordoned instead of replaced. */
  readonly inPlace?: boolean
  /** As `kubectl drain` without --force: refuses nodes with pods that no controller manages. */
  readonly refusesBarePods?: boolean
  /** Nodes with pods that cannot be evicted now are not drained. */
  readonly skipsUnevictable?: boolean
  /** Time from the request for a node until it exists; in place: time of the upgrade. */
  readonly nodeStartupMs: number
  /** Nodes with different values of this label are different pools, upgraded one after the other. */
  readonly poolLabel?: string
}

const count = (value: number): Portion => ({ kind: 'count', count: value })
const percent = (value: number): Portion => ({ kind: 'percent', percent: value })

const minuteMs = 60_000

/** One node at a time; a blocked drain is retried forever. */
const plain: UpgradeStrategy = {
  maxSurge: count(0),
  maxUnavailable: count(1),
  onTimeout: 'fail',
  soakMs: 0,
  nodeStartupMs: minuteMs,
}

/** The documented defaults of providers and tools. */
const presets = lookupTable<UpgradeStrategy>({
  // Managed node groups ("Understand each phase of node updates", Amazon EKS User Guide): after the drain, EKS waits a minute
  // before it terminates the node; at most 100 nodes are unavailable.
  eks: {
    ...plain,
    surgePerZone: 2,
    surgesFirst: true,
    drainsAtOnce: 'maxUnavailable',
    cordonsAll: true,
    mostUnavailable: 100,
    drainTimeoutMs: 15 * minuteMs,
    soakMs: minuteMs,
    poolLabel: 'eks.amazonaws.com/nodegroup',
  },
  // Surge upgrades ("Node upgrade strategies", GKE documentation). Disruption budgets and grace periods are respected for an hour.
  gke: {
    ...plain,
    maxSurge: count(1),
    maxUnavailable: count(0),
    drainTimeoutMs: 60 * minuteMs,
    onTimeout: 'force',
    poolLabel: 'cloud.google.com/gke-nodepool',
  },
  // "Configure rolling upgrades for AKS node pools" and AgentPoolUpgradeSettings: a node that cannot be drained becomes
  // schedulable again, and the upgrade fails. Fractional nodes are rounded up.
  aks: {
    ...plain,
    maxSurge: percent(10),
    maxUnavailable: count(0),
    drainTimeoutMs: 30 * minuteMs,
    releasesFailed: true,
    roundsUp: true,
    poolLabel: 'kubernetes.azure.com/agentpool',
  },
  // Drift with the default budget of a NodePool, and without terminationGracePeriod ("Disruption", Karpenter documentation).
  karpenter: {
    ...plain,
    maxSurge: percent(10),
    maxUnavailable: count(0),
    skipsUnevictable: true,
    poolLabel: 'karpenter.sh/nodepool',
  },
  // kubectl drain, upgrade of the packages, kubectl uncordon; node by node ("Upgrading kubeadm clusters", Kubernetes).
  kubeadm: { ...plain, inPlace: true, refusesBarePods: true },
  // MachineDeployment with RollingUpdate, and without a drain timeout (MachineDeployment, Cluster API reference).
  'cluster-api': { ...plain, maxSurge: count(1), maxUnavailable: count(0) },
})

interface BlueGreenDefaults {
  readonly batch: Portion
  readonly soakMs: number
  readonly poolSoakMs: number
}

/** As in GKE: one node at a time, and the blue pool is kept for an hour after the last drain. */
const plainBlueGreen: BlueGreenDefaults = { batch: count(1), soakMs: 0, poolSoakMs: 60 * minuteMs }

const blueGreenPresets = lookupTable<BlueGreenDefaults>({
  // AgentPoolBlueGreenUpgradeSettings of the AKS API.
  aks: { batch: percent(10), soakMs: 15 * minuteMs, poolSoakMs: 60 * minuteMs },
})

export const presetNames = ['eks', 'gke', 'aks', 'karpenter', 'kubeadm', 'cluster-api'] as const
export type PresetName = (typeof presetNames)[number]

/** The options of a user. Other values come from the preset. */
export interface StrategyChoice {
  readonly preset?: PresetName | undefined
  readonly maxSurge?: Portion | undefined
  readonly maxUnavailable?: Portion | undefined
  readonly drainTimeoutMs?: number | undefined
  readonly onTimeout?: TimeoutOutcome | undefined
  readonly forceAfterMs?: number | undefined
  readonly blueGreen?: boolean | undefined
  readonly batch?: Portion | undefined
  readonly soakMs?: number | undefined
  readonly poolSoakMs?: number | undefined
  readonly inPlace?: boolean | undefined
  readonly nodeStartupMs?: number | undefined
  readonly poolLabel?: string | undefined
}

/** Merges the options with the preset. A failure names the options that contradict each other. */
export function strategyOf(choice: StrategyChoice): Result<UpgradeStrategy> {
  const base = choice.preset === undefined ? plain : (presets[choice.preset] ?? plain)
  const { forceAfterMs, drainTimeoutMs, blueGreen = false, batch, poolSoakMs, inPlace = base.inPlace === true } = choice
  if (forceAfterMs !== undefined && drainTimeoutMs !== undefined)
    return failed('a drain timeout and force-after are mutually exclusive')
  if (blueGreen && inPlace) return failed('blue-green needs new nodes: it cannot be combined with an upgrade in place')
  if (!blueGreen && (batch !== undefined || poolSoakMs !== undefined))
    return failed('batches and pool soak need blue-green')
  const { maxSurge = base.maxSurge, maxUnavailable = base.maxUnavailable } = choice
  if (isZero(maxSurge) && isZero(maxUnavailable)) return failed('maxSurge and maxUnavailable must not both be 0')
  const timeoutMs = forceAfterMs ?? drainTimeoutMs ?? base.drainTimeoutMs
  const { poolLabel = base.poolLabel } = choice
  const green = blueGreenPresets[choice.preset ?? ''] ?? plainBlueGreen
  const { drainTimeoutMs: _, blueGreen: __, inPlace: ___, poolLabel: ____, ...rest } = base
  return done({
    ...rest,
    maxSurge,
    maxUnavailable,
    ...(timeoutMs === undefined ? {} : { drainTimeoutMs: timeoutMs }),
    onTimeout: forceAfterMs === undefined ? (choice.onTimeout ?? base.onTimeout) : 'force',
    ...(blueGreen ? { blueGreen: { batch: batch ?? green.batch, poolSoakMs: poolSoakMs ?? green.poolSoakMs } } : {}),
    ...(inPlace ? { inPlace } : {}),
    soakMs: choice.soakMs ?? (blueGreen ? Math.max(green.soakMs, base.soakMs) : base.soakMs),
    nodeStartupMs: choice.nodeStartupMs ?? base.nodeStartupMs,
    ...(poolLabel === undefined ? {} : { poolLabel }),
  })
}

/** Reads `3` or `10%`. */
export function parsePortion(given: string): Result<Portion> {
  const read = /^(\d{1,6})(%?)$/.exec(given)
  if (read === null) return failed('must be a number of nodes or a percentage, for example 1 or 10%')
  const value = Number(read[1])
  if (read[2] === '') return done(count(value))
  return value > 100 ? failed('must be at most 100%') : done(percent(value))
}

/** The number of nodes of a pool. Surge is rounded up and unavailability is rounded down, as in Deployments. */
export function nodesOf(portion: Portion, size: number, rounded: 'up' | 'down'): number {
  if (portion.kind === 'count') return portion.count
  const exact = (portion.percent * size) / 100
  return rounded === 'up' ? Math.ceil(exact) : Math.floor(exact)
}

/** The number of nodes of a pool that may be unavailable. */
export function unavailableOf({ maxUnavailable, roundsUp, mostUnavailable }: UpgradeStrategy, size: number): number {
  const wanted = nodesOf(maxUnavailable, size, roundsUp === true ? 'up' : 'down')
  return Math.min(wanted, mostUnavailable ?? wanted)
}

function isZero(portion: Portion): boolean {
  return portion.kind === 'count' ? portion.count === 0 : portion.percent === 0
}

export const strategyFields = [
  'preset',
  'maxSurge',
  'maxUnavailable',
  'drainTimeout',
  'onTimeout',
  'forceAfter',
  'blueGreen',
  'batch',
  'soak',
  'poolSoak',
  'inPlace',
  'nodeStartup',
  'poolLabel',
] as const

/** Reads the strategy of a step of a scenario. */
export function readStrategy(fields: Fields, path: string): UpgradeStrategy {
  const portion = (name: string) => portionAt(fields[name], fieldOf(path, name))
  const duration = (name: string) =>
    fields[name] === undefined ? undefined : durationAt(fields[name], fieldOf(path, name))
  const flag = (name: string) => flagAt(fields[name], fieldOf(path, name))
  const { preset, onTimeout, poolLabel } = fields
  if (poolLabel !== undefined && typeof poolLabel !== 'string')
    throw new WrongField(fieldOf(path, 'poolLabel'), 'must be the key of a label')
  const read = strategyOf({
    preset: preset === undefined ? undefined : choiceAt(preset, fieldOf(path, 'preset'), presetNames),
    maxSurge: portion('maxSurge'),
    maxUnavailable: portion('maxUnavailable'),
    drainTimeoutMs: duration('drainTimeout'),
    onTimeout: onTimeout === undefined ? undefined : choiceAt(onTimeout, fieldOf(path, 'onTimeout'), timeoutOutcomes),
    forceAfterMs: duration('forceAfter'),
    blueGreen: flag('blueGreen'),
    batch: portion('batch'),
    soakMs: duration('soak'),
    poolSoakMs: duration('poolSoak'),
    inPlace: flag('inPlace'),
    nodeStartupMs: duration('nodeStartup'),
    poolLabel,
  })
  if (!read.ok) throw new WrongField(path, read.message)
  return read.value
}

function portionAt(value: unknown, path: string): Portion | undefined {
  if (value === undefined) return undefined
  const read = parsePortion(String(value))
  if (!read.ok) throw new WrongField(path, read.message)
  return read.value
}

function flagAt(value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw new WrongField(path, 'must be true or false')
}

/** The strategy with the fields of a scenario. */
export function strategySource(strategy: UpgradeStrategy): Readonly<Record<string, unknown>> {
  const { maxSurge, maxUnavailable, blueGreen, drainTimeoutMs, onTimeout, soakMs, inPlace, nodeStartupMs, poolLabel } =
    strategy
  return {
    ...(inPlace === true ? { inPlace } : {}),
    ...(blueGreen === undefined
      ? { maxSurge: portionText(maxSurge), maxUnavailable: portionText(maxUnavailable) }
      : { blueGreen: true, batch: portionText(blueGreen.batch), poolSoak: `${blueGreen.poolSoakMs / 1000}s` }),
    ...(drainTimeoutMs === undefined ? {} : { drainTimeout: `${drainTimeoutMs / 1000}s`, onTimeout }),
    ...(soakMs === 0 ? {} : { soak: `${soakMs / 1000}s` }),
    nodeStartup: `${nodeStartupMs / 1000}s`,
    ...(poolLabel === undefined ? {} : { poolLabel }),
  }
}

function portionText(portion: Portion): string {
  return portion.kind === 'count' ? String(portion.count) : `${portion.percent}%`
}
