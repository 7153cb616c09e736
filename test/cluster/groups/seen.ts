import type { Event } from '../../../src/api/objects/cluster.ts'
import type { ResourceClaim } from '../../../src/api/objects/devices.ts'
import type { PodGroup } from '../../../src/api/objects/groups.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import type { ToldSide } from './two-sides.ts'

// The pods of a gang are equal, and upstream tries them in a random order. Only their group is compared.
const family = (name: string): string => name.replace(/-\d+$/, '-#')
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const generated = (name: string): string => name.replace(/-[bcdfghjklmnpqrstvwxz2456789]{5}$/, '-*')

// kube-scheduler tries a group again while its victims terminate, or not, depending on when its requests end.
const preempting = (message: string): string =>
  message.replace(
    /(ongoing preemption on nominated nodes|found a placement for podgroup, preempting \d+ victims)/g,
    'preempting',
  )

/** The visible part of the decisions, without times and identities. */
export function seen(side: ToldSide): Readonly<Record<string, unknown>> {
  const pods = side.list('pods') as readonly Pod[]
  const claims = side.list('resourceclaims.resource.k8s.io') as readonly ResourceClaim[]
  const events = side.list('events') as readonly Event[]
  return {
    pods: pods.map(podSeen).sort(),
    groups: (side.list('podgroups.scheduling.k8s.io') as readonly PodGroup[]).map(groupSeen).sort(),
    claims: claims.map(claimSeen).sort(),
    // The API server repairs the addresses that belong to its Service.
    events: [
      ...new Set(events.filter(({ involvedObject }) => involvedObject.kind !== 'Service').map(eventSeen)),
    ].sort(),
  }
}

function podSeen({ metadata, spec, status }: Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  const claims = (status?.resourceClaimStatuses ?? []).map(
    ({ name, resourceClaimName }) => `${name}=${generated(resourceClaimName ?? '')}`,
  )
  const disrupted = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason ?? ''
  return [
    family(metadata.name),
    // Nodes are equal too.
    spec.nodeName === undefined ? 'pending' : 'bound',
    `${scheduled?.status} ${scheduled?.reason ?? ''} ${scheduled?.message ?? ''}`,
    claims.join(),
    disrupted,
    metadata.deletionTimestamp === undefined ? '' : 'leaving',
  ].join(' | ')
}

function groupSeen({ metadata, status }: PodGroup): string {
  const conditions = (status?.conditions ?? []).map(
    ({ type, status: is, reason, message }) => `${type}=${is} ${reason} ${preempting(message ?? '')}`,
  )
  return [metadata.name, (metadata.finalizers ?? []).join(), ...conditions].join(' | ')
}

function claimSeen({ metadata, status }: ResourceClaim): string {
  const results = status?.allocation?.devices?.results ?? []
  return [
    generated(metadata.name),
    Object.entries(metadata.annotations ?? {}).join(),
    (metadata.ownerReferences ?? []).map(({ kind, name, controller }) => `${kind}/${name}/${controller}`).join(),
    (metadata.finalizers ?? []).join(),
    results.map(({ request, driver, pool, device }) => `${request}:${driver}/${pool}/${device}`).join(),
    (status?.reservedFor ?? []).map(({ resource, name }) => `${resource}/${name}`).join(),
    metadata.deletionTimestamp === undefined ? '' : 'leaving',
  ].join(' | ')
}

function eventSeen({ involvedObject, type, reason, message, reportingComponent, source }: Event): string {
  const text = preempting(String(message))
    .replace(uid, 'UID')
    .replace(/default\/([\w-]+) to \S+$/, (_, name: string) => `default/${family(name)} to a node`)
  const component =
    reportingComponent === '' || reportingComponent === undefined ? (source?.component ?? '') : reportingComponent
  return [involvedObject.kind, family(involvedObject.name ?? ''), type, reason, component, text].join(' | ')
}
