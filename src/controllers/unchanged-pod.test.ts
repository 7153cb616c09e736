import { describe, expect, it } from 'vitest'
import type { Pod, PodCondition } from '../api/objects/pod.ts'
import { isOffNodes, isUnchangedForOwner } from './unchanged-pod.ts'

const ready: PodCondition = { type: 'Ready', status: 'True' }
const scheduled = (message: string): PodCondition => ({ type: 'PodScheduled', status: 'False', message })
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '1', controller: true }

const pod: Pod = {
  metadata: { name: 'a', uid: 'a', labels: { app: 'web' }, ownerReferences: [owner] },
  spec: { containers: [] },
  status: { phase: 'Pending', conditions: [scheduled('0/1'), ready] },
}
const withMeta = (metadata: Partial<Pod['metadata']>): Pod => ({ ...pod, metadata: { ...pod.metadata, ...metadata } })
const withStatus = (status: Pod['status']): Pod => ({ ...pod, status: { ...pod.status, ...status } })

const isUnchanged = (before: Pod | undefined, after: Pod | undefined): boolean =>
  isUnchangedForOwner({ resource: 'pods', key: 'a', ...(before && { before }), ...(after && { after }) })

describe('isUnchangedForOwner', () => {
  it.each<[string, Pod]>([
    ['the resourceVersion', withMeta({ resourceVersion: '2' })],
    ['the node', { ...pod, spec: { ...pod.spec, nodeName: 'n1' } }],
    ['the reason why it is not scheduled', withStatus({ conditions: [scheduled('0/2'), ready] })],
    ['the address', withStatus({ podIP: '10.0.0.1' })],
  ])('a change of a pod does not matter to its controller if it changes only %s', (_, after) => {
    expect(isUnchanged(pod, after)).toBe(true)
  })

  it.each<[string, Pod]>([
    ['uid', withMeta({ uid: 'b' })],
    ['labels', withMeta({ labels: { app: 'api' } })],
    ['deletion', withMeta({ deletionTimestamp: '2026-01-01T00:00:00Z' })],
    ['owner', withMeta({ ownerReferences: [] })],
    ['phase', withStatus({ phase: 'Running' })],
    ['readiness', withStatus({ conditions: [scheduled('0/1'), { ...ready, status: 'False' }] })],
    ['disruption', withStatus({ conditions: [scheduled('0/1'), ready, { type: 'DisruptionTarget', status: 'True' }] })],
  ])('a change of a pod matters to its controller if it changes the %s', (_, after) => {
    expect(isUnchanged(pod, after)).toBe(false)
  })

  it('a change of a pod matters if the pod is created or deleted, or has no controller', () => {
    expect(isUnchanged(undefined, pod)).toBe(false)
    expect(isUnchanged(pod, undefined)).toBe(false)
    const { ownerReferences: _, ...metadata } = pod.metadata
    expect(isUnchanged({ ...pod, metadata }, { ...pod, metadata: { ...metadata, resourceVersion: '2' } })).toBe(false)
  })

  it('a change of a pod does not matter to kubelets while the pod is on no node and is not deleted', () => {
    const offNodes = (before: Pod, after: Pod): boolean => isOffNodes({ resource: 'pods', key: 'a', before, after })
    expect(offNodes(pod, withStatus({ phase: 'Running' }))).toBe(true)
    expect(offNodes(pod, { ...pod, spec: { ...pod.spec, nodeName: 'n1' } })).toBe(false)
    expect(offNodes(pod, withMeta({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(false)
    expect(offNodes(pod, withMeta({ uid: 'b' }))).toBe(false)
  })
})
