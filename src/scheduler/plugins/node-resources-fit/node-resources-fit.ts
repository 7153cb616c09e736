import { hasPodLevelRequests, podRequests } from '../../../api/pod-resources.ts'
import { milliQuantity, quantityInt, quantityMilli, quantityOf } from '../../../api/quantity.ts'
import { isExtendedResource } from '../../../api/resource-names.ts'
import { defaultCpuMilli, defaultMemoryBytes } from '../../../api/scheduling-requests.ts'
import {
  definePlugin,
  type NodeState,
  ok,
  type ParsedPod,
  type Plugin,
  type Status,
  unresolvable,
  unschedulable,
} from '../../contract/contract.ts'
import { allocationOn, plainRequest, type ScoringStrategy, scorerOf } from './allocation.ts'
import { openAllocationScore, openFit } from './columns.ts'
import { nodeResourcesFitWake } from './wake.ts'

export interface NodeResourcesFitArgs {
  /** Extended resources that others look after. */
  readonly ignoredResources?: readonly string[]
  /** The same for all of a domain, for instance `example.com`. */
  readonly ignoredResourceGroups?: readonly string[]
  readonly scoringStrategy?: ScoringStrategy
}

export const defaultStrategy: ScoringStrategy = {
  type: 'LeastAllocated',
  resources: [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ],
}

export function createNodeResourcesFit(args: NodeResourcesFitArgs = {}): Plugin<undefined, readonly number[]> {
  const isIgnored = ignoredBy(args)
  const strategy = args.scoringStrategy ?? defaultStrategy
  const scorer = scorerOf(strategy)
  return definePlugin<undefined, readonly number[]>({
    name: 'NodeResourcesFit',
    withoutPreFilter: 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
    // What it would prepare is part of the pod's shape; a profile may leave it out all the same.
    preFilter: () => ({ state: undefined }),
    filter: (pod, node) => checkFit(pod, node, isIgnored),
    preScore: (pod) => ({ state: strategy.resources.map(({ name }) => scoredRequest(pod, name)) }),
    score(_pod, node, requests) {
      let sum = 0
      let weights = 0
      for (const [i, { name, weight }] of strategy.resources.entries()) {
        const allocation = allocationOn(node, name, requests[i] as number, true)
        if (allocation === undefined) continue
        const score = scorer.score(allocation.requested, allocation.allocatable)
        if (scorer.skipsZero && score <= 0) continue
        sum += score * weight
        weights += weight
      }
      return weights === 0 ? 0 : scorer.combine(sum, weights)
    },
    wakeOn: nodeResourcesFitWake(args),
    columns: {
      open(pod, sources) {
        const requests = strategy.resources.map(({ name }) => scoredRequest(pod, name))
        return {
          filterRow: openFit(pod, sources, isIgnored),
          scoreRow: openAllocationScore(sources.table, strategy.resources, requests, scorer),
        }
      },
    },
  })
}

export type IsIgnored = (resource: string) => boolean

export function ignoredBy({ ignoredResources = [], ignoredResourceGroups = [] }: NodeResourcesFitArgs): IsIgnored {
  if (ignoredResources.length === 0 && ignoredResourceGroups.length === 0) return () => false
  const names = new Set(ignoredResources)
  const groups = new Set(ignoredResourceGroups)
  return (resource) =>
    isExtendedResource(resource) && (names.has(resource) || groups.has(resource.split('/')[0] as string))
}

/** All that is short, not only the first; unresolvable when the empty node would be too small (fitsRequest). */
export function checkFit({ shape }: ParsedPod, node: NodeState, isIgnored: IsIgnored): Status {
  const { requests } = shape
  const { allocatable, requested } = node
  let reasons: string[] | undefined
  let never = false
  const check = (name: string, wanted: number, has: number, used: number): void => {
    if (wanted <= has - used) return
    reasons ??= []
    reasons.push(`Insufficient ${name}`)
    if (wanted > has) never = true
  }
  if (node.pods.length + 1 > allocatable.pods) reasons = ['Too many pods']
  if (requests.cpuMilli > 0) check('cpu', requests.cpuMilli, allocatable.cpuMilli, requested.cpuMilli)
  if (requests.memoryBytes > 0) check('memory', requests.memoryBytes, allocatable.memoryBytes, requested.memoryBytes)
  if (requests.ephemeralStorageBytes > 0) {
    const { ephemeralStorageBytes } = requests
    check(
      'ephemeral-storage',
      ephemeralStorageBytes,
      allocatable.ephemeralStorageBytes,
      requested.ephemeralStorageBytes,
    )
  }
  for (const [name, amount] of requests.scalars) {
    if (amount === 0 || isIgnored(name)) continue
    check(name, amount, allocatable.scalars.get(name) ?? 0, requested.scalars.get(name) ?? 0)
  }
  if (reasons === undefined) return ok
  return never ? unresolvable(...reasons) : unschedulable(...reasons)
}

const containerDefaults = new Map([
  ['cpu', milliQuantity(defaultCpuMilli)],
  ['memory', quantityOf(defaultMemoryBytes)],
])

/**
 * What the pod adds to the node's stand-in sums. Upstream's scorer looks at the containers alone, whatever the pod asks
 * for as a whole (v1.36: NewFit does not tell its scorer of pod-level resources).
 */
export function scoredRequest({ pod, shape }: ParsedPod, resource: string): number {
  if (hasPodLevelRequests(pod)) {
    const amount = podRequests(pod, { skipPodLevel: true, containerDefaults }).get(resource)
    if (amount === undefined) return 0
    return resource === 'cpu' ? quantityMilli(amount) : quantityInt(amount)
  }
  if (resource === 'cpu') return shape.nonZeroCpuMilli
  if (resource === 'memory') return shape.nonZeroMemoryBytes
  return plainRequest(shape, resource)
}
