import type { Pod } from '../../api/objects/pod.ts'
import { intValue, milliValue } from '../../api/quantity.ts'
import type { RandomStream } from '../../base/random.ts'
import type { ClusterSnapshot, NodeTemplate } from '../simulation/cluster-snapshot.ts'
import { type FoundPriorities, groupPriorities, type PriorityWarning } from './group-priorities.ts'
import type { NodeGroup } from './node-group.ts'
import { priceScore } from './price-score.ts'
import { requestsOf } from './requests-of.ts'

/** A way to help pending pods: this number of new nodes in this group could run these pods. */
export interface ExpansionOption {
  readonly group: NodeGroup
  readonly nodeCount: number
  readonly pods: readonly Pod[]
  readonly template: NodeTemplate
}

export interface ExpanderInput {
  readonly options: readonly ExpansionOption[]
  readonly snapshot: ClusterSnapshot
  /** The priorities in the ConfigMap cluster-autoscaler-priority-expander. */
  readonly priorities: FoundPriorities
  readonly warn: (warning: PriorityWarning) => void
  /** The number of nodes in the cluster. The price expander derives the preferred node size from it. */
  readonly clusterSize: number
}

/** Applies the filters of `--expander` in order, and selects a remaining option at random (1.36, expander/factory). */
export function chooseOption(names: string, input: ExpanderInput, random: RandomStream): ExpansionOption | undefined {
  let options = input.options
  for (const name of names.split(',')) {
    if (name === 'random') break
    options = filterBy(name, { ...input, options })
    if (options.length === 1) return options[0]
  }
  return options.length === 0 ? undefined : random.pick(options)
}

function filterBy(name: string, input: ExpanderInput): readonly ExpansionOption[] {
  const { options } = input
  switch (name) {
    case 'least-waste':
      return best(options, (option) => -wasteOf(option, input.snapshot))
    case 'most-pods':
      return best(options, ({ pods }) => pods.length)
    case 'least-nodes':
      return best(options, ({ nodeCount }) => -nodeCount)
    case 'price':
      return best(options, (option) => -priceScore(option, input))
    // As upstream if its gRPC server does not respond.
    case 'grpc':
      return options
    default:
      return byPriority(input)
  }
}

function byPriority({ options, priorities, warn }: ExpanderInput): readonly ExpansionOption[] {
  if (priorities === undefined || options.length === 0) return options
  if ('rules' in priorities) return groupPriorities(options, priorities.rules, warn)
  warn(priorities.warning)
  return options
}

function best(options: readonly ExpansionOption[], scoreOf: (option: ExpansionOption) => number): ExpansionOption[] {
  let most = Number.NEGATIVE_INFINITY
  let found: ExpansionOption[] = []
  for (const option of options) {
    const score = scoreOf(option)
    if (score > most) found = []
    if (score >= most) found.push(option)
    most = Math.max(most, score)
  }
  return found
}

/** The sum of the unused shares of CPU and memory (1.36, expander/waste). */
function wasteOf({ pods, nodeCount, template }: ExpansionOption, snapshot: ClusterSnapshot): number {
  const { cpuMilli, memoryBytes } = requestsOf(pods, snapshot)
  const { capacity } = template.node.status ?? {}
  const availableCpu = milliValue(capacity?.['cpu']) * nodeCount
  const availableMemory = intValue(capacity?.['memory']) * nodeCount
  return (availableCpu - cpuMilli) / availableCpu + (availableMemory - memoryBytes) / availableMemory
}
