import type { Node } from '../../api/objects/node.ts'
import { compareQuantities, milliValue, quantity } from '../../api/quantity.ts'
import { labels } from '../../api/well-known.ts'
import type { ClusterSnapshot, NodeTemplate } from '../simulation/cluster-snapshot.ts'
import type { NodeGroup } from './node-group.ts'
import type { AutoscalerOptions } from './options.ts'
import { requestsOf } from './requests-of.ts'

const ignoredLabels: readonly string[] = [
  labels.hostname,
  labels.zone,
  labels.region,
  labels.betaZone,
  labels.betaRegion,
  'beta.kubernetes.io/fluentd-ds-ready',
  'kops.k8s.io/instancegroup',
]

/**
 * Reports whether two groups have nodes of the same kind (1.36, processors/nodegroupset
 * IsCloudProviderNodeInfoSimilar).
 */
export function isSimilar(
  a: NodeTemplate,
  b: NodeTemplate,
  options: AutoscalerOptions,
  snapshot: ClusterSnapshot,
): boolean {
  return (
    hasSimilarCapacity(a.node, b.node, options['memory-difference-ratio']) &&
    isWithin(
      resourcesOf(a.node, 'allocatable'),
      resourcesOf(b.node, 'allocatable'),
      options['max-allocatable-difference-ratio'],
    ) &&
    isWithin(freeOf(a, snapshot), freeOf(b, snapshot), options['max-free-difference-ratio']) &&
    hasSameLabels(a.node, b.node, new Set([...ignoredLabels, ...options['balancing-ignore-label'].split(',')]))
  )
}

type Amounts = ReadonlyMap<string, number>

function resourcesOf({ status }: Node, field: 'capacity' | 'allocatable'): Amounts {
  return new Map(Object.entries(status?.[field] ?? {}).map(([name, text]) => [name, milliValue(text)]))
}

function hasSimilarCapacity(a: Node, b: Node, memoryRatio: number): boolean {
  const left = a.status?.capacity ?? {}
  const right = b.status?.capacity ?? {}
  if (Object.keys(left).length !== Object.keys(right).length) return false
  return Object.entries(left).every(([name, text]) => {
    const other = right[name]
    if (other === undefined) return false
    if (name === 'memory') return isNear(milliValue(text), milliValue(other), memoryRatio)
    return compareQuantities(quantity(text), quantity(other)) === 0
  })
}

function freeOf({ node, pods }: NodeTemplate, snapshot: ClusterSnapshot): Amounts {
  const { cpuMilli, memoryBytes } = requestsOf(pods, snapshot)
  const { allocatable } = node.status ?? {}
  return new Map([
    ['cpu', milliValue(allocatable?.['cpu']) - cpuMilli],
    ['memory', milliValue(allocatable?.['memory']) - memoryBytes * 1000],
  ])
}

function isWithin(a: Amounts, b: Amounts, ratio: number): boolean {
  return a.size === b.size && [...a].every(([name, amount]) => b.has(name) && isNear(amount, b.get(name) ?? 0, ratio))
}

function isNear(a: number, b: number, ratio: number): boolean {
  return Math.abs(a - b) <= Math.max(a, b) * ratio
}

function hasSameLabels(a: Node, b: Node, ignored: ReadonlySet<string>): boolean {
  const left = a.metadata.labels ?? {}
  const right = b.metadata.labels ?? {}
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => ignored.has(key) || left[key] === right[key])
}

export interface GroupResize {
  readonly group: NodeGroup
  readonly from: number
  to: number
}

/** Distributes new nodes over groups, the smallest group first, within their maximum (BalanceScaleUpBetweenGroups). */
export function balance(
  groups: readonly NodeGroup[],
  count: number,
  targetOf: (group: NodeGroup) => number,
): readonly GroupResize[] {
  const resizes: GroupResize[] = groups
    .map((group) => ({ group, from: targetOf(group), to: targetOf(group) }))
    .filter(({ group, from }) => from < group.max)
    .sort((a, b) => a.from - b.from)
  for (let left = count; left > 0; left--) {
    let smallest: GroupResize | undefined
    for (const resize of resizes) {
      if (resize.to < resize.group.max && (smallest === undefined || resize.to < smallest.to)) smallest = resize
    }
    if (smallest === undefined) break
    smallest.to++
  }
  return resizes.filter(({ from, to }) => to !== from)
}
