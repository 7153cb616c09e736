import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { NodeGroup } from '../../autoscalers/cluster-autoscaler/node-group.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { trimObject } from '../snapshot/trimming.ts'
import { findClusterAutoscaler } from './found-cluster-autoscaler.ts'

const node = (name: string, labels: Record<string, string>, more = {}): KubeObject => {
  const resources = { cpu: '4', memory: '16Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z', labels, ...more },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:40Z' }],
    },
  } as unknown as KubeObject
}

const status = (groups: readonly string[], backoff = '') =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-autoscaler-status', namespace: 'kube-system', uid: 'status' },
    data: {
      status: `autoscalerStatus: Running\nnodeGroups:\n${groups
        .map(
          (name) =>
            `- health:\n    cloudProviderTarget: 3\n    maxSize: 9\n    minSize: 1\n    status: Healthy\n  name: ${name}\n  scaleUp:\n    ${backoff || 'status: NoActivity'}\n`,
        )
        .join('')}time: 2026-01-01 01:00:00 +0000 UTC\n`,
    },
  }) as unknown as KubeObject

const deployment = (args: readonly string[]) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'cluster-autoscaler', namespace: 'kube-system', uid: 'ca' },
    spec: {
      selector: { matchLabels: { app: 'ca' } },
      template: {
        metadata: { labels: { app: 'ca' } },
        spec: {
          containers: [
            {
              name: 'ca',
              image: 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.36.1',
              command: ['./cluster-autoscaler', '--v=4', '--cloud-config=/secret'],
              args,
            },
          ],
        },
      },
    },
  }) as unknown as KubeObject

const found = (...objects: readonly KubeObject[]) => findClusterAutoscaler(findCluster({ objects }).cluster)

describe('Cluster Autoscaler found in a cluster', () => {
  it.each([
    ['EKS', 'eks-web-aabbccdd-1111-2222-3333-444455556666', { 'eks.amazonaws.com/nodegroup': 'web' }, 'ip-10-0-0-1'],
    ['eksctl', 'eksctl-prod-nodegroup-web-NodeGroup-X1', { 'alpha.eksctl.io/nodegroup-name': 'web' }, 'ip-10-0-0-1'],
    ['AKS', 'aks-web-31415926-vmss', { agentpool: 'web' }, 'aks-web-31415926-vmss000000'],
    ['kops', 'web.example.com', { 'kops.k8s.io/instancegroup': 'web' }, 'ip-10-0-0-1'],
    [
      'GKE',
      'https://www.googleapis.com/compute/v1/projects/p/zones/z/instanceGroups/gke-prod-web-1a2b-grp',
      { 'cloud.google.com/gke-nodepool': 'web' },
      'gke-prod-web-1a2b-x7z9',
    ],
  ])('recognizes the nodes of a node group of %s', (_, group, labels, name) => {
    const answer = found(node(name, labels), node('other', {}), status([group]))
    const [only] = answer?.clusterAutoscaler.groups ?? []
    expect(only).toMatchObject({ name: group, min: 1, max: 9, foundTarget: 3, bootMs: 40_000 })
    expect([...(only?.members ?? [])]).toEqual([name])
    expect(only?.template.metadata.labels).toEqual(labels)
  })

  it('recognizes the machines of Cluster API by their annotation', () => {
    const machine = node('m-1', {}, { annotations: { 'cluster.x-k8s.io/owner-name': 'md-0-x7z9' } })
    const answer = found(machine, node('m-2', {}), status(['MachineDeployment/default/md-0']))
    expect([...(answer?.clusterAutoscaler.groups[0]?.members ?? [])]).toEqual(['m-1'])
  })

  it('distinguishes the groups of a pool in two zones', () => {
    const pool = { 'cloud.google.com/gke-nodepool': 'web' }
    const answer = found(
      node('gke-prod-web-1a-x7z9', pool),
      node('gke-prod-web-2b-y7z9', pool),
      status(['zones/a/instanceGroups/gke-prod-web-1a-grp', 'zones/b/instanceGroups/gke-prod-web-2b-grp']),
    )
    expect(answer?.clusterAutoscaler.groups.map(({ members, label }) => [...(members ?? []), label.value])).toEqual([
      ['gke-prod-web-1a-x7z9', 'gke-prod-web-1a'],
      ['gke-prod-web-2b-y7z9', 'gke-prod-web-2b'],
    ])
  })

  it('does not search for a group that a file describes, and assumes nothing about it', () => {
    const { cluster } = findCluster({ objects: [node('n', {}), status(['web', 'batch'])] })
    const both = findClusterAutoscaler(cluster)?.notes.map(({ text }) => text)
    expect(both?.at(-1)).toContain('node groups web, batch have no node')
    const given = { groups: [{ name: 'web' }, { name: 'batch' }] } as unknown as { groups: readonly NodeGroup[] }
    expect(findClusterAutoscaler(cluster, given)?.notes).toEqual([])
  })

  it('reads flags and groups from the Deployment, also after a snapshot trimmed it', () => {
    const trimmed = trimObject(
      deployment(['--expander=priority', '--nodes=2:5:web', '--scale-down-unneeded-time', '3m']),
    )
    expect(JSON.stringify(trimmed)).not.toContain('/secret')
    const answer = found(node('n', { 'kwok-nodegroup': 'web' }), trimmed)
    expect(answer?.clusterAutoscaler.options).toMatchObject({
      expander: 'priority',
      'scale-down-unneeded-time': 180_000,
    })
    expect(answer?.clusterAutoscaler.groups[0]).toMatchObject({ name: 'web', min: 2, max: 5 })
  })

  it('names the flags of the Deployment that a forecast cannot follow, also after a snapshot trimmed it', () => {
    const trimmed = trimObject(
      deployment(['--expander=grpc,most-pods', '--enable-provisioning-requests', '--cloud-provider=externalgrpc']),
    )
    const answer = found(node('n', { 'kwok-nodegroup': 'web' }), trimmed, status(['web']))
    expect(answer?.clusterAutoscaler.options.expander).toBe('grpc,most-pods')
    expect(answer?.clusterAutoscaler.limits).toEqual([
      '--expander=grpc,most-pods of Cluster Autoscaler: the gRPC server of the expander is not called, most-pods decides',
      '--enable-provisioning-requests of Cluster Autoscaler: ProvisioningRequests are not forecast',
      expect.stringContaining('--cloud-provider=externalgrpc of Cluster Autoscaler: groups that scale from zero'),
    ])
    expect(answer?.notes.some(({ text }) => text.includes('unknown flags'))).toBe(false)
  })

  it('reports the startup time of new nodes and the groups that cannot grow', () => {
    const later = node('n-2', { 'kwok-nodegroup': 'web' }, { creationTimestamp: '2026-01-01T00:00:10Z' })
    const answer = found(node('n-1', { 'kwok-nodegroup': 'web' }), later, status(['web', 'empty']))
    const text = (answer?.notes ?? []).map((note) => note.text).join('\n')
    expect(text).toContain('new nodes take 40s in web (median of 2 nodes, 30s to 40s)')
    expect(text).toContain('node groups empty have no nodes to derive a template from')
  })

  it('continues a backoff of the cluster', () => {
    const backoff = 'status: Backoff\n    lastTransitionTime: "2026-01-01T00:59:00Z"'
    const answer = found(node('n', { 'kwok-nodegroup': 'web' }), status(['web'], backoff))
    expect(answer?.clusterAutoscaler.groups[0]?.backoffSinceMs).toBe(Date.UTC(2026, 0, 1, 0, 59))
  })

  it.each([
    ['nothing', []],
    ['a Deployment without node groups', [deployment([])]],
    ['a status in another format', [{ ...status([]), data: { status: 'Cluster-autoscaler status at 1:\n: :' } }]],
  ])('derives no node groups from %s', (_, objects) => {
    expect(found(node('n', { agentpool: 'web' }), ...(objects as KubeObject[]))).toBeUndefined()
  })
})
