import { findCondition, isPodReady, isPodTerminal } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import { matcherFromMap } from '../../api/label-selector.ts'
import type { Service } from '../../api/objects/cluster.ts'
import type { EndpointPort } from '../../api/objects/endpoints.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { formatTime, parseTime } from '../../api/time.ts'

export type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number] & { readonly appProtocol?: string }

/** The fields of a service on which its endpoints depend. */
export interface ServiceFacts {
  readonly selector: Readonly<Record<string, string>> | undefined
  readonly ports: readonly ServicePort[]
  readonly clusterIP: string
  readonly ipFamilies: readonly string[]
  readonly publishesNotReady: boolean
}

export function factsOf({ spec = {} }: Service): ServiceFacts {
  return {
    selector: spec.selector,
    ports: spec.ports ?? [],
    clusterIP: spec.clusterIP ?? '',
    ipFamilies: (spec['ipFamilies'] as readonly string[] | undefined) ?? [],
    publishesNotReady: spec['publishNotReadyAddresses'] === true,
  }
}

export const isHeadless = ({ clusterIP }: ServiceFacts): boolean => clusterIP === 'None' || clusterIP === ''

/** v1.36, endpointslice/util, ShouldPodBeInEndpoints. */
export function hasEndpoint(pod: Pod, includesTerminating: boolean): boolean {
  if (isPodTerminal(pod)) return false
  if ((pod.status?.podIP ?? '') === '' && (pod.status?.podIPs ?? []).length === 0) return false
  return includesTerminating || pod.metadata.deletionTimestamp === undefined
}

/** The host name that a headless service publishes for a pod. */
export function hostnameOf({ metadata, spec }: Pod, service: Service): string | undefined {
  const { hostname = '', subdomain = '' } = spec as { readonly hostname?: string; readonly subdomain?: string }
  const isNamed = hostname !== '' && subdomain === service.metadata.name
  return isNamed && metadata.namespace === service.metadata.namespace ? hostname : undefined
}

interface NamedPort {
  readonly name?: string
  readonly containerPort: number
  readonly protocol?: string
}

/** The number of a service's port in a pod; undefined if the pod has no port of that name. */
export function findPort({ spec }: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof targetPort !== 'string') return targetPort === undefined || targetPort === 0 ? port : targetPort
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  for (const container of [...spec.containers, ...sidecars]) {
    for (const one of (container.ports ?? []) as readonly NamedPort[]) {
      if (one.name === targetPort && (one.protocol ?? 'TCP') === protocol) return one.containerPort
    }
  }
  return undefined
}

export function endpointPort({ name = '', protocol = 'TCP', appProtocol }: ServicePort, port: number): EndpointPort {
  return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }
}

/** Reports whether a change of a pod can change endpoints (podEndpointsChanged). */
export function changesEndpoints(before: Pod, after: Pod): boolean {
  return (
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    isPodReady(before) !== isPodReady(after) ||
    isPodTerminal(before) !== isPodTerminal(after) ||
    before.spec.nodeName !== after.spec.nodeName ||
    (before.status?.podIPs !== after.status?.podIPs && !deepEqual(before.status?.podIPs, after.status?.podIPs)) ||
    (before.metadata.labels !== after.metadata.labels && !deepEqual(before.metadata.labels, after.metadata.labels))
  )
}

/** The keys of the services that select a pod. */
export function servicesOf(services: readonly Service[], labels: Pod['metadata']['labels']): readonly string[] {
  const keys: string[] = []
  for (const service of services) {
    const selector = service.spec?.selector
    if (selector === undefined || !matcherFromMap(selector).matches(labels)) continue
    keys.push(`${service.metadata.namespace}/${service.metadata.name}`)
  }
  return keys
}

/** The times of the last changes of a service and its pods, as seen by a controller. */
export interface TriggerTimes {
  readonly service: number
  readonly pods: ReadonlyMap<string, number>
}

/**
 * The time of the change that a sync handles: the value of the annotation
 * endpoints.kubernetes.io/last-change-trigger-time (v1.36, endpointslice/util, TriggerTimeTracker). Undefined: no
 * annotation.
 */
export function triggerTime(
  service: Service,
  pods: readonly Pod[],
  known: TriggerTimes | undefined,
): { readonly times: TriggerTimes; readonly at: string | undefined } {
  const created = parseTime(service.metadata.creationTimestamp) ?? 0
  let earliest: number | undefined
  const podTimes = new Map<string, number>()
  const note = (at: number, before: number | undefined) => {
    if (at > (before ?? 0)) earliest = earliest === undefined ? at : Math.min(earliest, at)
  }
  for (const pod of pods) {
    const at = parseTime(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime ?? undefined)
    if (at === undefined) continue
    podTimes.set(pod.metadata.name, at)
    note(at, known?.pods.get(pod.metadata.name))
  }
  note(created, known?.service)
  const at = known === undefined ? created : earliest
  return { times: { service: created, pods: podTimes }, at: at === undefined ? undefined : formatTime(at) }
}

export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time'

/** Annotations with this trigger time, or without one. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  at: string | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _, ...rest } = annotations ?? {}
  return at === undefined ? rest : { ...rest, [triggerTimeAnnotation]: at }
}
