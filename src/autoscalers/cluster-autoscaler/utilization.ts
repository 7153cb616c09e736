import type { NodeState, ParsedPod, ResourceAmounts } from '../../scheduler/contract/contract.ts'
import type { SimulatedDevices } from '../simulation/simulated-devices.ts'
import { deviceUtilization } from './device-utilization.ts'
import { isLongTerminating } from './drainability.ts'
import { isDaemonSetPod, isMirrorPod } from './node-templates.ts'
import type { AutoscalerOptions } from './options.ts'

export interface Utilization {
  readonly resource: string
  readonly ratio: number
}

export const gpuResource = 'nvidia.com/gpu'

/**
 * The requested share of the most used resource: CPU or memory; the GPUs of a node with GPUs; or the devices of a node
 * with ResourceSlices.
 */
export function utilizationOf(
  { name, allocatable, pods }: NodeState,
  devices: SimulatedDevices,
  options: AutoscalerOptions,
  wall: number,
): Utilization | undefined {
  const gpus = allocatable.scalars.get(gpuResource) ?? 0
  const input = { pods, options, wall }
  if (gpus > 0)
    return { resource: gpuResource, ratio: shareOf(gpus, ({ scalars }) => scalars.get(gpuResource) ?? 0, input) }
  const slices = devices.slicesOf(name)
  if (slices.length > 0)
    return deviceUtilization(
      slices,
      pods.flatMap(({ pod }) => devices.claimsOnNode(pod)),
    )
  if (allocatable.cpuMilli === 0 || allocatable.memoryBytes === 0) return undefined
  const cpu = shareOf(allocatable.cpuMilli, ({ cpuMilli }) => cpuMilli, input)
  const memory = shareOf(allocatable.memoryBytes, ({ memoryBytes }) => memoryBytes, input)
  return cpu > memory ? { resource: 'cpu', ratio: cpu } : { resource: 'memory', ratio: memory }
}

interface ShareInput {
  readonly pods: readonly ParsedPod[]
  readonly options: AutoscalerOptions
  readonly wall: number
}

/** 1.36, simulator/utilization CalculateUtilizationOfResource. */
function shareOf(
  allocatable: number,
  amountOf: (requests: ResourceAmounts) => number,
  { pods, options, wall }: ShareInput,
): number {
  let requested = 0
  let ignored = 0
  for (const { pod, shape } of pods) {
    const amount = amountOf(shape.requests)
    const isIgnored =
      (options['ignore-daemonsets-utilization'] && isDaemonSetPod(pod)) ||
      (options['ignore-mirror-pods-utilization'] && isMirrorPod(pod))
    if (isIgnored) ignored += amount
    else if (!isLongTerminating(pod, wall)) requested += amount
  }
  return requested / (allocatable - ignored)
}
