import { parseGoDurationMs } from '../../api/go-duration.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** The settings of kube-controller-manager's flags, by their names in camel case. */
export interface NodeLifecycleSettings {
  readonly nodeMonitorPeriodMs: number
  readonly nodeMonitorGracePeriodMs: number
  readonly nodeStartupGracePeriodMs: number
  /** Nodes per second that get a NoExecute taint, per zone. */
  readonly nodeEvictionRate: number
  /** The same rate while a zone is partially disrupted and larger than the threshold below. */
  readonly secondaryNodeEvictionRate: number
  readonly unhealthyZoneThreshold: number
  readonly largeClusterSizeThreshold: number
}

/** v1.36, pkg/controller/nodelifecycle/config and cmd/kube-controller-manager. */
export const defaultSettings: NodeLifecycleSettings = {
  nodeMonitorPeriodMs: 5_000,
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
}

interface SettingFlag {
  readonly setting: keyof NodeLifecycleSettings
  readonly kind: 'duration' | 'number' | 'integer'
  readonly help: string
  /** The placeholder and the default in the help of a command. */
  readonly value: string
  readonly shown: string
}

/** The flags of kube-controller-manager that this controller reads. */
export const nodeLifecycleFlags = lookupTable<SettingFlag>({
  'node-monitor-period': {
    setting: 'nodeMonitorPeriodMs',
    kind: 'duration',
    help: 'Interval of node health checks',
    value: 'DURATION',
    shown: '5s',
  },
  'node-monitor-grace-period': {
    setting: 'nodeMonitorGracePeriodMs',
    kind: 'duration',
    help: 'Time without heartbeat after which a running node is marked unhealthy',
    value: 'DURATION',
    shown: '50s',
  },
  'node-startup-grace-period': {
    setting: 'nodeStartupGracePeriodMs',
    kind: 'duration',
    help: 'Time without heartbeat after which a starting node is marked unhealthy',
    value: 'DURATION',
    shown: '1m0s',
  },
  'node-eviction-rate': {
    setting: 'nodeEvictionRate',
    kind: 'number',
    help: 'Nodes per second whose pods are evicted while the zone is healthy',
    value: 'RATE',
    shown: '0.1',
  },
  'secondary-node-eviction-rate': {
    setting: 'secondaryNodeEvictionRate',
    kind: 'number',
    help: 'Nodes per second whose pods are evicted while a large zone is unhealthy; 0 for small zones',
    value: 'RATE',
    shown: '0.01',
  },
  'unhealthy-zone-threshold': {
    setting: 'unhealthyZoneThreshold',
    kind: 'number',
    help: 'Fraction of NotReady nodes (at least 3) from which a zone is unhealthy',
    value: 'FRACTION',
    shown: '0.55',
  },
  'large-cluster-size-threshold': {
    setting: 'largeClusterSizeThreshold',
    kind: 'integer',
    help: 'Number of nodes above which a zone is large',
    value: 'N',
    shown: '50',
  },
})

/** Reads this controller's flags and ignores others. Durations are written as in Go. */
export function readNodeLifecycleFlags(
  flags: Readonly<Record<string, unknown>>,
): Result<Partial<NodeLifecycleSettings>> {
  const settings: Partial<Record<keyof NodeLifecycleSettings, number>> = {}
  for (const [name, value] of Object.entries(flags)) {
    const flag = Object.hasOwn(nodeLifecycleFlags, name) ? nodeLifecycleFlags[name] : undefined
    if (flag === undefined || value === undefined) continue
    const read = readValue(flag.kind, value)
    if (!read.ok) return failed(`${name}: ${read.message}`)
    if (flag.setting === 'nodeMonitorPeriodMs' && read.value === 0) return failed(`${name}: must be more than 0`)
    settings[flag.setting] = read.value
  }
  return done(settings)
}

function readValue(kind: SettingFlag['kind'], value: unknown): Result<number> {
  if (kind === 'duration') {
    if (typeof value !== 'string') return failed(`${JSON.stringify(value)} is not a duration such as "5s"`)
    const parsed = parseGoDurationMs(value)
    if (!parsed.ok) return parsed
    return parsed.value < 0 ? failed(`${JSON.stringify(value)} is negative`) : parsed
  }
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return failed(`${JSON.stringify(value)} is not a number`)
  if (number < 0) return failed(`${JSON.stringify(value)} is negative`)
  if (kind === 'integer' && !Number.isInteger(number)) return failed(`${JSON.stringify(value)} is not an integer`)
  return done(number)
}
