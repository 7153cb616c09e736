import { milliValue } from '../../api/quantity.ts'
import type { ResourceAmounts } from '../../scheduler/contract/contract.ts'
import type { ExpanderInput, ExpansionOption } from './expander.ts'
import { gpuResource } from './utilization.ts'

/** Dollars per cpu and hour, and per GiB and hour, of upstream's price model of Google Compute Engine. */
const cpuPrice = 0.033174
const memoryPrice = 0.004446
const gib = 2 ** 30
/** A pod of 500m and 500 MiB keeps the ratio of prices stable when pods request little. */
const stabilization = priceOf(500, 500 * 2 ** 20)
const gpuUnfitness = 1000

/** Preferred cpus of a node by the size of the cluster: doubled whenever the cluster triples (1.36, expander/price). */
const preferredCpus = [
  { most: 2, cpus: 1 },
  { most: 6, cpus: 2 },
  { most: 20, cpus: 4 },
  { most: 60, cpus: 8 },
  { most: 200, cpus: 16 },
]
const largestCpus = 32

/** Lower is better: how much of the price the pods do not use, times how unlike the preferred size the nodes are. */
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
