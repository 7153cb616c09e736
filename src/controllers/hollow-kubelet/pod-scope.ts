import type { Container, ContainerStatus, Pod } from '../../api/objects/pod.ts'
import { exitCodeOf } from './container-programs.ts'
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
      default:
        return undefined
    }
  }
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
