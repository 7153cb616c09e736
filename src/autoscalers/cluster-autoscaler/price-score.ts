import { milliValue } from '../../api/quantity.ts'
import type { ResourceAmounts } from '../../scheduler/contract/contract.ts'
import type { ExpanderInput, ExpansionOption } from './expander.ts'
import { GPU } from './utilization.ts'

/** Dollars per cpu and hour, and per GiB and hour, of upstream's price model of Google Compute Engine. */
const CPU_PRICE = 0.033174
const MEMORY_PRICE = 0.004446
const GIB = 2 ** 30
/** A pod of 500m and 500 MiB keeps the ratio of prices stable when pods request little. */
const STABILIZATION = priceOf(500, 500 * 2 ** 20)
const GPU_UNFITNESS = 1000

/** Preferred cpus of a node by the size of the cluster: doubled whenever the cluster triples (1.36, expander/price). */
const PREFERRED_CPUS = [
  { most: 2, cpus: 1 },
  { most: 6, cpus: 2 },
  { most: 20, cpus: 4 },
  { most: 60, cpus: 8 },
  { most: 200, cpus: 16 },
]
const LARGEST_CPUS = 32

/** Lower is better: how much of the price the pods do not use, times how unlike the preferred size the nodes are. */
export function priceScore(option: ExpansionOption, { snapshot, clusterSize }: ExpanderInput): number {
  const { group, nodeCount, pods, template } = option
  const { capacity, allocatable } = template.node.status ?? {}
  const cpuMilli = milliValue(capacity?.['cpu'])
  const nodePrice = group.pricePerHour ?? priceOf(cpuMilli, milliValue(capacity?.['memory']) / 1000)
  const podPrice = pods.reduce((sum, pod) => sum + priceOfPod(snapshot.parse(pod).shape.requests), 0)
  const ratio = (nodePrice * nodeCount + STABILIZATION) / (podPrice + STABILIZATION)
  if (milliValue(allocatable?.[GPU]) > 0) return GPU_UNFITNESS * ratio
  const preferred = (PREFERRED_CPUS.find(({ most }) => clusterSize <= most)?.cpus ?? LARGEST_CPUS) * 1000
  const unfitness = Math.max(preferred / cpuMilli, cpuMilli / preferred)
  return ((unfitness - 1) * (1 - Math.tanh((nodeCount - 1) / 15)) + 1) * ratio
}

function priceOfPod({ cpuMilli, memoryBytes }: ResourceAmounts): number {
  return priceOf(cpuMilli, memoryBytes)
}

function priceOf(cpuMilli: number, memoryBytes: number): number {
  return (cpuMilli / 1000) * CPU_PRICE + (memoryBytes / GIB) * MEMORY_PRICE
}
