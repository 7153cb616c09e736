import { findCondition, isPodTerminal } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/objects/pod.ts'
import { isSidecar } from '../../api/pod-resources.ts'
import { parseTime } from '../../api/time.ts'
import type { KubeletRejection } from './kubelet-admission.ts'
import { withProbeDelays } from './probe-delays.ts'

type StatusPatch = { -readonly [K in keyof PodStatus]?: PodStatus[K] | null }

/** The conditions that a kubelet writes. */
const kubeletConditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']

/**
 * A status of the stages with the parts that a kubelet of v1.36 adds: the generation that it has seen, the delays of
 * probes, readiness gates, and the state of sidecars and ephemeral containers.
 */
export function completedStatus(pod: Pod, given: PodStatus, now: string): PodStatus {
  const { generation } = pod.metadata
  const patch = withProbeDelays(pod, given, now)
  const status: StatusPatch = { ...patch }
  if (generation !== undefined) status.observedGeneration = generation
  const written = patch.conditions ?? []
  // Conditions that do not change are also rewritten with the generation, including the scheduler's condition.
  const isAlive = patch.phase === 'Running' || patch.phase === 'Pending'
  const isNew = isAlive && pod.status?.observedGeneration !== generation
  const stale = (isNew ? (pod.status?.conditions ?? []) : []).filter(
    ({ type, observedGeneration }) =>
      kubeletConditions.includes(type) &&
      observedGeneration !== generation &&
      findCondition(written, type) === undefined,
  )
  const conditions = gatedConditions(pod, [...written, ...stale], now)
  if (patch.conditions !== undefined || conditions.length > 0) {
    status.conditions = conditions.map((one) => ({
      ...one,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }))
  }
  if (patch.phase === 'Running' && patch.initContainerStatuses !== undefined) {
    status.initContainerStatuses = patch.initContainerStatuses.map((one) => asSidecar(pod, one, now))
  }
  const ephemeral = patch.phase === 'Running' ? ephemeralStatuses(pod, now) : undefined
  if (ephemeral !== undefined) status.ephemeralContainerStatuses = ephemeral
  return status as PodStatus
}

/** The conditions with a Ready that follows from the readiness gates (v1.36, kubelet status, GeneratePodReadyCondition). */
function gatedConditions(pod: Pod, conditions: readonly PodCondition[], now: string): readonly PodCondition[] {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return conditions
  const present = pod.status?.conditions
  const containersReady = findCondition(conditions, 'ContainersReady') ?? findCondition(present, 'ContainersReady')
  if (containersReady?.status !== 'True') return conditions
  const problems = gates.flatMap(({ conditionType: type }) => {
    const found = findCondition(present, type)
    if (found === undefined) return [`corresponding condition of pod readiness gate "${type}" does not exist.`]
    return found.status === 'True'
      ? []
      : [`the status of pod readiness gate "${type}" is not "True", but ${found.status}`]
  })
  const old = findCondition(present, 'Ready')
  const status = problems.length === 0 ? 'True' : 'False'
  const message = problems.join(', ')
  if (old?.status === status && (old.message ?? '') === message)
    return conditions.filter(({ type }) => type !== 'Ready')
  const ready = {
    type: 'Ready',
    status,
    lastProbeTime: null,
    lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? now) : now,
    reason: problems.length === 0 ? null : 'ReadinessGatesNotReady',
    message: problems.length === 0 ? null : message,
  } as unknown as PodCondition
  return [...conditions.filter(({ type }) => type !== 'Ready'), ready]
}

function asSidecar({ spec }: Pod, status: ContainerStatus, now: string): ContainerStatus {
  const container = spec.initContainers?.find(({ name }) => name === status.name)
  if (container === undefined || !isSidecar(container)) return status
  const startedAt = status.state?.terminated?.startedAt ?? now
  return { ...status, ready: true, started: true, state: { running: { startedAt } } }
}

/** Undefined: there are no ephemeral containers, or all are reported. */
function ephemeralStatuses({ spec, status, metadata }: Pod, now: string): readonly ContainerStatus[] | undefined {
  const containers = spec.ephemeralContainers ?? []
  const known = status?.ephemeralContainerStatuses ?? []
  if (containers.length === 0 || containers.every(({ name }) => known.some((one) => one.name === name)))
    return undefined
  return containers.map(
    ({ name, image = '' }: Container): ContainerStatus =>
      known.find((one) => one.name === name) ?? {
        name,
        image,
        imageID: image,
        containerID: `hollow://${metadata.uid ?? ''}/${name}`,
        ready: false,
        restartCount: 0,
        state: { running: { startedAt: now } },
      },
  )
}

/** The status that a kubelet writes about a running pod besides its stages; undefined: nothing changes. */
export function decideUpkeep(pod: Pod, now: string): PodStatus | undefined {
  const { metadata, status } = pod
  if (status?.phase !== 'Running' || metadata.deletionTimestamp !== undefined) return undefined
  const { generation } = metadata
  const isObserved = status.observedGeneration === generation
  const gated = gatedConditions(pod, [], now)
  const ephemeral = ephemeralStatuses(pod, now)
  if (isObserved && gated.length === 0 && ephemeral === undefined) return undefined
  const renewed = isObserved ? [] : (status.conditions ?? []).filter(({ type }) => kubeletConditions.includes(type))
  const conditions = [...renewed.filter(({ type }) => !gated.some((one) => one.type === type)), ...gated]
  const patch = completedStatus(pod, { phase: 'Running', ...(conditions.length === 0 ? {} : { conditions }) }, now)
  return deepEqual(patch, {}) ? undefined : patch
}

/** The end of the active deadline of a pod, in wall time. */
export function deadlineOf({ spec, status, metadata }: Pod): number | undefined {
  const seconds = spec.activeDeadlineSeconds
  const startedAt = parseTime(status?.startTime)
  if (seconds === undefined || startedAt === undefined || metadata.deletionTimestamp !== undefined) return undefined
  return startedAt + seconds * 1000
}

export const deadlineExceeded: KubeletRejection = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
}

/** The status of a pod that its kubelet ends: containers that ran are terminated. */
export function failedStatus(pod: Pod, { reason, message }: KubeletRejection, now: string): PodStatus | undefined {
  if (isPodTerminal(pod)) return undefined
  const stopped = pod.status?.containerStatuses?.map((one) => ({
    ...one,
    ready: false,
    started: false,
    state: {
      terminated: {
        exitCode: 137,
        reason: 'Error',
        startedAt: one.state?.running?.startedAt ?? now,
        finishedAt: now,
        ...(one.containerID === undefined ? {} : { containerID: one.containerID }),
      },
    },
  }))
  const unready = (type: string) => ({
    type,
    status: 'False' as const,
    reason: 'PodFailed',
    lastTransitionTime: now,
    lastProbeTime: null,
  })
  const conditions = stopped === undefined ? {} : { conditions: [unready('Ready'), unready('ContainersReady')] }
  const { generation } = pod.metadata
  return {
    phase: 'Failed',
    reason,
    message,
    startTime: pod.status?.startTime ?? now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...conditions,
    ...(stopped === undefined ? {} : { containerStatuses: stopped as unknown as readonly ContainerStatus[] }),
  }
}
