import { hasPodLevelRequests, podRequests } from '../../../api/pod-resources.ts'
import { milliQuantity, quantityInt, quantityMilli, quantityOf } from '../../../api/quantity.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { isExtendedResource } from '../../../api/resource-names.ts'
import { defaultCpuMilli, defaultMemoryBytes } from '../../../api/scheduling-requests.ts'
import { type ColumnarPlugin, defineColumnarPlugin, type PluginColumn } from '../../columns/plugin-columns.ts'
import type { NodeState, ParsedPod, PodShape } from '../../contract/contract.ts'
import type { DeviceInventory } from '../../devices/device-inventory.ts'
import { AllocationScore, type ResourceWeight, type ScoringStrategy, scorerOf } from './allocation.ts'
import { amountOf } from './amount-reader.ts'
import { FitCheck } from './fit-check.ts'
import { nodeResourcesFitWake } from './wake.ts'

export interface NodeResourcesFitArgs {
  /** Extended resources that the filter ignores. */
  readonly ignoredResources?: readonly string[]
  /** Domains of extended resources that the filter ignores, for instance `example.com`. */
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

export function createNodeResourcesFit(
  args: NodeResourcesFitArgs,
  release: KubernetesRelease,
): ColumnarPlugin<FitCheck, AllocationScore> {
  const isIgnored = ignoredBy(args)
  const strategy = args.scoringStrategy ?? defaultStrategy
  const scorer = scorerOf(strategy)
  const scoreOf = (pod: ParsedPod): AllocationScore =>
    new AllocationScore(
      strategy.resources,
      strategy.resources.map(({ name }) => scoredRequest(pod, name)),
      scorer,
    )
  // Pods of one shape are often checked in sequence. Device classes provide scalar resources only.
  let last: { readonly shape: PodShape; readonly check: FitCheck } | undefined
  const checkOf = ({ shape }: ParsedPod, devices: DeviceInventory): FitCheck => {
    if (last?.shape === shape) return last.check
    const check = new FitCheck(shape, isIgnored, providedBy(devices))
    if (shape.requests.scalars.size === 0) last = { shape, check }
    return check
  }
  return defineColumnarPlugin<FitCheck, AllocationScore>({
    name: 'NodeResourcesFit',
    withoutPreFilter: 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
    preFilter: (pod, { devices }) => ({ state: checkOf(pod, devices) }),
    filter: (_pod, node, check) => check.onNode(node),
    preScore: (pod) => ({ state: scoreOf(pod) }),
    score: (_pod, node, score) => score.onNode(node),
    scorePlacement: (pods, nodes) => mostAllocatedOf(strategy.resources, pods, nodes),
    wakeOn: nodeResourcesFitWake(release),
    columns: {
      open(pod, sources) {
        const { catalog } = sources.devices
        const { classesVersion } = catalog
        const column: PluginColumn = {
          filterRow: new FitCheck(pod.shape, isIgnored, providedBy(sources.devices)).openColumn(sources),
          scoreRow: scoreOf(pod).openColumn(sources.table),
        }
        if (pod.shape.requests.scalars.size === 0) return column
        return { ...column, isCurrent: () => catalog.classesVersion === classesVersion }
      },
    },
  })
}

const mostAllocated = scorerOf({ type: 'MostAllocated', resources: [] })

/** Placements of groups are scored with MostAllocated, whatever the strategy for nodes is (v1.36, scorePlacement). */
function mostAllocatedOf(
  resources: readonly ResourceWeight[],
  pods: readonly ParsedPod[],
  nodes: readonly NodeState[],
): number {
  const requests = resources.map(({ name }) => pods.reduce((sum, pod) => sum + scoredRequest(pod, name), 0))
  return new AllocationScore(resources, requests, mostAllocated).onNodes(nodes)
}

/** The DynamicResources plugin decides about extended resources of device classes (shouldDelegateResourceToDRA). */
function providedBy({ catalog }: DeviceInventory): (resource: string) => boolean {
  return (resource) => catalog.classFor(resource) !== undefined
}

export type IsIgnored = (resource: string) => boolean

export function ignoredBy({ ignoredResources = [], ignoredResourceGroups = [] }: NodeResourcesFitArgs): IsIgnored {
  if (ignoredResources.length === 0 && ignoredResourceGroups.length === 0) return () => false
  const names = new Set(ignoredResources)
  const groups = new Set(ignoredResourceGroups)
  return (resource) =>
    isExtendedResource(resource) && (names.has(resource) || groups.has(resource.split('/')[0] as string))
}

const containerDefaults = new Map([
  ['cpu', milliQuantity(defaultCpuMilli)],
  ['memory', quantityOf(defaultMemoryBytes)],
])

/**
 * The request of the pod for scores, with default requests. Upstream's scorer ignores pod-level requests (v1.36, NewFit
 * does not pass the pod-level resources feature to the scorer).
 */
export function scoredRequest({ pod, shape }: ParsedPod, resource: string): number {
  if (hasPodLevelRequests(pod)) {
    const amount = podRequests(pod, { skipPodLevel: true, containerDefaults }).get(resource)
    if (amount === undefined) return 0
    return resource === 'cpu' ? quantityMilli(amount) : quantityInt(amount)
  }
  if (resource === 'cpu') return shape.nonZeroCpuMilli
  if (resource === 'memory') return shape.nonZeroMemoryBytes
  return amountOf(shape.requests, resource)
}
