import { parseGoDurationMs } from '../../api/go-duration.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** Flags of kube-controller-manager (v1.36, HPAControllerConfiguration). */
export interface HorizontalOptions {
  readonly syncPeriodMs: number
  readonly downscaleStabilizationMs: number
  readonly tolerance: number
  readonly cpuInitializationMs: number
  readonly initialReadinessMs: number
}

export const defaultHorizontalOptions: HorizontalOptions = {
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: 300_000,
  tolerance: 0.1,
  cpuInitializationMs: 300_000,
  initialReadinessMs: 30_000,
}

const durations = {
  'horizontal-pod-autoscaler-sync-period': 'syncPeriodMs',
  'horizontal-pod-autoscaler-downscale-stabilization': 'downscaleStabilizationMs',
  'horizontal-pod-autoscaler-cpu-initialization-period': 'cpuInitializationMs',
  'horizontal-pod-autoscaler-initial-readiness-delay': 'initialReadinessMs',
} as const
const toleranceFlag = 'horizontal-pod-autoscaler-tolerance'

export const horizontalFlags = {
  'horizontal-pod-autoscaler-sync-period': {
    help: 'How often the Horizontal Pod Autoscaler reads metrics',
    value: 'DURATION',
    shown: '15s',
  },
  'horizontal-pod-autoscaler-downscale-stabilization': {
    help: 'How long the highest recommendation counts before pods are removed',
    value: 'DURATION',
    shown: '5m0s',
  },
  'horizontal-pod-autoscaler-cpu-initialization-period': {
    help: 'Time after the start of a pod in which its CPU usage may be ignored',
    value: 'DURATION',
    shown: '5m0s',
  },
  'horizontal-pod-autoscaler-initial-readiness-delay': {
    help: 'Time after the start of a pod in which changes of readiness count as its first readiness',
    value: 'DURATION',
    shown: '30s',
  },
  [toleranceFlag]: {
    help: 'Ratio by which usage may differ from the target without a change of replicas',
    value: 'RATIO',
    shown: '0.1',
  },
}

export function readHorizontalFlags(flags: Readonly<Record<string, unknown>>): Result<HorizontalOptions> {
  const options: { -readonly [K in keyof HorizontalOptions]: number } = { ...defaultHorizontalOptions }
  for (const [flag, name] of Object.entries(durations)) {
    if (flags[flag] === undefined) continue
    const read = parseGoDurationMs(String(flags[flag]))
    if (!read.ok) return failed(`${flag}: ${read.message}`)
    options[name] = read.value
  }
  if (flags[toleranceFlag] !== undefined) options.tolerance = Number(flags[toleranceFlag])
  if (!(options.tolerance >= 0)) return failed(`${toleranceFlag}: must be a number >= 0`)
  return done(options)
}
