import { findCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { hasPodLevelRequests, isSidecar, podRequests } from '../../api/pod-resources.ts'
import { milliValueInt64, quantity } from '../../api/quantity.ts'
import { parseTime } from '../../api/time.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** A metric of one pod. Values are thousandths. */
export interface PodMetric {
  readonly value: bigint
  /** Wall time of the sample. */
  readonly timestamp: number
  readonly windowMs: number
}

export type PodMetrics = Map<string, PodMetric>

export interface Tolerances {
  readonly up: number
  readonly down: number
}

export interface ReplicaContext {
  readonly pods: readonly Pod[]
  readonly currentReplicas: number
  readonly tolerances: Tolerances
  readonly wall: number
  readonly cpuInitializationMs: number
  readonly initialReadinessMs: number
}

export interface Proposal {
  readonly replicas: number
  /** The average usage of a pod, or the usage, in thousandths. */
  readonly usage: bigint
  /** The utilization in percent of the request. */
  readonly utilization?: number
}

const maxInt32 = 2 ** 31 - 1
const isWithin = ({ up, down }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up

/** Replicas for a target utilization in percent of the request (v1.36, GetResourceReplicas). */
export function replicasForUtilization(
  metrics: PodMetrics,
  target: number,
  { resource, container }: { readonly resource: string; readonly container: string },
  context: ReplicaContext,
): Result<Proposal> {
  const groups = groupPods(metrics, resource, context)
  if (!groups.ok) return groups
  const requests = requestsOf(context.pods, container, resource)
  if (!requests.ok) return requests
  const first = utilizationRatio(metrics, requests.value, target)
  if (!first.ok) return first
  const { utilization, usage } = first.value
  const again = (): Result<number> => {
    const second = utilizationRatio(metrics, requests.value, target)
    return second.ok ? done(second.value.ratio) : second
  }
  // Before pods are removed, pods without metrics count with their whole request, or with the target if it is higher.
  const fallback = BigInt(Math.max(100, target))
  const replicas = replicasForRatio(metrics, first.value.ratio, groups.value, {
    context,
    again,
    missingUsage: (pod) => ((requests.value.get(pod) ?? 0n) * fallback) / 100n,
  })
  return replicas.ok ? done({ replicas: replicas.value, usage, utilization }) : replicas
}

/** Replicas for a target average value of the pods (v1.36, calcPlainMetricReplicas). */
export function replicasForAverage(
  metrics: PodMetrics,
  target: bigint,
  resource: string,
  context: ReplicaContext,
): Result<Proposal> {
  const groups = groupPods(metrics, resource, context)
  if (!groups.ok) return groups
  const { ratio, usage } = usageRatio(metrics, target)
  const replicas = replicasForRatio(metrics, ratio, groups.value, {
    context,
    again: () => done(usageRatio(metrics, target).ratio),
    missingUsage: () => target,
  })
  return replicas.ok ? done({ replicas: replicas.value, usage }) : replicas
}

/** Replicas for a target value of an object or an external metric (v1.36, getUsageRatioReplicaCount). */
export function replicasForValue(usage: bigint, target: bigint, context: ReplicaContext): Result<Proposal> {
  const { currentReplicas, tolerances, pods } = context
  const ratio = Number(usage) / Number(target)
  if (currentReplicas === 0) return done({ replicas: Math.ceil(ratio), usage })
  if (isWithin(tolerances, ratio)) return done({ replicas: currentReplicas, usage })
  if (pods.length === 0) {
    return failed('unable to calculate ready pods: no pods returned by selector while calculating replica count')
  }
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && readyOf(pod)?.status === 'True').length
  return done({ replicas: Math.min(Math.ceil(ratio * ready), maxInt32), usage })
}

/** Replicas for a target value per pod of an object or an external metric (v1.36, GetExternalPerPodMetricReplicas). */
export function replicasForValuePerPod(
  usage: bigint,
  target: bigint,
  statusReplicas: number,
  tolerances: Tolerances,
): Proposal {
  const ratio = Number(usage) / (Number(target) * statusReplicas)
  const replicas = isWithin(tolerances, ratio)
    ? statusReplicas
    : Math.min(Math.ceil(Number(usage) / Number(target)), maxInt32)
  const average = Math.ceil(Number(usage) / statusReplicas)
  return { replicas, usage: Number.isFinite(average) ? BigInt(average) : 0n }
}

interface PodGroups {
  readonly readyCount: number
  readonly unready: ReadonlySet<string>
  readonly missing: ReadonlySet<string>
}

/** Groups pods by readiness, and removes the metrics of pods that do not count. */
function groupPods(metrics: PodMetrics, resource: string, context: ReplicaContext): Result<PodGroups> {
  if (context.pods.length === 0) return failed('no pods returned by selector while calculating replica count')
  const unready = new Set<string>()
  const missing = new Set<string>()
  const ignored = new Set<string>()
  let readyCount = 0
  for (const pod of context.pods) {
    const { name, deletionTimestamp } = pod.metadata
    const metric = metrics.get(name)
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') ignored.add(name)
    else if (pod.status?.phase === 'Pending') unready.add(name)
    else if (metric === undefined) missing.add(name)
    else if (resource === 'cpu' && isUnready(pod, metric, context)) unready.add(name)
    else readyCount++
  }
  for (const name of [...ignored, ...unready]) metrics.delete(name)
  if (metrics.size === 0) return failed('did not receive metrics for targeted pods (pods might be unready)')
  return done({ readyCount, unready, missing })
}

const readyOf = (pod: Pod) => findCondition(pod.status?.conditions, 'Ready')

/** The CPU usage of a starting pod does not represent its load. */
function isUnready(pod: Pod, metric: PodMetric, context: ReplicaContext): boolean {
  const condition = readyOf(pod)
  const startTime = parseTime(pod.status?.startTime)
  if (condition === undefined || startTime === undefined) return true
  const isNotReady = condition.status === 'False'
  const since = parseTime(condition.lastTransitionTime) ?? 0
  if (startTime + context.cpuInitializationMs > context.wall) {
    return isNotReady || metric.timestamp < since + metric.windowMs
  }
  return isNotReady && startTime + context.initialReadinessMs > since
}

interface RatioOptions {
  readonly context: ReplicaContext
  /** Computes the ratio again after metrics of pods were added. */
  readonly again: () => Result<number>
  /** The assumed usage of a pod without metrics before pods are removed. */
  readonly missingUsage: (pod: string) => bigint
}

function replicasForRatio(
  metrics: PodMetrics,
  ratio: number,
  { readyCount, unready, missing }: PodGroups,
  { context, again, missingUsage }: RatioOptions,
): Result<number> {
  const { currentReplicas, tolerances } = context
  const isUpWithUnready = unready.size > 0 && ratio > 1
  if (!isUpWithUnready && missing.size === 0) {
    return done(isWithin(tolerances, ratio) ? currentReplicas : Math.ceil(ratio * readyCount))
  }
  const assume = (name: string, value: bigint) => metrics.set(name, { value, timestamp: 0, windowMs: 0 })
  if (ratio < 1) for (const name of missing) assume(name, missingUsage(name))
  if (ratio > 1) for (const name of missing) assume(name, 0n)
  if (isUpWithUnready) for (const name of unready) assume(name, 0n)
  const second = again()
  if (!second.ok) return second
  const isTurned = (ratio < 1 && second.value > 1) || (ratio > 1 && second.value < 1)
  if (isWithin(tolerances, second.value) || isTurned) return done(currentReplicas)
  const replicas = Math.ceil(second.value * metrics.size)
  const isOpposite =
    (second.value < 1 && replicas > currentReplicas) || (second.value > 1 && replicas < currentReplicas)
  return done(isOpposite ? currentReplicas : replicas)
}

function utilizationRatio(
  metrics: PodMetrics,
  requests: ReadonlyMap<string, bigint>,
  target: number,
): Result<{ readonly ratio: number; readonly utilization: number; readonly usage: bigint }> {
  let used = 0n
  let requested = 0n
  let count = 0n
  for (const [name, { value }] of metrics) {
    const request = requests.get(name)
    if (request === undefined) continue
    used += value
    requested += request
    count++
  }
  if (requested === 0n) return failed('no metrics returned matched known pods')
  const utilization = Number(BigInt.asIntN(32, (used * 100n) / requested))
  return done({ ratio: utilization / target, utilization, usage: used / count })
}

function usageRatio(metrics: PodMetrics, target: bigint): { readonly ratio: number; readonly usage: bigint } {
  let used = 0n
  for (const { value } of metrics.values()) used += value
  const usage = used / BigInt(metrics.size)
  return { ratio: Number(usage) / Number(target), usage }
}

/** The requests of pods for a resource, in thousandths. `container` is empty for whole pods. */
function requestsOf(pods: readonly Pod[], container: string, resource: string): Result<ReadonlyMap<string, bigint>> {
  const requests = new Map<string, bigint>()
  for (const pod of pods) {
    const request =
      container === '' && hasPodLevelRequests(pod)
        ? podLevelRequest(pod, resource)
        : containerRequests(pod, container, resource)
    if (!request.ok) return request
    requests.set(pod.metadata.name, request.value)
  }
  return done(requests)
}

function podLevelRequest(pod: Pod, resource: string): Result<bigint> {
  const found = podRequests(pod).get(resource)
  if (found === undefined) return failed(`missing pod-level request for ${resource} in Pod ${pod.metadata.name}`)
  return done(milliValueInt64(found))
}

function containerRequests({ metadata, spec }: Pod, container: string, resource: string): Result<bigint> {
  let sum = 0n
  for (const { name, resources } of [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)]) {
    if (container !== '' && container !== name) continue
    const request = resources?.requests?.[resource]
    if (request === undefined) {
      return failed(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`)
    }
    sum += milliValueInt64(quantity(request))
    if (container === name) return done(sum)
  }
  return container === '' ? done(sum) : failed(`container ${container} not found in Pod ${metadata.name}`)
}
