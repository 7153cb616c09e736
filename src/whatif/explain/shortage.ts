import type { Container, Pod } from '../../api/objects/pod.ts'
import { formatQuantity, milliQuantity, quantityOf } from '../../api/quantity.ts'
import type { NodeState, ParsedPod, ResourceAmounts } from '../../scheduler/contract/contract.ts'

/** The resources that a node lacks for a pod, in the units of the scheduler. */
export interface ResourceShortage {
  readonly resource: string
  readonly request: number
  readonly free: number
  readonly missing: number
  readonly allocatable: number
}

export function shortagesOn(node: NodeState, pod: ParsedPod): readonly ResourceShortage[] {
  const shortages: ResourceShortage[] = []
  for (const [resource, request] of amountsOf(pod.shape.requests)) {
    if (request === 0) continue
    const allocatable = amountsOf(node.allocatable).get(resource) ?? 0
    const free = allocatable - (amountsOf(node.requested).get(resource) ?? 0)
    if (request > free) shortages.push({ resource, request, free, missing: request - free, allocatable })
  }
  if (node.pods.length + 1 > node.allocatable.pods) {
    shortages.push({
      resource: 'pods',
      request: 1,
      free: node.allocatable.pods - node.pods.length,
      missing: 1,
      allocatable: node.allocatable.pods,
    })
  }
  return shortages
}

export function amountsOf({
  cpuMilli,
  memoryBytes,
  ephemeralStorageBytes,
  scalars,
}: ResourceAmounts): ReadonlyMap<string, number> {
  return new Map([['cpu', cpuMilli], ['memory', memoryBytes], ['ephemeral-storage', ephemeralStorageBytes], ...scalars])
}

export function amountText(resource: string, amount: number): string {
  if (resource === 'cpu') return formatQuantity(milliQuantity(amount))
  if (resource === 'memory' || resource === 'ephemeral-storage') return bytesText(amount)
  return formatQuantity(quantityOf(amount))
}

/** In the largest suitable unit, rounded up: 1.5Gi instead of bytes. */
function bytesText(bytes: number): string {
  const units = ['Ki', 'Mi', 'Gi', 'Ti']
  let value = bytes
  let unit = ''
  for (const next of units) {
    if (value < 1024) break
    value /= 1024
    unit = next
  }
  return `${unit === '' ? value : Math.ceil(value * 10) / 10}${unit}`
}

export const describeShortage = ({ resource, missing }: ResourceShortage) =>
  resource === 'pods' ? 'one pod slot' : `${amountText(resource, missing)} ${resource}`

/** The pod without requests for the missing resources. If it fits, the original pod fits after they are freed. */
export function withSmallerRequests(pod: Pod, shortages: readonly ResourceShortage[]): Pod {
  const short = new Set(shortages.map(({ resource }) => resource))
  const trimmed = (container: Container): Container => {
    const requests = Object.fromEntries(
      Object.entries(container.resources?.requests ?? {}).filter(([resource]) => !short.has(resource)),
    )
    const limits = Object.fromEntries(
      Object.entries(container.resources?.limits ?? {}).filter(([resource]) => !short.has(resource)),
    )
    return { ...container, resources: { requests, limits } }
  }
  const { initContainers, containers, overhead: _, resources: __, ...spec } = pod.spec
  return {
    ...pod,
    spec: {
      ...spec,
      containers: containers.map(trimmed),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(trimmed) }),
    },
  }
}
