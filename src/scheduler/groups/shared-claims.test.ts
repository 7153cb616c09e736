import { describe, expect, it } from 'vitest'
import { GroupCluster } from './group-cluster.fixture.ts'

const pods = ['train-0', 'train-1']

/** Two nodes for one pod each, and a gang of two pods that share a claim. The only device is on n0. */
function createSharedClaim(minor: '1.36' | '1.37', cpu: string): GroupCluster {
  const c = new GroupCluster(minor)
  c.addNodes(['n0', 'n1'], cpu)
  c.create('deviceclasses.resource.k8s.io', { metadata: { name: 'gpu' }, spec: {} })
  const pool = { name: 'n0', generation: 1, resourceSliceCount: 1 }
  c.create('resourceslices.resource.k8s.io', {
    metadata: { name: 'n0' },
    spec: { driver: 'gpu.example.com', nodeName: 'n0', pool, devices: [{ name: 'gpu-0' }] },
  })
  c.create('resourceclaims.resource.k8s.io', {
    metadata: { name: 'shared', namespace: 'default' },
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
  })
  c.gang('train', 2)
  c.addPods('train', pods, '2', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] })
  return c
}

describe.each(['1.36', '1.37'] as const)('a gang whose pods share a claim in v%s', (minor) => {
  it('a group with a shared claim is scheduled as a whole: its pods share the allocation that the first of them got', () => {
    const c = createSharedClaim(minor, '4')
    c.advance(30_000)
    expect(c.nodesOf(...pods)).not.toContain('-')
    expect(c.condition('train')).toBe('True Scheduled: ')
  })
})

describe.each(['1.36', '1.37'] as const)('claims of a pod group in v%s', (minor) => {
  const claims = [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }]
  const owner = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PodGroup', name: 'train', uid: 'g', controller: true }
  const create = (...gates: readonly string[]) => {
    const c = new GroupCluster(minor, ...gates)
    c.addNodes(['n0', 'n1'], '4')
    c.create('deviceclasses.resource.k8s.io', { metadata: { name: 'gpu' }, spec: {} })
    c.create('resourceslices.resource.k8s.io', {
      metadata: { name: 'n0' },
      spec: {
        driver: 'gpu.example.com',
        nodeName: 'n0',
        pool: { name: 'n0', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0' }],
      },
    })
    c.gang('train', 2, { resourceClaims: claims })
    c.create('resourceclaims.resource.k8s.io', {
      metadata: { name: 'made', namespace: 'default', ownerReferences: [owner] },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
    })
    c.addPods('train', pods, '2', { resourceClaims: claims })
    const resourceClaimStatuses = [{ name: 'gpu', resourceClaimName: 'made' }]
    for (const name of pods) c.patch('pods', `default/${name}`, { status: { resourceClaimStatuses } }, 'status')
    c.advance(30_000)
    return c
  }

  it('pods of the group share the claim, which is reserved for the group once', () => {
    const c = create('DRAWorkloadResourceClaims')
    expect(c.nodesOf(...pods)).not.toContain('-')
    const { status } = c.get('resourceclaims.resource.k8s.io', 'default/made') ?? {}
    expect(status?.reservedFor).toMatchObject([{ apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'train' }])
  })

  it('pods cannot use the claim of their group when the feature gate is disabled', () => {
    const c = create()
    expect(c.nodesOf(...pods)).toEqual(['-', '-'])
  })
})

it('places all pods of the gang where the shared device is, from v1.37 on', () => {
  const c = createSharedClaim('1.37', '4')
  c.advance(30_000)
  expect(c.nodesOf(...pods)).toEqual(['n0', 'n0'])
})

it('does not place a pod of the gang where the shared device is not available, from v1.37 on', () => {
  const c = createSharedClaim('1.37', '2')
  c.advance(30_000)
  expect(c.nodesOf(...pods)).toEqual(['-', '-'])
  expect(pods.map((name) => c.messageOf(name))).toContain(
    '0/2 nodes are available: 1 Insufficient cpu, 1 resourceclaim not available on the node.',
  )
})
