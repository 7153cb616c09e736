import { expect, it } from 'vitest'
import type { ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { describeDiagnosis, summarizeDiagnosis } from '../../scheduler/plugins/dynamic-resources/device-diagnosis.ts'
import { explainPod } from './explain-pod.ts'
import { ObjectSet } from './object-set.ts'

const driver = 'gpu.example.com'

const node = (name: string): Node => ({
  metadata: { name },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
})

const slice = (name: string, devices: ResourceSlice['spec']['devices']): ResourceSlice => ({
  metadata: { name: `slice-${name}` },
  spec: { driver, nodeName: name, pool: { name, generation: 1, resourceSliceCount: 1 }, devices: devices ?? [] },
})

const claim = (name: string, more: Partial<ResourceClaim> = {}): ResourceClaim => ({
  metadata: { name, namespace: 'default', uid: name },
  spec: {
    devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } }] },
  },
  ...more,
})

/** A pod that needs the claim `wanted`. */
const pod: Pod = {
  metadata: { name: 'p', namespace: 'default', uid: 'p' },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    resourceClaims: [{ name: 'd', resourceClaimName: 'wanted' }],
    schedulerName: 'default-scheduler',
  },
}

function explained(...more: readonly (readonly [string, object])[]) {
  const objects = new ObjectSet()
  for (const name of ['n1', 'n2', 'n3']) objects.add('nodes', node(name))
  objects.add('deviceclasses.resource.k8s.io', {
    metadata: { name: 'gpu' },
    spec: { selectors: [{ cel: { expression: 'device.attributes["gpu.example.com"].?model.orValue("") == "h100"' } }] },
  } as never)
  const h100 = { model: { string: 'h100' } }
  objects.add('resourceslices.resource.k8s.io', slice('n1', [{ name: 'gpu-0', attributes: h100 }]))
  objects.add(
    'resourceslices.resource.k8s.io',
    slice('n2', [{ name: 'gpu-0', attributes: h100, taints: [{ key: 'broken', effect: 'NoSchedule' }] }]),
  )
  objects.add(
    'resourceslices.resource.k8s.io',
    slice('n3', [{ name: 'gpu-0', attributes: { model: { string: 'l4' } } }]),
  )
  const results = [{ request: 'r', driver, pool: 'n1', device: 'gpu-0' }]
  const reservedFor = [{ resource: 'pods', name: 'trainer', uid: 'trainer' }]
  objects.add(
    'resourceclaims.resource.k8s.io',
    claim('held', { status: { allocation: { devices: { results } }, reservedFor } }),
  )
  objects.add('resourceclaims.resource.k8s.io', claim('wanted'))
  objects.add('pods', pod)
  for (const [resource, object] of more) objects.add(resource, object as never)
  return explainPod({ objects, pod, now: 0 })
}

it('reports for each node which request gets no device, and why', () => {
  const { nodes } = explained()
  const said = nodes.map(({ node: name, devices = [] }) => `${name}: ${devices.map(describeDiagnosis).join()}`)
  expect(said.toSorted()).toEqual([
    'n1: claim default/wanted, request r: gpu.example.com/n1/gpu-0: taken by claim default/held of pod default/trainer',
    'n2: claim default/wanted, request r: gpu.example.com/n2/gpu-0: taint broken:NoSchedule is not tolerated',
    'n3: claim default/wanted, request r: gpu.example.com/n3/gpu-0: selector of the class is false: device.attributes["gpu.example.com"].?model.orValue("") == "h100"',
  ])
})

it('says that Karpenter creates no node for a pod with claims, where there are node pools', () => {
  expect(explained().autoscaler).toBeUndefined()
  expect(explained(['nodepools.karpenter.sh', { metadata: { name: 'a' } }]).autoscaler).toBe(
    'Karpenter creates no node for it: pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter',
  )
})

it('names the selector instead of the holder of a device that never matches, and the number of devices that a request needs', () => {
  const objects = new ObjectSet()
  objects.add('nodes', node('n1'))
  objects.add('deviceclasses.resource.k8s.io', { metadata: { name: 'gpu' }, spec: {} } as never)
  const model = (name: string) => ({ model: { string: name } })
  const devices = ['l4', 'h100'].map((name, i) => ({ name: `gpu-${i}`, attributes: model(name) }))
  objects.add('resourceslices.resource.k8s.io', slice('n1', devices))
  const results = devices.map((one) => ({ request: 'r', driver, pool: 'n1', device: one.name }))
  objects.add('resourceclaims.resource.k8s.io', claim('held', { status: { allocation: { devices: { results } } } }))
  const expression = 'device.attributes["gpu.example.com"].model == "h100"'
  const exactly = {
    deviceClassName: 'gpu',
    allocationMode: 'ExactCount' as const,
    count: 2,
    selectors: [{ cel: { expression } }],
  }
  objects.add(
    'resourceclaims.resource.k8s.io',
    claim('wanted', { spec: { devices: { requests: [{ name: 'r', exactly }] } } }),
  )
  objects.add('pods', pod)
  const [first] = explainPod({ objects, pod, now: 0 }).nodes
  expect((first?.devices ?? []).map(summarizeDiagnosis)).toEqual(['request r needs 2: 1 not selected, 1 taken'])
  expect((first?.devices ?? []).map(describeDiagnosis)).toEqual([
    `claim default/wanted, request r (needs 2 devices): gpu.example.com/n1/gpu-0: selector of the request is false: ${expression}; ` +
      'gpu.example.com/n1/gpu-1: taken by claim default/held',
  ])
})

it('suggests single changes that free or add a device, and tries each of them', () => {
  expect(explained().repairs).toEqual([
    {
      node: 'n1',
      changes: [
        { what: 'claim', sentence: 'release the devices of claim default/held by deleting pod default/trainer' },
      ],
    },
    {
      node: 'n2',
      changes: [
        {
          what: 'claim',
          sentence:
            'remove the taint broken:NoSchedule from device gpu.example.com/n2/gpu-0, or tolerate it in the claim',
        },
      ],
    },
    { node: 'n1', changes: [{ what: 'node', sentence: 'add a node like n1' }] },
  ])
})

it('does not report that a pod of a group can be placed, because the group is scheduled as a whole', () => {
  const objects = new ObjectSet()
  objects.add('nodes', node('n1'))
  const pod: Pod = {
    metadata: { name: 'p', namespace: 'default', uid: 'p' },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      schedulingGroup: { podGroupName: 'gang' },
      schedulerName: 'default-scheduler',
    },
  }
  objects.add('pods', pod)
  const { state, message } = explainPod({ objects, pod, now: 0 })
  expect(state).toBe('pending')
  expect(message).toBe(
    'it would fit on n1, but it is scheduled together with the pods of its PodGroup; berth explain podgroup default/gang shows when they start',
  )
})
