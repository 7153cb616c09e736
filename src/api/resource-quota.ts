import { lookupTable } from '../base/lookup-table.ts'
import { deviceQuota } from './device-quota.ts'
import type { ResourceQuota, ScopeRequirement } from './objects/cluster.ts'
import type { KubeObject } from './objects/meta.ts'
import type { Pod, PodAffinityTerm } from './objects/pod.ts'
import { podLimits, podRequests, type Quantities } from './pod-resources.ts'
import { computeQosClass } from './qos-class.ts'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  milliValueInt64,
  type Quantity,
  quantity,
  quantityOf,
  valueInt64,
} from './quantity.ts'
import { isExtendedResource, isHugePagesResource, isNativeResource } from './resource-names.ts'
import { parseTime } from './time.ts'

/** How a quota counts objects of a kind (v1.36, pkg/quota/v1). */
export interface QuotaEvaluator {
  /** The names that objects of the kind use, of the given names. */
  readonly matching: (names: readonly string[]) => readonly string[]
  readonly usage: (object: KubeObject, nowMs: number) => Quantities
  readonly isInScope: (requirement: ScopeRequirement, object: KubeObject) => boolean
  /** The requests and limits that the object must set, because these resources are limited, and does not set. */
  readonly missing?: (names: readonly string[], object: KubeObject) => string | undefined
}

const one = quantityOf(1)
const none = quantityOf(0)
const countOf = (resource: string): string => `count/${resource}`

const podNames = [
  'count/pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
]
/** Resources that every container must set if a quota limits them. */
const demanded = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory']

const isPodName = (name: string): boolean =>
  podNames.includes(name) ||
  name.startsWith('hugepages-') ||
  name.startsWith('requests.hugepages-') ||
  (name.startsWith('requests.') && !isNativeResource(name))

/** Converts requests and limits to the resource names of quotas. */
function computeUsage(requests: Quantities, limits: Quantities): Map<string, Quantity> {
  const usage = new Map<string, Quantity>([['pods', one]])
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const request = requests.get(name)
    const limit = limits.get(name)
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request)
    if (limit !== undefined) usage.set(`limits.${name}`, limit)
  }
  for (const [name, request] of requests) {
    if (isHugePagesResource(name)) usage.set(name, request)
    if (isHugePagesResource(name) || isExtendedResource(name)) usage.set(`requests.${name}`, request)
  }
  return usage
}

/** Whether the resources of a pod count, and not only the object (QuotaV1Pod). */
function isCharged({ metadata, status }: Pod, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false
  const graceSeconds = metadata.deletionGracePeriodSeconds
  const deletedAt = parseTime(metadata.deletionTimestamp)
  return deletedAt === undefined || graceSeconds === undefined || nowMs <= deletedAt + Number(graceSeconds) * 1000
}

function podUsage(pod: Pod, nowMs: number): Quantities {
  if (!isCharged(pod, nowMs)) return new Map([['count/pods', one]])
  // Upstream never counts the pod-level status here.
  const counted = { useStatus: 'containers' } as const
  return computeUsage(podRequests(pod, counted), podLimits(pod, counted)).set('count/pods', one)
}

function missingOfPod(names: readonly string[], pod: Pod): string | undefined {
  if (pod.spec.resources?.requests !== undefined || pod.spec.resources?.limits !== undefined) return undefined
  const wanted = demanded.filter((name) => names.includes(name))
  const missing = new Map<string, Set<string>>()
  for (const { name, resources } of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
    const amounts = (list: Readonly<Record<string, string>> | undefined): Quantities =>
      new Map(Object.entries(list ?? {}).map(([key, value]) => [key, quantity(value)]))
    const said = computeUsage(amounts(resources?.requests), amounts(resources?.limits))
    for (const resource of wanted) {
      if (!said.has(resource)) missing.set(resource, (missing.get(resource) ?? new Set()).add(name))
    }
  }
  if (missing.size === 0) return undefined
  const texts = wanted.flatMap((resource) => {
    const containers = missing.get(resource)
    return containers === undefined ? [] : [`${resource} for: ${[...containers].sort().join(',')}`]
  })
  return `must specify ${texts.join('; ')}`
}

/** Whether a requirement admits a value, which may be absent. */
function admits({ operator, values = [] }: ScopeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    default:
      return value === undefined
  }
}

function reachesOut({ spec }: Pod): boolean {
  const isForeign = (term: PodAffinityTerm): boolean =>
    (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined
  return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].some(
    (side) =>
      side?.requiredDuringSchedulingIgnoredDuringExecution?.some(isForeign) === true ||
      side?.preferredDuringSchedulingIgnoredDuringExecution?.some((term) => isForeign(term.podAffinityTerm)) === true,
  )
}

const isTerminating = ({ spec }: Pod): boolean => (spec.activeDeadlineSeconds ?? -1) >= 0

function podIsInScope(requirement: ScopeRequirement, pod: Pod): boolean {
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminating(pod)
    case 'NotTerminating':
      return !isTerminating(pod)
    case 'BestEffort':
      return computeQosClass(pod) === 'BestEffort'
    case 'NotBestEffort':
      return computeQosClass(pod) !== 'BestEffort'
    case 'PriorityClass':
      return admits(requirement, pod.spec.priorityClassName || undefined)
    case 'CrossNamespacePodAffinity':
      return reachesOut(pod)
    default:
      return false
  }
}

const pods: QuotaEvaluator = {
  matching: (names) => names.filter(isPodName),
  usage: (object, nowMs) => podUsage(object as Pod, nowMs),
  isInScope: (requirement, object) => podIsInScope(requirement, object as Pod),
  missing: (names, object) => missingOfPod(names, object as Pod),
}

interface ServiceLike extends KubeObject {
  readonly spec?: {
    readonly type?: string
    readonly ports?: readonly { readonly nodePort?: number }[] | null
    readonly allocateLoadBalancerNodePorts?: boolean
  }
}

const serviceNames = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers']

function serviceUsage({ spec }: ServiceLike): Quantities {
  const ports = spec?.ports ?? []
  const isBalanced = spec?.type === 'LoadBalancer'
  const hasPorts = isBalanced || spec?.type === 'NodePort'
  const isSparing = isBalanced && spec?.allocateLoadBalancerNodePorts === false
  const nodePorts = isSparing ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length : hasPorts ? ports.length : 0
  return new Map([
    ['count/services', one],
    ['services', one],
    ['services.loadbalancers', isBalanced ? one : none],
    ['services.nodeports', quantityOf(nodePorts)],
  ])
}

const services: QuotaEvaluator = {
  matching: (names) => names.filter((name) => serviceNames.includes(name)),
  usage: (object) => serviceUsage(object as ServiceLike),
  isInScope: () => false,
}

interface ClaimLike extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string
    readonly volumeAttributesClassName?: string
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> }
  }
  readonly status?: {
    readonly allocatedResources?: Readonly<Record<string, string>>
    readonly currentVolumeAttributesClassName?: string
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string }
  }
}

const classSuffix = '.storageclass.storage.k8s.io/'
const claimNames = ['persistentvolumeclaims', 'requests.storage']

function claimUsage({ metadata, spec, status }: ClaimLike): Quantities {
  const usage = new Map<string, Quantity>([
    ['persistentvolumeclaims', one],
    ['count/persistentvolumeclaims', one],
  ])
  const annotated = metadata.annotations?.['volume.beta.kubernetes.io/storage-class']
  const storageClass = annotated ?? spec?.storageClassName ?? ''
  if (storageClass !== '') usage.set(`${storageClass}${classSuffix}persistentvolumeclaims`, one)
  const asked = spec?.resources?.requests?.['storage']
  if (asked === undefined) return usage
  const given = status?.allocatedResources?.['storage']
  const larger = given !== undefined && compareQuantities(quantity(given), quantity(asked)) > 0 ? given : asked
  const asWritten = quantity(larger)
  // Bytes are counted as integers.
  const isWhole = milliValueInt64(asWritten) % 1000n === 0n
  const amount = isWhole ? asWritten : quantityOf(valueInt64(asWritten), asWritten.format)
  usage.set('requests.storage', amount)
  if (storageClass !== '') usage.set(`${storageClass}${classSuffix}requests.storage`, amount)
  return usage
}

function claimIsInScope(requirement: ScopeRequirement, { spec, status }: ClaimLike): boolean {
  if (requirement.scopeName !== 'VolumeAttributesClass') return false
  const named = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name): name is string => name !== undefined && name !== '')
  if (named.length === 0) return admits(requirement, undefined)
  return named.some((name) => admits(requirement, name))
}

const claims: QuotaEvaluator = {
  matching: (names) =>
    names.filter(
      (name) =>
        name === 'count/persistentvolumeclaims' ||
        claimNames.some((own) => name === own || name.endsWith(`${classSuffix}${own}`)),
    ),
  usage: (object) => claimUsage(object as ClaimLike),
  isInScope: (requirement, object) => claimIsInScope(requirement, object as ClaimLike),
}

/** Kinds that had a name in quotas before object counts existed for every kind. */
const oldNames = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'])

function counting(resource: string): QuotaEvaluator {
  const names = [countOf(resource), ...(oldNames.has(resource) ? [resource] : [])]
  const usage: Quantities = new Map(names.map((name) => [name, one]))
  return {
    matching: (given) => given.filter((name) => names.includes(name)),
    usage: () => usage,
    isInScope: () => false,
  }
}

const special = lookupTable<QuotaEvaluator>({
  pods,
  services,
  persistentvolumeclaims: claims,
  'resourceclaims.resource.k8s.io': deviceQuota,
})
const ignored = new Set(['events', 'events.events.k8s.io', 'bindings', 'componentstatuses'])
const counters = new Map<string, QuotaEvaluator>()

/** The evaluator of a kind, by resource name. Undefined: quotas do not count the kind. */
export function quotaEvaluatorOf(resource: string): QuotaEvaluator | undefined {
  if (ignored.has(resource)) return undefined
  const own = Object.hasOwn(special, resource) ? special[resource] : undefined
  if (own !== undefined) return own
  let counter = counters.get(resource)
  if (counter === undefined) {
    counter = counting(resource)
    counters.set(resource, counter)
  }
  return counter
}

/** Whether the scopes of a quota include an object. */
export function quotaScopesAdmit({ spec }: ResourceQuota, evaluator: QuotaEvaluator, object: KubeObject): boolean {
  const named = (spec?.scopes ?? []).map((scopeName): ScopeRequirement => ({ scopeName, operator: 'Exists' }))
  const selected = spec?.scopeSelector?.matchExpressions ?? []
  return [...named, ...selected].every((requirement) => evaluator.isInScope(requirement, object))
}

export const isPodTerminating = isTerminating

/** The sums of amounts, by name. */
export function addUsage(a: Quantities, b: Quantities): Map<string, Quantity> {
  const sum = new Map(a)
  for (const [name, amount] of b) {
    const before = sum.get(name)
    sum.set(name, before === undefined ? amount : addQuantities(before, amount))
  }
  return sum
}

export const writtenUsage = (usage: Quantities): Record<string, string> =>
  Object.fromEntries([...usage].map(([name, amount]) => [name, formatQuantity(amount)]))

export const readUsage = (list: Readonly<Record<string, string>> | undefined): Map<string, Quantity> =>
  new Map(Object.entries(list ?? {}).map(([name, text]) => [name, quantity(text)]))
