import { parseGoDurationMs } from '../../api/go-duration.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** The flags of Karpenter v1.14 that affect decisions. */
export interface KarpenterOptions {
  readonly batchMaxMs: number
  readonly batchIdleMs: number
  readonly preferences: 'Respect' | 'Ignore'
  readonly minValues: 'Strict' | 'BestEffort'
  readonly gates: Readonly<Record<Gate, boolean>>
}

type Gate = 'NodeRepair' | 'ReservedCapacity' | 'SpotToSpotConsolidation' | 'NodeOverlay' | 'StaticCapacity'

export const defaultOptions: KarpenterOptions = {
  batchMaxMs: 10_000,
  batchIdleMs: 1_000,
  preferences: 'Respect',
  minValues: 'Strict',
  gates: {
    NodeRepair: false,
    ReservedCapacity: true,
    SpotToSpotConsolidation: false,
    NodeOverlay: false,
    StaticCapacity: false,
  },
}

type Read = (value: string, options: KarpenterOptions) => KarpenterOptions | string

const duration =
  (field: 'batchMaxMs' | 'batchIdleMs'): Read =>
  (value, options) => {
    const parsed = parseGoDurationMs(value)
    return parsed.ok ? { ...options, [field]: parsed.value } : 'must be a duration such as 10s'
  }

const choice =
  (field: 'preferences' | 'minValues', choices: readonly string[]): Read =>
  (value, options) =>
    choices.includes(value) ? { ...options, [field]: value } : `must be one of ${choices.join(', ')}`

const flags = lookupTable<Read>({
  'batch-max-duration': duration('batchMaxMs'),
  'batch-idle-duration': duration('batchIdleMs'),
  'preference-policy': choice('preferences', ['Respect', 'Ignore']),
  'min-values-policy': choice('minValues', ['Strict', 'BestEffort']),
  'feature-gates': readGates,
})

// These flags affect how Karpenter runs, not its decisions.
const ignored: ReadonlySet<string> = new Set(
  (
    'karpenter-service metrics-port health-probe-port kube-client-qps kube-client-burst enable-profiling ' +
    'disable-controller-warmup disable-leader-election disable-cluster-state-observability leader-election-name ' +
    'leader-election-namespace memory-limit cpu-requests log-level log-output-paths log-error-output-paths ' +
    'ignore-dra-requests instance-types-file-path'
  ).split(' '),
)

/** Disabled by default, and not implemented: `karpenterLimits` reports it. */
const otherGates: ReadonlySet<string> = new Set(['CapacityBuffer'])

function readGates(value: string, options: KarpenterOptions): KarpenterOptions | string {
  const gates: Record<string, boolean> = { ...options.gates }
  for (const part of value.split(',').filter((text) => text !== '')) {
    const [name = '', state] = part.split('=')
    if (!Object.hasOwn(gates, name) && !otherGates.has(name)) return `unknown feature gate ${name}`
    if (state !== 'true' && state !== 'false') return `feature gate ${name} must be true or false`
    if (Object.hasOwn(gates, name)) gates[name] = state === 'true'
  }
  return { ...options, gates: gates as KarpenterOptions['gates'] }
}

export function readKarpenterOptions(given: Readonly<Record<string, unknown>>): Result<KarpenterOptions> {
  let options = defaultOptions
  for (const [name, value] of Object.entries(given)) {
    const read = flags[name]
    if (read === undefined) {
      if (ignored.has(name)) continue
      return failed(`unknown flag --${name} of Karpenter`)
    }
    const result = read(String(value), options)
    if (typeof result === 'string') return failed(`--${name}: ${result}`)
    options = result
  }
  return done(options)
}

/** The features that a forecast with these flags omits, one sentence for each flag. */
export function karpenterLimits(given: Readonly<Record<string, unknown>>): readonly string[] {
  const gates = String(given['feature-gates'] ?? '').split(',')
  return [
    ...(gates.includes('CapacityBuffer=true')
      ? ['feature gate CapacityBuffer of Karpenter: capacity buffers are not forecast']
      : []),
    ...(String(given['ignore-dra-requests'] ?? 'true') === 'false'
      ? [
          '--ignore-dra-requests=false of Karpenter: Karpenter creates no nodes for pods with device claims, as by default',
        ]
      : []),
  ]
}
