// Clusters that questions are asked about, as dumps of all their objects.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { budget, deployment, node, runScenario } from '../../src/whatif/run/story.fixture.ts'

export type AskedCluster = 'example' | 'devices' | 'karpenter'

const rack = (name: string, on: string) => {
  const { metadata, ...rest } = node(name) as KubeObject
  return { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, 'topology.kubernetes.io/rack': on } } }
}

const slice = (on: string) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: `${on}-gpus` },
  spec: {
    driver: 'gpu.example.com',
    nodeName: on,
    pool: { name: on, generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'gpu-0' }],
  },
})

function usingDevice(workload: object): object {
  const { spec, ...rest } = workload as { readonly spec: { readonly template: { readonly spec: object } } }
  const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'one' }]
  const template = { ...spec.template, spec: { ...spec.template.spec, resourceClaims } }
  return { ...rest, spec: { ...spec, template } }
}

/** Three nodes in two racks with a device each; two pods use one. */
const devices = {
  cluster: [
    ...[rack('n0', 'r1'), rack('n1', 'r1'), rack('n2', 'r2')],
    ...['n0', 'n1', 'n2'].map(slice),
    { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'one', namespace: 'default' },
      spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } } },
    },
    usingDevice(deployment('train', 2)),
    budget('train', 2),
  ],
  config: {},
}

const capacityType = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }
const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-a'] }
const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }
const instanceType = (name: string, cpu: string, price: number) => ({
  name,
  resources: { cpu, memory: '8Gi', pods: '110' },
  offerings: [{ Price: price, Requirements: [capacityType, zone] }],
})
export const nodePool = (labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'pool' },
  spec: {
    template: { metadata: { labels }, spec: { nodeClassRef, requirements: [capacityType] } },
    disruption: { consolidateAfter: '1m', budgets: [{ nodes: '100%' }] },
  },
})
/** As in the file of --autoscaler. */
export const catalog = {
  karpenter: { instanceTypes: [instanceType('small', '2', 0.1), instanceType('large', '8', 0.35)] },
}

/** Karpenter with the nodes that it made for three pods. */
const karpenter = {
  autoscaling: catalog,
  cluster: [
    { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' }, spec: {} },
    nodePool(),
    deployment('web', 3, { cpu: '1' }),
  ],
  config: {},
  until: '10m',
}

/** The objects of a cluster, as `kubectl get -o json` prints them. */
export async function objectsOf(cluster: AskedCluster): Promise<readonly KubeObject[]> {
  if (cluster === 'example') {
    const file = join(import.meta.dirname, '../../docs/how-to/cluster.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly items: readonly KubeObject[] }).items
  }
  const run = await runScenario(cluster === 'devices' ? devices : karpenter, { heartbeats: 'written', seed: 'dump' })
  const { store } = run.cluster
  return store.resources().flatMap((resource) => store.list(resource))
}
