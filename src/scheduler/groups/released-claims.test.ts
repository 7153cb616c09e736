import { expect, it } from 'vitest'
import { GroupCluster } from './group-cluster.fixture.ts'

const pods = ['train-0', 'train-1']

/** The node that an earlier cycle chose for a claim, and the consumer that reserved it. */
function allocatedTo(node: string, reservedFor: readonly object[] = []): object {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: node, device: 'gpu-0' }]
  return {
    allocation: { devices: { results }, nodeSelector: { nodeSelectorTerms: [{ matchFields }] } },
    reservedFor,
  }
}

/** Two nodes with a device each, and a claim per pod. */
function createCluster(nodes: readonly string[], ...gates: readonly string[]): GroupCluster {
  const c = new GroupCluster('1.37', ...gates)
  c.addNodes(nodes, '4')
  c.create('deviceclasses.resource.k8s.io', { metadata: { name: 'gpu' }, spec: {} })
  for (const name of nodes) {
    c.create('resourceslices.resource.k8s.io', {
      metadata: { name },
      spec: {
        driver: 'gpu.example.com',
        nodeName: name,
        pool: { name, generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0' }],
      },
    })
  }
  return c
}

function addClaim(c: GroupCluster, name: string, status?: object, metadata: object = {}): void {
  c.create('resourceclaims.resource.k8s.io', {
    metadata: { name, namespace: 'default', ...metadata },
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
  })
  if (status !== undefined) c.patch('resourceclaims.resource.k8s.io', `default/${name}`, { status }, 'status')
}

const nodeOfClaim = (c: GroupCluster, name: string): string | undefined => {
  const { status } = c.get('resourceclaims.resource.k8s.io', `default/${name}`) ?? {}
  return status?.allocation?.devices?.results?.[0]?.pool
}

it('deallocates the idle claim of a gang that does not fit, and places the gang in its next cycle', () => {
  const c = createCluster(['n0', 'n1'])
  addClaim(c, 'first', allocatedTo('lost'))
  addClaim(c, 'second')
  c.gang('train', 2)
  pods.forEach((pod, i) => {
    c.addPods('train', [pod], '1', { resourceClaims: [{ name: 'gpu', resourceClaimName: ['first', 'second'][i] }] })
  })
  c.settle()
  expect(nodeOfClaim(c, 'first')).toBeUndefined()
  c.advance(60_000)
  expect([...c.nodesOf(...pods)].sort()).toEqual(['n0', 'n1'])
})

it('keeps a claim that another pod has reserved', () => {
  const c = createCluster(['n0', 'n1'])
  addClaim(c, 'first', allocatedTo('lost', [{ resource: 'pods', name: 'other', uid: 'other' }]))
  c.gang('train', 1)
  c.addPods('train', ['train-0'], '1', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'first' }] })
  c.advance(60_000)
  expect(nodeOfClaim(c, 'first')).toBe('lost')
  expect(c.nodesOf('train-0')).toEqual(['-'])
})

it('adds the reason of DynamicResources to the condition of a gang that may not preempt', () => {
  const c = createCluster(['n0'])
  const preemptionPolicy = 'Never'
  c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'patient' }, value: 10, preemptionPolicy })
  c.gang('train', 2, { priorityClassName: 'patient' })
  c.addPods('train', pods, '3', { priorityClassName: 'patient' })
  c.settle()
  expect(c.condition('train')).toBe(
    'False Unschedulable: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, deallocation and deletion of ResourceClaims completed, pod group preemption: not eligible due to preemptionPolicy=Never.',
  )
})

const template = [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }]

/** A gang whose claim was created for the group. */
function addGroupWithClaim(c: GroupCluster, reserved: boolean, cpu: string): void {
  c.gang('train', 2, { resourceClaims: template })
  const { uid = '' } = c.get('podgroups.scheduling.k8s.io', 'default/train')?.metadata ?? {}
  const owner = { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'PodGroup', name: 'train', uid, controller: true }
  const consumer = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'train', uid }
  addClaim(c, 'made', allocatedTo('lost', reserved ? [consumer] : []), { ownerReferences: [owner] })
  const resourceClaimStatuses = [{ name: 'gpu', resourceClaimName: 'made' }]
  c.patch('podgroups.scheduling.k8s.io', 'default/train', { status: { resourceClaimStatuses } }, 'status')
  c.addPods('train', pods, cpu, { resourceClaims: template })
  for (const name of pods) c.patch('pods', `default/${name}`, { status: { resourceClaimStatuses } }, 'status')
  c.settle()
}

it('deallocates a claim that only the group has reserved, with DRAWorkloadResourceClaims', () => {
  const c = createCluster(['n0', 'n1'], 'DRAWorkloadResourceClaims')
  addGroupWithClaim(c, true, '1')
  expect(nodeOfClaim(c, 'made')).toBeUndefined()
  c.advance(60_000)
  expect(c.nodesOf(...pods)).not.toContain('-')
})
