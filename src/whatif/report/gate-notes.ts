import type { AssumedGate } from '../run/assumed-gates.ts'
import type { ForecastNote } from './forecast.ts'
import { listed } from './phrases.ts'

/** Notes which gates are assumed to be enabled, and why. */
export function gateNotes(assumed: readonly AssumedGate[]): readonly ForecastNote[] {
  if (assumed.length === 0) return []
  const gates = assumed.map(({ gate }) => gate)
  const reasons = [...new Set(assumed.map(({ because }) => because))]
  const [what, are] = gates.length === 1 ? ['the feature gate', 'is'] : ['the feature gates', 'are']
  return [
    {
      kind: 'assumed',
      text: `${what} ${listed(gates, gates.length)} ${are} assumed to be on, because the cluster has ${listed(reasons, reasons.length)}; --feature-gates overrides this`,
    },
  ]
}
