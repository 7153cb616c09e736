import { groupVersion } from './play-group-story.ts'
import type { Told } from './two-sides.ts'

/** A node; `labels` besides its host name. */
export const node = (name: string, cpu = '2', labels: object = {}): Told => ({
  kind: 'create',
  resource: 'nodes',
  object: {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    status: { allocatable: { cpu, memory: '8Gi', pods: '10' }, capacity: { cpu, memory: '8Gi', pods: '10' } },
  },
})
export const untaint = (name: string): Told => ({
  kind: 'patch',
  resource: 'nodes',
  name,
  patch: { spec: { taints: null } },
})
export const pod = (name: string, spec: object = {}, cpu = '2'): Told => ({
  kind: 'create',
  resource: 'pods',
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...spec },
  },
})
export const member = (group: string, i: number, more: object = {}): Told =>
  pod(`${group}-${i}`, { schedulingGroup: { podGroupName: group }, ...more })
export const high = { priorityClassName: 'high' }
export const priorityClass: Told = {
  kind: 'create',
  resource: 'priorityclasses.scheduling.k8s.io',
  object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
}
export const gang = (name: string, minCount: number, more: object = {}): Told => ({
  kind: 'create',
  resource: 'podgroups.scheduling.k8s.io',
  object: {
    apiVersion: groupVersion,
    kind: 'PodGroup',
    metadata: { name, namespace: 'default' },
    spec: { schedulingPolicy: { gang: { minCount } }, ...more },
  },
})
export const remove = (resource: string, name: string): Told => ({ kind: 'delete', resource, name })

export const slice = (taints?: readonly object[], on = 'n0') => ({
  driver: 'gpu.example.com',
  pool: { name: on, generation: 1, resourceSliceCount: 1 },
  nodeName: on,
  devices: [{ name: 'gpu-0', ...(taints === undefined ? {} : { taints }) }],
})
export const claimSpec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } }
export const device = (kind: string, resource: string, name: string, spec: object): Told => ({
  kind: 'create',
  resource: `${resource}.resource.k8s.io`,
  object: {
    apiVersion: 'resource.k8s.io/v1',
    kind,
    metadata: { name, ...(/claim/i.test(kind) ? { namespace: 'default' } : {}) },
    spec,
  },
})
