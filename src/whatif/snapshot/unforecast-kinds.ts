import type { ForecastNote } from '../report/forecast.ts'

/** Kinds that enable features of autoscalers which berth does not implement. Autoscalers ignore them by default. */
const kinds: ReadonlyMap<string, string> = new Map([
  [
    'CapacityBuffer',
    'CapacityBuffers are not forecast: autoscalers ignore them unless --capacity-buffer-pod-injection-enabled of Cluster Autoscaler or the feature gate CapacityBuffer of Karpenter is on',
  ],
  [
    'CapacityQuota',
    'CapacityQuotas are not forecast: Cluster Autoscaler ignores them unless --capacity-quotas-enabled is on',
  ],
  [
    'ProvisioningRequest',
    'ProvisioningRequests are not forecast: Cluster Autoscaler ignores them unless --enable-provisioning-requests is on',
  ],
])

/** Notes about kinds in the input that an autoscaler may act on and a forecast ignores. */
export function unforecastNotes(found: Iterable<string>): readonly ForecastNote[] {
  return [...new Set(found)].sort().flatMap((kind) => {
    const text = kinds.get(kind)
    return text === undefined ? [] : [{ kind: 'uncertain' as const, text }]
  })
}

/** The kinds that have no such note. */
export function withoutUnforecast(found: Iterable<string>): readonly string[] {
  return [...found].filter((kind) => !kinds.has(kind)).sort()
}
