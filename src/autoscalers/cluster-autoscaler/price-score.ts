import { milliValue } from '../../api/quantity.ts'
import type { ResourceAmounts } from '../../scheduler/contract/contract.ts'
import type { ExpanderInput, ExpansionOption } from './expander.ts'
import { gpuResource } from './utilization.ts'

/** Dollars per CPU and hour, and per GiB and hour, in upstream's price model of Google Compute Engine. */
const cpuPrice = 0.033174
const memoryPrice = 0.004446
const gib = 2 ** 30
/** A pod of 500m and 500 MiB stabilizes the ratio of prices when pods request little. */
const stabilization = priceOf(500, 500 * 2 ** 20)
const gpuUnfitness = 1000

/**
 * The preferred CPUs of a node by the size of the cluster. They double when the cluster size triples (1.36,
 * expander/price).
 */
const preferredCpus = [
  { most: 2, cpus: 1 },
  { most: 6, cpus: 2 },
  { most: 20, cpus: 4 },
  { most: 60, cpus: 8 },
  { most: 200, cpus: 16 },
]
const largestCpus = 32

/**
 * Lower is better: the part of the price that the pods do not use, multiplied by the difference of the nodes from the
 * preferred size.
 */
export function priceScore(option: ExpansionOption, { snapshot, clusterSize }: ExpanderInput): number {
  const { group, nodeCount, pods, template } = option
  const { capacity, allocatable } = template.node.status ?? {}
  const cpuMilli = milliValue(capacity?.['cpu'])
  const nodePrice = group.pricePerHour ?? priceOf(cpuMilli, milliValue(capacity?.['memory']) / 1000)
  const podPrice = pods.reduce((sum, pod) => sum + priceOfPod(snapshot.parse(pod).shape.requests), 0)
  const ratio = (nodePrice * nodeCount + stabilization) / (podPrice + stabilization)
  if (milliValue(allocatable?.[gpuResource]) > 0) return gpuUnfitness * ratio
  const preferred = (preferredCpus.find(({ most }) => clusterSize <= most)?.cpus ?? largestCpus) * 1000
  const unfitness = Math.max(preferred / cpuMilli, cpuMilli / preferred)
  return ((unfitness - 1) * (1 - Math.tanh((nodeCount - 1) / 15)) + 1) * ratio
}

function priceOfPod({ cpuMilli, memoryBytes }: ResourceAmounts): number {
  return priceOf(cpuMilli, memoryBytes)
}

function priceOf(cpuMilli: number, memoryBytes: number): number {
  return (cpuMilli / 1000) * cpuPrice + (memoryBytes / gib) * memoryPrice
}
