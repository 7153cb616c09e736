import type { Pod, PodStatus, ResourceList, ResourceRequirements } from './objects/pod.ts'
import { addQuantities, compareQuantities, type Quantity, quantity, quantitySign } from './quantity.ts'
import type { KubernetesRelease } from './releases/kubernetes-release.ts'

export type QosClass = NonNullable<PodStatus['qosClass']>

const counted = ['cpu', 'memory'] as const

/** The class in the status, or the class computed from the resources (v1.36, pkg/apis/core/v1/helper/qos). */
export function qosClassOf(pod: Pod): QosClass {
  return pod.status?.qosClass ?? computeQosClass(pod)
}

/**
 * BestEffort without any request or limit of cpu and memory, Guaranteed if both are limited in all containers and
 * requests equal limits, Burstable otherwise. Pod-level resources replace the resources of the containers.
 */
export function computeQosClass(pod: Pod, release?: Pick<KubernetesRelease, 'gates'>): QosClass {
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let limitedEverywhere = true
  const { resources, containers, initContainers = [] } = pod.spec
  const isSkipped = release?.gates.has('PodLevelResourcesFixKubeletQOSClass') === true && !hasPodLevel(resources)
  if (resources !== undefined && !isSkipped) {
    addPositive(requests, resources.requests)
    const limited = addPositive(limits, resources.limits)
    if (Object.keys(resources.limits ?? {}).length > 0 && limited < counted.length) limitedEverywhere = false
  } else {
    for (const container of [...containers, ...initContainers]) {
      addPositive(requests, container.resources?.requests)
      if (addPositive(limits, container.resources?.limits) < counted.length) limitedEverywhere = false
    }
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  return limitedEverywhere && equalAmounts(requests, limits) ? 'Guaranteed' : 'Burstable'
}

/** Whether the resources of the pod include a supported pod-level resource (v1.37, IsPodLevelResourcesSet). */
function hasPodLevel({ requests = {}, limits = {} }: ResourceRequirements = {}): boolean {
  const isCounted = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')
  return Object.keys(requests).some(isCounted) || Object.keys(limits).some(isCounted)
}

/** Adds the positive quantities of the counted resources, and returns their number. */
function addPositive(total: Map<string, Quantity>, list: ResourceList | undefined): number {
  let found = 0
  for (const name of counted) {
    const text = list?.[name]
    if (text === undefined) continue
    const amount = quantity(text)
    if (quantitySign(amount) <= 0) continue
    found++
    const sum = total.get(name)
    total.set(name, sum === undefined ? amount : addQuantities(amount, sum))
  }
  return found
}

function equalAmounts(a: ReadonlyMap<string, Quantity>, b: ReadonlyMap<string, Quantity>): boolean {
  if (a.size !== b.size) return false
  for (const [name, amount] of a) {
    const other = b.get(name)
    if (other === undefined || compareQuantities(amount, other) !== 0) return false
  }
  return true
}
