import type { Call, PatchCall } from '../../api/call.ts'
import { findCondition, isPodReady } from '../../api/conditions.ts'
import { deleteCall } from '../../api/object-calls.ts'
import type { Container, Pod } from '../../api/objects/pod.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { controllerReference } from '../../api/owner-references.ts'
import { parseTime } from '../../api/time.ts'
import { labels } from '../../api/well-known.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { readySince } from '../pod-activity.ts'
import { podFromTemplate } from '../pod-template.ts'
import { hasFailurePolicy, judgeFailure } from './failure-policy.ts'

export const jobKind = { apiVersion: 'batch/v1', kind: 'Job' } as const

/** Keeps a finished pod until it is counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'

const indexLabel = labels.jobCompletionIndex
const failures = 'batch.kubernetes.io/job-index-failure-count'
const ignoredFailures = 'batch.kubernetes.io/job-index-ignored-failure-count'
const indexVariable = 'JOB_COMPLETION_INDEX'
// Names get five random characters (apiserver storage/names).
const maxPrefixLength = 58
const natural = /^\+?[0-9]+$/

export const isIndexed = (job: Job): boolean => job.spec?.completionMode === 'Indexed'
export const isSuspended = (job: Job): boolean => job.spec?.suspend === true
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) ?? false

/** Reports whether pods are replaced only when they have failed, and not when they are terminating. */
export function replacesOnlyFailed(job: Job): boolean {
  return job.spec?.podReplacementPolicy === 'Failed' || hasFailurePolicy(job)
}

/** Deleted pods count as failed, because their kubelet may never report the end. */
export function isPodFailed(job: Job, pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true
  if (replacesOnlyFailed(job)) return false
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded'
}

function naturalIn(pod: Pod, annotation: string): number | undefined {
  const text = pod.metadata.annotations?.[annotation]
  if (text === undefined || !natural.test(text)) return undefined
  const number = Number(text)
  return number < 2 ** 31 ? number : undefined
}

export function completionIndex(pod: Pod): number | undefined {
  return naturalIn(pod, indexLabel)
}

/** The number of earlier failures of the index of the pod. */
export function indexFailures(pod: Pod): number {
  return naturalIn(pod, failures) ?? 0
}

export function allIndexFailures(pod: Pod): number {
  return indexFailures(pod) + (naturalIn(pod, ignoredFailures) ?? 0)
}

/** `replaced`: the failed pod of the same index, whose failure count the new pod continues. */
export function jobPod(job: Job, index?: number, replaced?: Pod): Pod {
  const template = job.spec?.template ?? { spec: { containers: [] } }
  const pod = podFromTemplate(template, job, controllerReference(job, jobKind))
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])]
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } }
  const { initContainers, containers } = pod.spec
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      finalizers,
      generateName: indexedPrefix(job.metadata.name, index),
      labels: { ...pod.metadata.labels, [indexLabel]: String(index) },
      annotations: { ...pod.metadata.annotations, [indexLabel]: String(index), ...failureAnnotations(job, replaced) },
    },
    spec: {
      ...pod.spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: containers.map(withIndexVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
    },
  }
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (job.spec?.backoffLimitPerIndex === undefined) return {}
  if (replaced === undefined) return { [failures]: '0' }
  const counts = judgeFailure(job, replaced).counts
  const ignored = (naturalIn(replaced, ignoredFailures) ?? 0) + (counts ? 0 : 1)
  return {
    [failures]: String(indexFailures(replaced) + (counts ? 1 : 0)),
    ...(ignored === 0 ? {} : { [ignoredFailures]: String(ignored) }),
  }
}

function withIndexVariable(container: Container): Container {
  if (container.env?.some(({ name }) => name === indexVariable)) return container
  const valueFrom = { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${indexLabel}']` } }
  return { ...container, env: [...(container.env ?? []), { name: indexVariable, valueFrom }] }
}

function indexedPrefix(jobName: string, index: number): string {
  const suffix = `-${index}-`
  return `${jobName.slice(0, maxPrefixLength - suffix.length)}${suffix}`
}

export function untrackCall({ metadata }: Pod): PatchCall {
  return {
    verb: 'patch',
    resource: 'pods',
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    patch: {
      kind: 'strategic',
      patch: { metadata: { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } },
    },
  }
}

/** Removes a surplus pod, which must not count as failed. */
export function removalCalls(pod: Pod): readonly Call[] {
  return [...(isTracked(pod) ? [untrackCall(pod)] : []), deleteCall('pods', pod)]
}

const phaseOrder = lookupTable<number>({ Pending: 0, Unknown: 1, Running: 2 })

/** Sorts active pods: the pod to delete first comes first (v1.36, pkg/controller ActivePods). */
export function removedFirst(a: Pod, b: Pod): number {
  const [assignedA, assignedB] = [(a.spec.nodeName ?? '') !== '', (b.spec.nodeName ?? '') !== '']
  if (assignedA !== assignedB) return assignedA ? 1 : -1
  const phase = (phaseOrder[a.status?.phase ?? ''] ?? 0) - (phaseOrder[b.status?.phase ?? ''] ?? 0)
  if (phase !== 0) return phase
  const [readyA, readyB] = [isPodReady(a), isPodReady(b)]
  if (readyA !== readyB) return readyA ? 1 : -1
  const ready = readyA ? youngerFirst(readySince(a), readySince(b)) : 0
  if (ready !== 0) return ready
  const restarts = restartsOf(b) - restartsOf(a)
  if (restarts !== 0) return restarts
  return youngerFirst(parseTime(a.metadata.creationTimestamp), parseTime(b.metadata.creationTimestamp))
}

function youngerFirst(a: number | undefined, b: number | undefined): number {
  return (b ?? Number.POSITIVE_INFINITY) === (a ?? Number.POSITIVE_INFINITY)
    ? 0
    : (b ?? Number.POSITIVE_INFINITY) < (a ?? Number.POSITIVE_INFINITY)
      ? -1
      : 1
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount))
}

/** The time at which a pod ended, from the most reliable field that is set (v1.36, job getFinishedTime). */
export function finishedAt(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata
  const ready = findCondition(pod.status?.conditions, 'Ready')
  const deletedAt = parseTime(deletionTimestamp)
  return (
    containersFinishedAt(pod) ??
    (ready?.status === 'False' ? parseTime(ready.lastTransitionTime) : undefined) ??
    (deletedAt === undefined ? undefined : deletedAt - Number(deletionGracePeriodSeconds) * 1000) ??
    parseTime(creationTimestamp) ??
    0
  )
}

function containersFinishedAt({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map(({ name }) => name),
  )
  const statuses = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ]
  let latest: number | undefined
  for (const { state } of statuses) {
    const at = parseTime(state?.terminated?.finishedAt)
    if (at === undefined) return undefined
    latest = Math.max(latest ?? at, at)
  }
  return latest
}
