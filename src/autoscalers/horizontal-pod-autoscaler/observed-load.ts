import type { HorizontalPodAutoscaler } from '../../api/objects/autoscaling.ts'
import { milliValueInt64, quantity } from '../../api/quantity.ts'
import type { Load } from './load.ts'

/**
 * The load that an autoscaler last measured, from its status: the average usage of its pods multiplied by their number.
 * The replicas share it from then on.
 */
export function observedLoad({ metadata, spec, status }: HorizontalPodAutoscaler): Load | undefined {
  const replicas = BigInt(status?.currentReplicas ?? 0)
  const usage = new Map<string, bigint>()
  for (const { resource, containerResource, pods } of status?.currentMetrics ?? []) {
    const name = resource?.name ?? containerResource?.name ?? pods?.metric.name
    const average = (resource ?? containerResource ?? pods)?.current.averageValue
    if (name === undefined || average === undefined || usage.has(name)) continue
    usage.set(name, milliValueInt64(quantity(average)) * replicas)
  }
  if (usage.size === 0) return undefined
  const container = status?.currentMetrics?.find((metric) => metric.containerResource !== undefined)?.containerResource
  return {
    target: { ...spec.scaleTargetRef, namespace: metadata.namespace ?? '' },
    isShared: true,
    ...(container === undefined ? {} : { container: container.container }),
    points: [{ atMs: 0, usage }],
  }
}
