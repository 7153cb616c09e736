import { parseGoDurationMs } from '../api/go-duration.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../api/releases/release-of.ts'
import {
  defaultHorizontalOptions,
  type HorizontalOptions,
  horizontalFlags,
  readHorizontalFlags,
} from '../autoscalers/horizontal-pod-autoscaler/options.ts'
import { editDistance } from '../base/edit-distance.ts'
import { lookupTable } from '../base/lookup-table.ts'
import { done, failed, must, type Result } from '../base/result.ts'
import { chooseFixes, type FixSet, noFixes } from '../controllers/fixes.ts'
import {
  defaultSettings as defaultNodeIpam,
  type NodeIpamSettings,
  nodeIpamFlags,
  readNodeIpamFlags,
} from '../controllers/node-ipam/options.ts'
import {
  type NodeLifecycleSettings,
  nodeLifecycleFlags,
  readNodeLifecycleFlags,
} from '../controllers/node-lifecycle/options.ts'
import { type RequestLimits, readRequestLimits, upstreamRequestLimits } from '../runtime/request-limits.ts'
import { readSchedulerConfiguration, type SchedulerConfiguration } from '../scheduler/config/scheduler-configuration.ts'
import type { PluginFactory } from '../scheduler/contract/contract.ts'
import { readRelease } from './release-flags.ts'

/**
 * The configuration of a control plane: flags with the names of kube-controller-manager and kube-scheduler, and the
 * enabled fixes. Scenarios, `berth up`, `berth run` and what-if use it.
 */
export interface Settings {
  /** The release of Kubernetes, with its feature gates. */
  readonly release: KubernetesRelease
  readonly nodeLifecycle: Partial<NodeLifecycleSettings>
  readonly nodeIpam: NodeIpamSettings
  readonly scheduler: SchedulerSettings
  readonly maxUnschedulableMs: number
  readonly horizontal: HorizontalOptions
  readonly evictionsPerSecond: number
  /** Request limits of the clients of kube-controller-manager's controllers; absent: no limit. */
  readonly requests: RequestLimits | undefined
  readonly fixes: FixSet
  /** Every given flag, for controllers that read additional flags. */
  readonly flags: Readonly<Record<string, unknown>>
}

export interface SchedulerSettings {
  readonly configuration: SchedulerConfiguration
  /** Reads the configuration for another release; absent: the configuration is the same for all releases. */
  readonly configurationOf?: (release: KubernetesRelease) => SchedulerConfiguration
  /** Additional plugins by name; they are enabled in every profile. */
  readonly plugins: Readonly<Record<string, PluginFactory>>
}

const configurationKind = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' }

/** The configuration of a scheduler, which depends on the release, and additional plugins. */
export interface SchedulerSource {
  readonly configurationOf?: (release: KubernetesRelease) => SchedulerConfiguration
  readonly plugins?: SchedulerSettings['plugins']
}

function defaultConfiguration(release: KubernetesRelease): SchedulerConfiguration {
  return must(readSchedulerConfiguration(configurationKind, release))
}

export const defaultSettings: Settings = {
  release: defaultRelease,
  nodeLifecycle: {},
  nodeIpam: defaultNodeIpam,
  scheduler: {
    configuration: defaultConfiguration(defaultRelease),
    configurationOf: defaultConfiguration,
    plugins: {},
  },
  maxUnschedulableMs: 300_000,
  horizontal: defaultHorizontalOptions,
  evictionsPerSecond: 5,
  requests: upstreamRequestLimits,
  fixes: noFixes,
  flags: {},
}

interface KnownFlag {
  readonly help: string
  /** The placeholder in the usage line: `DURATION`. */
  readonly value?: string
  /** The default in the help. */
  readonly shown?: string
}

/** All known flags with their help. Each module adds its own here. */
export const knownFlags = lookupTable<KnownFlag>({
  'kubernetes-version': { help: 'Release of Kubernetes, for example 1.36, or with its patch level, 1.36.2' },
  'feature-gates': { help: 'Feature gates of the release, for example A=true,B=false' },
  ...nodeLifecycleFlags,
  ...nodeIpamFlags,
  'pod-max-in-unschedulable-pods-duration': {
    help: 'Maximum time a pod stays unschedulable before it is retried',
    value: 'DURATION',
    shown: '5m0s',
  },
  ...horizontalFlags,
  'kube-api-qps': { help: 'Requests per second of each controller client, in forecasts' },
  'kube-api-burst': { help: 'Burst of each controller client, in forecasts' },
  'taint-evictions-per-second': {
    help: 'Maximum evictions per second with the fix eviction-rate',
    value: 'RATE',
    shown: '5',
  },
  behavior: { help: 'upstream, or improved to enable all fixes' },
  fix: { help: 'Enable one fix by its ID; may be repeated' },
})

/** `scheduler`: the settings from a KubeSchedulerConfiguration file and users' plugins. */
export function readSettings(
  flags: Readonly<Record<string, unknown>>,
  scheduler: SchedulerSource = {},
): Result<Settings> {
  for (const name of Object.keys(flags)) {
    if (!Object.hasOwn(knownFlags, name)) return failed(`unknown flag ${JSON.stringify(name)}; ${nearest(name)}`)
  }
  const release = readRelease(flags)
  if (!release.ok) return release
  const nodeLifecycle = readNodeLifecycleFlags(flags)
  if (!nodeLifecycle.ok) return nodeLifecycle
  const nodeIpam = readNodeIpamFlags(flags)
  if (!nodeIpam.ok) return nodeIpam
  const unschedulable = parseGoDurationMs(String(flags['pod-max-in-unschedulable-pods-duration'] ?? '5m'))
  if (!unschedulable.ok) return failed(`pod-max-in-unschedulable-pods-duration: ${unschedulable.message}`)
  const horizontal = readHorizontalFlags(flags)
  if (!horizontal.ok) return horizontal
  const evictionsPerSecond = Number(flags['taint-evictions-per-second'] ?? defaultSettings.evictionsPerSecond)
  if (!(evictionsPerSecond > 0)) return failed('taint-evictions-per-second: must be a number > 0')
  const requests = readRequestLimits(flags)
  if (!requests.ok) return requests
  const fix = flags['fix']
  const fixes = chooseFixes({
    behavior: flags['behavior'] as string | undefined,
    fix: fix === undefined ? [] : [fix as string | readonly string[]].flat(),
  })
  if (!fixes.ok) return fixes
  const { configurationOf = defaultConfiguration, plugins = {} } = scheduler
  return done({
    release: release.value,
    nodeLifecycle: nodeLifecycle.value,
    nodeIpam: nodeIpam.value,
    scheduler: { configuration: configurationOf(release.value), configurationOf, plugins },
    maxUnschedulableMs: unschedulable.value,
    horizontal: horizontal.value,
    evictionsPerSecond,
    requests: requests.value,
    fixes: fixes.value,
    flags,
  })
}

/** The same settings for another release, or for other gates. The default plugins of the scheduler depend on them. */
export function withRelease(settings: Settings, release: KubernetesRelease): Settings {
  const { configurationOf, configuration } = settings.scheduler
  const scheduler = { ...settings.scheduler, configuration: configurationOf?.(release) ?? configuration }
  return { ...settings, release, scheduler }
}

function nearest(name: string): string {
  const known = Object.keys(knownFlags)
  // Also accepts --node-monitor-period and nodeMonitorPeriod.
  const written = name.replace(/^-+/, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const starting = known.filter((other) => other.startsWith(`${written}-`))
  const likely =
    known.find((other) => editDistance(written, other) <= 3) ?? (starting.length === 1 ? starting[0] : undefined)
  if (likely !== undefined) return `did you mean ${likely}?`
  const word = name.split('-')[0] ?? ''
  const alike = known.filter((other) => other.includes(word))
  return `known flags: ${(alike.length === 0 ? known : alike).join(', ')}`
}
