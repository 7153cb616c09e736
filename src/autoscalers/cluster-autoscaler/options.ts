import { parseGoDurationMs } from '../../api/go-duration.ts'
import { editDistance } from '../../base/edit-distance.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { isLimitedFlag, isSwitch } from './flag-limits.ts'

type FlagKind = 'duration' | 'integer' | 'number' | 'boolean' | 'text' | 'range'
type FlagValue = number | boolean | string | FlagRange

/** `MIN:MAX`. */
export interface FlagRange {
  readonly min: number
  readonly max: number
}

interface Flag {
  readonly kind: FlagKind
  readonly value: FlagValue
}

const duration = (ms: number) => ({ kind: 'duration', value: ms }) as const
const integer = (value: number) => ({ kind: 'integer', value }) as const
const number = (value: number) => ({ kind: 'number', value }) as const
const boolean = (value: boolean) => ({ kind: 'boolean', value }) as const
const text = (value: string) => ({ kind: 'text', value }) as const
const range = (min: number, max: number) => ({ kind: 'range', value: { min, max } as FlagRange }) as const

const seconds = (n: number) => n * 1000
const minutes = (n: number) => seconds(60 * n)

/** Flags that affect decisions, with the defaults of 1.36 (config/flags). */
const flags = {
  'scan-interval': duration(seconds(10)),
  'frequent-loops-enabled': boolean(true),
  'max-nodes-total': integer(0),
  // The defaults of upstream: 320,000 cores, and 6,400,000 GiB.
  'cores-total': range(0, 320_000),
  'memory-total': range(0, 6_400_000),
  expander: text('least-waste'),
  'balance-similar-node-groups': boolean(false),
  'balancing-ignore-label': text(''),
  'memory-difference-ratio': number(0.015),
  'max-free-difference-ratio': number(0.05),
  'max-allocatable-difference-ratio': number(0.05),
  'new-pod-scale-up-delay': duration(0),
  'max-node-provision-time': duration(minutes(15)),
  'max-node-startup-time': duration(minutes(15)),
  'max-nodes-per-scaleup': integer(1000),
  'expendable-pods-priority-cutoff': integer(-10),
  'enforce-node-group-min-size': boolean(false),
  'scale-up-from-zero': boolean(true),
  'force-ds': boolean(false),
  'emit-per-nodegroup-metrics': boolean(false),
  'max-total-unready-percentage': number(45),
  'ok-total-unready-count': integer(3),
  'initial-node-group-backoff-duration': duration(minutes(5)),
  'max-node-group-backoff-duration': duration(minutes(30)),
  'node-group-backoff-reset-timeout': duration(minutes(180)),
  'scale-down-enabled': boolean(true),
  'scale-down-unready-enabled': boolean(true),
  'scale-down-delay-after-add': duration(minutes(10)),
  'scale-down-delay-after-delete': duration(0),
  'scale-down-delay-after-failure': duration(minutes(3)),
  'scale-down-unneeded-time': duration(minutes(10)),
  'scale-down-unready-time': duration(minutes(20)),
  'scale-down-utilization-threshold': number(0.5),
  'scale-down-gpu-utilization-threshold': number(0.5),
  'unremovable-node-recheck-timeout': duration(minutes(5)),
  'max-bulk-soft-taint-count': integer(10),
  'max-scale-down-parallelism': integer(10),
  'max-drain-parallelism': integer(1),
  'max-graceful-termination-sec': integer(600),
  'max-pod-eviction-time': duration(minutes(2)),
  'node-delete-delay-after-taint': duration(seconds(5)),
  'cordon-node-before-terminating': boolean(true),
  'daemonset-eviction-for-empty-nodes': boolean(false),
  'daemonset-eviction-for-occupied-nodes': boolean(true),
  'ignore-daemonsets-utilization': boolean(false),
  'ignore-mirror-pods-utilization': boolean(false),
  'skip-nodes-with-system-pods': boolean(true),
  'skip-nodes-with-local-storage': boolean(true),
  'skip-nodes-with-custom-controller-pods': boolean(true),
  'min-replica-count': integer(0),
  'blocking-system-pod-distruption-timeout': duration(minutes(60)),
  'write-status-configmap': boolean(true),
  'status-config-map-name': text('cluster-autoscaler-status'),
  namespace: text('kube-system'),
} as const satisfies Record<string, Flag>

/** Flags of 1.36 that do not affect a forecast. They are accepted and ignored. */
const ignored: ReadonlySet<string> = new Set(
  (
    'add-dir-header address allowed-scheduler-names alsologtostderr async-node-groups aws-use-static-instance-list ' +
    'bulk-mig-instances-listing-enabled bypassed-scheduler-names capacity-buffer-controller-enabled ' +
    'capacity-buffer-pod-dry-run-enabled capacity-buffer-pod-injection-enabled capacity-quotas-enabled ' +
    'check-capacity-batch-processing check-capacity-processor-instance ' +
    'check-capacity-provisioning-request-batch-timebox check-capacity-provisioning-request-max-batch-size ' +
    'provisioning-request-initial-backoff-time provisioning-request-max-backoff-cache-size ' +
    'provisioning-request-max-backoff-time ignore-taint balancing-label cloud-config cloud-provider cluster-name ' +
    'cluster-snapshot-parallelism clusterapi-cloud-config-authoritative debugging-snapshot-enabled ' +
    'drain-priority-config dynamic-node-delete-delay-after-taint-enabled ' +
    'enable-csi-node-aware-scheduling enable-dynamic-resource-allocation enable-proactive-scaleup ' +
    'enable-provisioning-requests estimator fastpath-binpacking-enabled force-delete-failed-nodes ' +
    'force-delete-unregistered-nodes gce-concurrent-refreshes gce-expander-ephemeral-storage-support ' +
    'gce-mig-instances-min-refresh-wait-time gpu-total grpc-expander-cert grpc-expander-url ' +
    'kube-api-content-type kube-client-burst kube-client-qps kubeconfig kubernetes leader-elect ' +
    'leader-elect-lease-duration leader-elect-renew-deadline leader-elect-resource-lock leader-elect-resource-name ' +
    'leader-elect-resource-namespace leader-elect-retry-period log-backtrace-at log-dir log-file ' +
    'logging-format logtostderr max-binpacking-time max-bulk-soft-taint-time max-failing-time max-inactivity ' +
    'max-node-skip-eval-time-tracker-enabled max-nodegroup-binpacking-duration max-startup-time ' +
    'node-autoprovisioning-enabled node-deletion-batcher-interval node-deletion-candidate-ttl ' +
    'node-deletion-delay-timeout node-group-auto-discovery node-info-cache-expire-time ' +
    'node-removal-latency-tracking-enabled nodes one-output parallel-scale-up pod-injection-limit ' +
    'predicate-parallelism profiling record-duplicated-events regional salvo-scale-up salvo-scale-up-budget ' +
    'scale-down-candidates-pool-min-count scale-down-candidates-pool-ratio scale-down-delay-type-local ' +
    'scale-down-non-empty-candidates-count scale-down-simulation-timeout scale-from-unschedulable ' +
    'scaleup-simulation-for-skipped-node-groups-enabled scheduler-config-file skip-headers startup-taint ' +
    'startup-taint-prefix status-taint stderrthreshold user-agent v vmodule'
  ).split(' '),
)

type ValueOf<K extends FlagKind> = K extends 'boolean'
  ? boolean
  : K extends 'text'
    ? string
    : K extends 'range'
      ? FlagRange
      : number

export type AutoscalerOptions = { readonly [F in keyof typeof flags]: ValueOf<(typeof flags)[F]['kind']> }

const table = lookupTable<Flag>(flags)

const expanders = ['random', 'most-pods', 'least-waste', 'least-nodes', 'price', 'priority', 'grpc']

/** Reads flags from the command of a Deployment or from a scenario. */
export function readAutoscalerOptions(given: Readonly<Record<string, unknown>>): Result<AutoscalerOptions> {
  const read: Record<string, FlagValue> = {}
  for (const [name, { value }] of Object.entries(flags)) read[name] = value
  for (const [name, value] of Object.entries(given)) {
    const flag = table[name]
    if (flag === undefined) {
      if (ignored.has(name)) continue
      return failed(`unknown flag --${name} of cluster-autoscaler${hint(name)}`)
    }
    const parsed = parse(flag.kind, value)
    if (parsed === undefined) return failed(`--${name}: must be ${wanted[flag.kind]}, not ${JSON.stringify(value)}`)
    read[name] = parsed
  }
  const unknown = String(read['expander'])
    .split(',')
    .find((name) => !expanders.includes(name))
  if (unknown !== undefined)
    return failed(`--expander: ${JSON.stringify(unknown)} is not one of ${expanders.join(', ')}`)
  return done(read as unknown as AutoscalerOptions)
}

const wanted: Record<FlagKind, string> = {
  duration: 'a duration such as 10m',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  text: 'a string',
  range: 'a range such as 0:320000',
}

function parse(kind: FlagKind, value: unknown): FlagValue | undefined {
  const written = typeof value === 'string' ? value : JSON.stringify(value)
  switch (kind) {
    case 'duration': {
      const parsed = parseGoDurationMs(written)
      return parsed.ok ? parsed.value : undefined
    }
    case 'integer':
      return written !== '' && Number.isSafeInteger(Number(written)) ? Number(written) : undefined
    case 'number':
      return written !== '' && Number.isFinite(Number(written)) ? Number(written) : undefined
    case 'boolean':
      return written === 'true' ? true : written === 'false' ? false : undefined
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'range': {
      const [min, max, more] = written.split(':').map(Number)
      const isRange = min !== undefined && max !== undefined && more === undefined && min >= 0 && min <= max
      return isRange ? { min, max } : undefined
    }
  }
}

function hint(name: string): string {
  const near = Object.keys(flags).find((known) => editDistance(name, known) <= 2)
  return near === undefined ? '' : `; did you mean --${near}?`
}

/** Reports whether an image is an image of Cluster Autoscaler. */
export function isAutoscalerImage(image: string): boolean {
  return image.slice(image.lastIndexOf('/') + 1).startsWith('cluster-autoscaler')
}

/** Reports whether a flag is read here, defines node groups, or limits a forecast. */
function isReadFlag(name: string): boolean {
  return name === 'nodes' || table[name] !== undefined || isLimitedFlag(name)
}

/**
 * The flags of a command line that are read here, in the syntax of Go. Values of a repeated flag are joined by commas.
 */
export function readFlagTexts(words: readonly string[]): Readonly<Record<string, string>> {
  const texts = new Map<string, string>()
  words.forEach((word, at) => {
    if (!word.startsWith('-')) return
    const stripped = word.startsWith('--') ? word.slice(2) : word.slice(1)
    const end = stripped.indexOf('=')
    const name = end < 0 ? stripped : stripped.slice(0, end)
    if (!isReadFlag(name)) return
    const next = words[at + 1]
    const isAlone = table[name]?.kind === 'boolean' || isSwitch(name) || next === undefined || next.startsWith('-')
    const value = end >= 0 ? stripped.slice(end + 1) : isAlone ? 'true' : next
    const before = name === 'nodes' || name === 'balancing-ignore-label' ? texts.get(name) : undefined
    texts.set(name, before === undefined ? value : `${before},${value}`)
  })
  return Object.fromEntries(texts)
}
