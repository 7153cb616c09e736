import type { Container, ContainerStatus, Pod } from '../../api/objects/pod.ts'
import { isSidecar } from '../../api/pod-resources.ts'
import { exitCodeOf, failingInitOf } from './container-programs.ts'
import { hollowAnnotations } from './hollow-names.ts'
import type { TemplateScope } from './template.ts'

export interface PodFacts {
  readonly pod: Pod
  /** In the format of Kubernetes. */
  readonly now: string
  readonly hostIps: readonly string[]
  /** Computed only when a template needs it. */
  readonly podIps: () => readonly string[]
}

/** The values of the placeholders in a pod stage. */
export function podScope({ pod, now, hostIps, podIps }: PodFacts): TemplateScope {
  const { status, spec, metadata } = pod
  return (name) => {
    switch (name) {
      case 'now':
        return now
      case 'node':
        return spec.nodeName
      case 'name':
        return metadata.name
      case 'namespace':
        return metadata.namespace
      case 'hostIP':
        return status?.hostIP ?? hostIps[0]
      case 'hostIPs':
        return status?.hostIPs?.map(({ ip }) => ip) ?? hostIps
      case 'podIP':
        return podIps()[0]
      case 'podIPs':
        return podIps()
      case 'startTime':
        return status?.startTime ?? now
      case 'conditions':
        return status?.conditions
      case 'failureCode':
        return Number(metadata.annotations?.[hollowAnnotations.exitCode] ?? exitCodeOf(pod)) || 1
      case 'containers':
        return spec.containers.map((container) => containerFacts(pod, container, status?.containerStatuses, now))
      case 'initContainers':
        return (spec.initContainers ?? []).map((container) =>
          containerFacts(pod, container, status?.initContainerStatuses, now),
        )
      case 'inits':
        return initFacts(pod, now)
      case 'incompleteInits':
        return initFacts(pod, now)
          .filter(({ ready }) => !ready)
          .map((one) => one.name)
          .join(' ')
      default:
        return undefined
    }
  }
}

/** The init containers of a pod in which one fails: those before it have completed, those after it wait. */
function initFacts(pod: Pod, now: string) {
  const { spec, status } = pod
  const failing = failingInitOf(pod)
  const at = spec.initContainers?.findIndex(({ name }) => name === failing?.name) ?? -1
  return (spec.initContainers ?? []).map((container, index) => {
    const facts = containerFacts(pod, container, status?.initContainerStatuses, now)
    const terminated = (exitCode: number) => ({
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      startedAt: facts.startedAt,
      finishedAt: now,
    })
    if (index === at) {
      const ended = { terminated: terminated(failing?.exitCode ?? 1) }
      const message = 'back-off restarting failed container'
      return {
        ...facts,
        ready: false,
        ended,
        crashed: { waiting: { reason: 'CrashLoopBackOff', message } },
        crashCount: facts.nextRestartCount,
        running: { running: { startedAt: now } },
        before: ended,
        last: status?.initContainerStatuses?.[index]?.lastState,
      }
    }
    const isBefore = index < at
    const isLasting = isBefore && isSidecar(container)
    const state = isLasting
      ? { running: { startedAt: facts.startedAt } }
      : isBefore
        ? { terminated: terminated(0) }
        : { waiting: { reason: 'PodInitializing' } }
    const same = status?.initContainerStatuses?.[index]?.state
    const kept = isBefore && same !== undefined && same.waiting === undefined ? same : state
    return { ...facts, ready: isBefore, ended: kept, crashed: kept, crashCount: 0, running: kept }
  })
}

function containerFacts(
  { metadata }: Pod,
  { name, image = '' }: Container,
  statuses: readonly ContainerStatus[] | undefined,
  now: string,
) {
  const status = statuses?.find((other) => other.name === name)
  const restartCount = status?.restartCount ?? 0
  return {
    name,
    image,
    id: `hollow://${metadata.uid ?? ''}/${name}`,
    restartCount,
    nextRestartCount: restartCount + 1,
    startedAt: status?.state?.running?.startedAt ?? now,
  }
}
