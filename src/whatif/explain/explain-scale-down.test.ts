import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { readAutoscaling } from '../scenario/autoscaling-reader.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { explainScaleDown } from './explain-scale-down.ts'

const takenAt = '2026-01-01T01:00:00Z'

function node(name: string, group: string | undefined, more: { annotations?: object; spec?: object } = {}): KubeObject {
  const resources = { cpu: '4', memory: '16Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: name,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: group === undefined ? {} : { 'kwok-nodegroup': group },
      annotations: more.annotations ?? {},
    },
    spec: more.spec ?? {},
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:40Z', lastHeartbeatTime: takenAt },
      ],
    },
  } as unknown as KubeObject
}

function pod(name: string, on: string, cpu: string, more: { owner?: boolean; annotations?: object } = {}): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs-web', controller: true }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      creationTimestamp: '2026-01-01T00:10:00Z',
      ...(more.owner === false ? {} : { ownerReferences: [owner] }),
      annotations: more.annotations ?? {},
    },
    spec: { nodeName: on, containers: [{ name: 'c', image: 'a', resources: { requests: { cpu } } }] },
    status: { phase: 'Running' },
  } as unknown as KubeObject
}

const web = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default', uid: 'rs-web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'a' }] } },
  },
} as unknown as KubeObject

/** The reason for each node. */
function reasons(objects: readonly KubeObject[], min = 0) {
  const { cluster } = findCluster({ objects: [...objects, web] })
  const nodes = objects.filter(({ kind }) => kind === 'Node')
  const group = { nodeGroups: [{ name: 'pool', min, max: 9 }] }
  const { clusterAutoscaler } = readAutoscaling({ clusterAutoscaler: group }, '', nodes as never)
  const answer = explainScaleDown(cluster, clusterAutoscaler as NonNullable<typeof clusterAutoscaler>)
  return Object.fromEntries(answer.map((each) => [each.node, `${each.decision}: ${each.reason}`]))
}

describe('an explanation of what Cluster Autoscaler removes', () => {
  it('gives the reason for each node in plain English', () => {
    const answer = reasons([
      node('base', undefined),
      node('busy', 'pool'),
      node('empty', 'pool'),
      node('kept', 'pool', { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } }),
      node('naked', 'pool'),
      node('safe', 'pool'),
      pod('web-1', 'busy', '3'),
      pod('lonely', 'naked', '1', { owner: false }),
      pod('web-2', 'safe', '1', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } }),
    ])
    expect(answer).toEqual({
      base: 'keep: the node is in no node group',
      busy: 'keep: its pods request more than --scale-down-utilization-threshold',
      empty: 'remove: its pods fit elsewhere; removed in 600s if nothing changes',
      kept: 'keep: the annotation cluster-autoscaler.kubernetes.io/scale-down-disabled forbids it',
      naked: 'keep: default/lonely has no controller that would recreate it',
      safe: 'keep: default/web-2 has the annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "false"',
    })
  })

  it('counts the time since the soft taint was added', () => {
    const since = String(Date.parse(takenAt) / 1000 - 400)
    const taint = { key: 'DeletionCandidateOfClusterAutoscaler', value: since, effect: 'PreferNoSchedule' }
    const answer = reasons([node('a', 'pool', { spec: { taints: [taint] } }), node('b', undefined)])
    expect(answer['a']).toBe('remove: its pods fit elsewhere; removed in 200s if nothing changes')
  })

  it('keeps a node if its group is at the minimum size', () => {
    const answer = reasons([node('a', 'pool'), node('b', 'pool'), node('c', 'pool')], 2)
    expect(Object.values(answer).filter((text) => text.startsWith('remove'))).toHaveLength(1)
    expect(Object.values(reasons([node('a', 'pool')], 1))).toEqual(['keep: the group is at its minimum size of 1'])
  })
})
