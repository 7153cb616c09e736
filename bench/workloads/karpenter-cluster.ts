import type { JsonObject, KubeObject } from '../../src/api/objects/meta.ts'
import type { Autoscaling } from '../../src/autoscalers/autoscaling.ts'
import { readCatalog } from '../../src/autoscalers/karpenter/catalog/read-catalog.ts'
import { defaultOptions } from '../../src/autoscalers/karpenter/options.ts'
import { clusterObjects } from './large-cluster.ts'

const zones = ['zone-a', 'zone-b', 'zone-c']
const memoryPerCpuGi = 4
const nodeCpus = 6

const requirement = (key: string, value: string): JsonObject => ({ key, operator: 'In', values: [value] })

/** Twelve sizes in three zones, on-demand and spot: the price grows with the size. */
function instanceTypes(): readonly JsonObject[] {
  return [1, 2, 3, 4, nodeCpus, 8, 12, 16, 24, 32, 48, 64].map((cpu) => ({
    name: `m-${cpu}x-amd64`,
    architecture: 'amd64',
    operatingSystems: ['linux'],
    resources: {
      cpu: String(cpu),
      memory: `${cpu * memoryPerCpuGi}Gi`,
      'ephemeral-storage': '200Gi',
      pods: '110',
    },
    offerings: zones.flatMap((zone) =>
      ['on-demand', 'spot'].map((capacityType) => ({
        Price: cpu * (capacityType === 'spot' ? 0.02 : 0.05),
        Available: true,
        Requirements: [
          requirement('karpenter.sh/capacity-type', capacityType),
          requirement('topology.kubernetes.io/zone', zone),
        ],
      })),
    ),
  }))
}

export function karpenterOf(): NonNullable<Autoscaling['karpenter']> {
  return { catalog: readCatalog(instanceTypes(), 'instanceTypes'), options: defaultOptions, bootMs: 45_000 }
}

const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }
const created = '2025-12-01T00:00:00Z'

const condition = (type: string): JsonObject => ({
  type,
  status: 'True',
  reason: type,
  message: '',
  lastTransitionTime: created,
})

/** The large cluster with nodes of Karpenter: each of six cores, of which its pods request five. */
export function* karpenterObjects(nodes: number, pods: number): Generator<KubeObject> {
  yield {
    apiVersion: 'karpenter.kwok.sh/v1alpha1',
    kind: 'KWOKNodeClass',
    metadata: { name: 'default', uid: 'class', resourceVersion: '1' },
    spec: { nodeRegistrationDelay: '45s' },
  } as KubeObject
  yield {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general', uid: 'pool', resourceVersion: '2', generation: 1, creationTimestamp: created },
    spec: {
      disruption: {
        consolidateAfter: '30s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '10%' }],
      },
      template: {
        spec: {
          nodeClassRef,
          requirements: [requirement('karpenter.sh/capacity-type', 'on-demand')],
          expireAfter: 'Never',
        },
      },
    },
    status: { conditions: ['ValidationSucceeded', 'NodeClassReady', 'Ready'].map(condition) },
  } as unknown as KubeObject
  for (const object of clusterObjects(nodes, pods)) yield* object.kind === 'Node' ? ofKarpenter(object) : [object]
}

function ofKarpenter(object: KubeObject): readonly KubeObject[] {
  const { metadata, status, ...node } = object as KubeObject & {
    readonly spec: JsonObject
    readonly status: JsonObject
  }
  const labels = {
    ...metadata.labels,
    'node.kubernetes.io/instance-type': `m-${nodeCpus}x-amd64`,
    'karpenter.sh/capacity-type': 'on-demand',
    'karpenter.sh/nodepool': 'general',
    'karpenter.kwok.sh/kwoknodeclass': 'default',
    'karpenter.kwok.sh/instance-family': 'm',
    'karpenter.kwok.sh/instance-size': String(nodeCpus),
    'karpenter.kwok.sh/instance-cpu': String(nodeCpus),
    'karpenter.kwok.sh/instance-memory': `${nodeCpus * memoryPerCpuGi}Gi`,
  }
  const providerID = `kwok://${metadata.name}`
  const capacity = {
    cpu: String(nodeCpus),
    memory: `${nodeCpus * memoryPerCpuGi}Gi`,
    'ephemeral-storage': '200Gi',
    pods: '110',
  }
  const allocatable = { ...capacity, cpu: `${nodeCpus * 1000 - 100}m` }
  const claim = `general-${metadata.name}`
  return [
    {
      ...node,
      metadata: {
        ...metadata,
        labels: { ...labels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
        finalizers: ['karpenter.sh/termination'],
      },
      spec: { ...node.spec, providerID },
      status: { ...status, capacity, allocatable },
    } as unknown as KubeObject,
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: claim,
        uid: `claim-${metadata.name}`,
        resourceVersion: metadata.resourceVersion ?? '1',
        generation: 1,
        creationTimestamp: created,
        labels,
        finalizers: ['karpenter.sh/termination'],
      },
      spec: { nodeClassRef, requirements: [], expireAfter: 'Never' },
      status: {
        providerID,
        nodeName: metadata.name,
        capacity,
        allocatable,
        conditions: ['Launched', 'Registered', 'Initialized', 'Consolidatable', 'Ready'].map(condition),
      },
    } as unknown as KubeObject,
  ]
}
