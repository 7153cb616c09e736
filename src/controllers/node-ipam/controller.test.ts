import { describe, expect, it } from 'vitest'
import type { Call } from '../../api/call.ts'
import { IpamCluster, type Mishap } from './ipam-cluster.fixture.ts'

const oneRange = { 'cluster-cidr': '10.244.0.0/16' }
const dual = { 'cluster-cidr': '10.244.0.0/16,fd00:10::/48' }
/** A range of two blocks. */
const tiny = { 'cluster-cidr': '10.244.0.0/23' }

const isPatch = (call: Call) => call.verb === 'patch' && call.resource === 'nodes'
/** Makes the first writes to nodes fail. */
const failing = (times: number, how: Mishap) => {
  let left = times
  return (call: Call): Mishap | undefined => (isPatch(call) && left-- > 0 ? how : undefined)
}

describe('the range allocator', () => {
  it('gives every node a block in one patch of both fields', () => {
    const cluster = new IpamCluster({ flags: oneRange })
    cluster.addNode('a')
    cluster.addNode('b')
    cluster.settle()
    expect(cluster.blocks()).toEqual({ a: '10.244.0.0/24', b: '10.244.1.0/24' })
    expect(cluster.calls.map(({ call }) => call)).toEqual(
      ['10.244.0.0/24', '10.244.1.0/24'].map((block, i) => ({
        verb: 'patch',
        resource: 'nodes',
        name: 'ab'[i],
        patch: { kind: 'strategic', patch: { spec: { podCIDR: block, podCIDRs: [block] } } },
      })),
    )
  })

  it('gives a node a block of each family in the order of the flag', () => {
    const cluster = new IpamCluster({ flags: { 'cluster-cidr': 'fd00:10::/48,10.244.0.0/16' } })
    cluster.addNode('a')
    expect(cluster.settle().blocks()).toEqual({ a: 'fd00:10::/64 10.244.0.0/24' })
  })

  it.each([
    [
      'the cluster range contains 10.0.0.0/24',
      { 'cluster-cidr': '10.0.0.0/23', 'service-cluster-ip-range': '10.0.0.0/24' },
      '10.0.1.0/24',
    ],
    [
      '10.0.0.0/26 overlaps one block',
      { 'cluster-cidr': '10.0.0.0/23', 'service-cluster-ip-range': '10.0.0.0/26' },
      '10.0.1.0/24',
    ],
    [
      'the service range contains the cluster range',
      { 'cluster-cidr': '10.0.0.0/23', 'service-cluster-ip-range': '10.0.0.0/8' },
      '',
    ],
    [
      'the ranges do not overlap',
      { 'cluster-cidr': '10.0.0.0/23', 'service-cluster-ip-range': '10.96.0.0/12' },
      '10.0.0.0/24',
    ],
  ])('does not allocate from the service range: %s', (_why, flags, block) => {
    const cluster = new IpamCluster({ flags })
    cluster.addNode('a')
    expect(cluster.settle().blocks()).toEqual({ a: block })
  })

  it('occupies the blocks of existing nodes before it allocates any', () => {
    const cluster = new IpamCluster({
      flags: oneRange,
      before: (early) => {
        early.addNode('new')
        early.addNode('old', { cidrs: ['10.244.0.0/24'] })
      },
    })
    expect(cluster.settle().blocks()).toEqual({ new: '10.244.1.0/24', old: '10.244.0.0/24' })
  })

  it('allocates a block again when its node is deleted', () => {
    const cluster = new IpamCluster({ flags: tiny })
    for (const name of ['a', 'b', 'c']) cluster.addNode(name)
    expect(cluster.settle().blocks()).toEqual({ a: '10.244.0.0/24', b: '10.244.1.0/24', c: '' })
    expect(cluster.inspect().waiting).toEqual(['c'])
    expect(cluster.events()).toEqual(['Normal CIDRNotAvailable ×1: Node c status is now: CIDRNotAvailable'])
    cluster.deleteNode('a')
    expect(cluster.advance(60_000).blocks()).toEqual({ b: '10.244.1.0/24', c: '10.244.0.0/24' })
  })

  it('does not allocate blocks for a terminating node', () => {
    const cluster = new IpamCluster({
      flags: oneRange,
      before: (early) => {
        const metadata = { name: 'a', finalizers: ['example.com/wait'] }
        early.must({ verb: 'create', resource: 'nodes', object: { apiVersion: 'v1', kind: 'Node', metadata } })
        early.deleteNode('a')
      },
    })
    expect(cluster.settle().blocks()).toEqual({ a: '' })
    expect(cluster.calls).toEqual([])
  })

  it('retries a failed write three times, then releases the block and records an event', () => {
    const cluster = new IpamCluster({ flags: tiny, mishap: failing(3, 'Conflict') })
    cluster.addNode('a')
    cluster.settle()
    expect(cluster.calls).toHaveLength(3)
    expect(cluster.events()).toEqual(['Normal CIDRAssignmentFailed ×1: Node a status is now: CIDRAssignmentFailed'])
    expect(cluster.inspect().ranges[0]?.used).toBe(0)
    // Retried after a backoff with the next block, because released blocks are reused last.
    expect(cluster.advance(1000).blocks()).toEqual({ a: '10.244.1.0/24' })
  })

  it.each([
    { behavior: 'upstream', leaked: ['10.244.0.0/24'], block: '10.244.1.0/24' },
    { behavior: 'improved', leaked: [], block: '10.244.0.0/24' },
  ])('the range allocator with $behavior behavior leaks $leaked after timeouts', ({ behavior, leaked, block }) => {
    const flags = { 'cluster-cidr': '10.244.0.0/22' }
    const cluster = new IpamCluster({ flags, improved: behavior === 'improved', mishap: failing(3, 'ServerTimeout') })
    cluster.addNode('a')
    expect(cluster.advance(1000).blocks()).toEqual({ a: block })
    expect(cluster.inspect().leaked).toEqual(leaked)
    // Upstream frees it after a restart.
    expect(cluster.restart().settle().inspect()).toMatchObject({ leaked: [], ranges: [{ used: 1 }] })
  })

  it.each(['upstream', 'improved'])('handles a write whose answer is lost with %s behavior', (behavior) => {
    const cluster = new IpamCluster({
      flags: oneRange,
      improved: behavior === 'improved',
      mishap: failing(3, 'answer lost'),
    })
    cluster.addNode('a')
    expect(cluster.advance(1000).blocks()).toEqual({ a: '10.244.0.0/24' })
    expect(cluster.inspect()).toMatchObject({ leaked: [], reserved: [], ranges: [{ used: 1 }] })
  })

  it.each([
    { behavior: 'upstream', gone: true },
    { behavior: 'improved', gone: false },
  ])(
    'the range allocator with $behavior behavior loses blocks of one family while the other is exhausted: $gone',
    ({ behavior, gone }) => {
      const flags = { ...dual, 'cluster-cidr': '10.244.0.0/16,fd00:10::/64' }
      const cluster = new IpamCluster({ flags, improved: behavior === 'improved' })
      cluster.addNode('a')
      cluster.addNode('b')
      cluster.advance(10_000)
      expect(cluster.blocks()).toEqual({ a: '10.244.0.0/24 fd00:10::/64', b: '' })
      expect(cluster.inspect().leaked.length > 0).toBe(gone)
    },
  )

  it('the range allocator does not start if nodes are out of range, and names the nodes and a solution', () => {
    const start = () =>
      new IpamCluster({
        flags: { 'cluster-cidr': '10.1.0.0/16' },
        before: (early) => {
          early.addNode('new')
          early.addNode('a', { cidrs: ['10.244.0.0/24'] })
          early.addNode('b', { cidrs: ['10.1.7.0/24'] })
          early.addNode('c', { cidrs: ['10.1.8.0/24', 'fd00::/64'] })
        },
      }).settle()
    expect(start).toThrow(
      'node IPAM does not start: 2 nodes have pod CIDRs that do not fit --cluster-cidr 10.1.0.0/16: ' +
        'a (10.244.0.0/24), c (10.1.8.0/24, fd00::/64); first: failed to mark cidr[10.244.0.0/24] at idx [0] as occupied ' +
        'for node: a: cidr 10.244.0.0/24 is out the range of cluster cidr 10.1.0.0/16. ' +
        'Set --cluster-cidr to ranges that contain them, delete the nodes so that they register again, or run with --fix cidr-leaks, ' +
        'which lists such nodes and keeps their pod CIDRs',
    )
  })

  it('the range allocator starts with a changed range with improved behavior: nodes outside of it are listed and keep their blocks', () => {
    const cluster = new IpamCluster({ flags: oneRange, improved: true })
    cluster.addNode('a')
    cluster.settle()
    cluster.addNode('b')
    cluster.restart({ flags: { 'cluster-cidr': '10.1.0.0/16' } }).settle()
    expect(cluster.blocks()).toEqual({ a: '10.244.0.0/24', b: '10.1.0.0/24' })
    expect(cluster.inspect().outOfRange).toEqual([
      { node: 'a', cidrs: ['10.244.0.0/24'], why: '10.244.0.0/24 is outside of all ranges' },
    ])
    expect(cluster.events()).toEqual([
      'Warning CIDROutOfRange ×1: The pod CIDR 10.244.0.0/24 is outside of the cluster ranges; keeping it',
    ])
    cluster.touch('a')
    expect(cluster.advance(60_000).events()).toHaveLength(1)
  })

  it('the range allocator starts with two nodes that share a block; improved behavior reports them and keeps the block until both are deleted', () => {
    const before = (early: IpamCluster) => {
      early.addNode('a', { cidrs: ['10.244.0.0/24'] })
      early.addNode('b', { cidrs: ['10.244.0.0/24'] })
    }
    for (const improved of [false, true]) {
      const cluster = new IpamCluster({ flags: tiny, improved, before }).settle()
      expect(cluster.events()).toEqual(
        improved ? ['Warning CIDROverlap ×1: The pod CIDR 10.244.0.0/24 overlaps with node a'] : [],
      )
      cluster.deleteNode('a')
      cluster.addNode('c')
      // Upstream also gives the block of b to c.
      expect(cluster.settle().blocks()).toEqual({ b: '10.244.0.0/24', c: improved ? '10.244.1.0/24' : '10.244.0.0/24' })
      if (!improved) continue
      cluster.addNode('d')
      expect(cluster.settle().blocks()['d']).toBe('')
      cluster.deleteNode('b')
      expect(cluster.advance(60_000).blocks()['d']).toBe('10.244.0.0/24')
    }
  })

  it('prefers the block that a node already has to the block that is reserved for it', () => {
    for (const improved of [false, true]) {
      const cluster: IpamCluster = new IpamCluster({
        flags: oneRange,
        improved,
        mishap: (call) => {
          // Another writer assigns a block first.
          if (!isPatch(call) || cluster.blocks()['a'] !== '') return undefined
          cluster.must({
            verb: 'patch',
            resource: 'nodes',
            name: 'a',
            patch: { kind: 'merge', patch: { spec: { podCIDR: '10.244.9.0/24', podCIDRs: ['10.244.9.0/24'] } } },
          })
          return undefined
        },
      })
      cluster.addNode('a')
      cluster.advance(1000)
      expect(cluster.blocks()).toEqual({ a: '10.244.9.0/24' })
      expect(cluster.inspect()).toMatchObject({ reserved: [], leaked: [], ranges: [{ used: 1 }] })
    }
  })

  it('releases the block if its node is deleted before the write', () => {
    for (const improved of [false, true]) {
      const cluster: IpamCluster = new IpamCluster({
        flags: oneRange,
        improved,
        mishap: (call) => {
          if (isPatch(call) && cluster.list('nodes').length > 0) cluster.deleteNode('a')
          return undefined
        },
      })
      cluster.addNode('a')
      cluster.advance(1000)
      expect(cluster.inspect()).toMatchObject({ reserved: [], leaked: [], holders: [], ranges: [{ used: 0 }] })
    }
  })

  it('gives a node no block of an earlier node of the same name, with improved behavior', () => {
    const cluster: IpamCluster = new IpamCluster({
      flags: oneRange,
      improved: true,
      mishap: (call) => {
        if (!isPatch(call) || replaced) return undefined
        replaced = true
        cluster.deleteNode('a')
        cluster.addNode('a')
        return undefined
      },
    })
    let replaced = false
    cluster.addNode('a')
    cluster.advance(1000)
    expect(cluster.calls[0]?.outcome).toMatchObject({ ok: false, status: { reason: 'Invalid' } })
    expect(cluster.blocks()).toEqual({ a: '10.244.0.0/24' })
    expect(cluster.inspect()).toMatchObject({ reserved: [], leaked: [], ranges: [{ used: 1 }] })
  })

  it('the range allocator does nothing unless it is enabled; an embedded cluster enables it by default', () => {
    for (const isOwnCluster of [false, true]) {
      const cluster = new IpamCluster({ flags: { 'allocate-node-cidrs': undefined }, isOwnCluster })
      cluster.addNode('a')
      expect(cluster.settle().blocks()).toEqual({ a: isOwnCluster ? '10.244.0.0/24' : '' })
      if (isOwnCluster) continue
      expect(cluster.inspect()).toEqual({ allocator: 'none' })
    }
  })

  it('the default range has room for more nodes than it starts with, and avoids the service range', () => {
    const cluster = new IpamCluster({
      flags: {},
      isOwnCluster: true,
      before: (early) => {
        early.addNode('last', { cidrs: ['10.255.255.0/24'] })
        early.addNode('most', { cidrs: ['10.128.0.0/9'] })
        early.addNode('stranger', { cidrs: ['192.168.0.0/24'] })
        early.addNode('new')
      },
    })
    expect(cluster.settle().blocks()['new']).toBe('10.0.1.0/24')
  })

  it('exposes the metrics of upstream, including the misspelled name', () => {
    const cluster = new IpamCluster({ flags: tiny })
    cluster.addNode('a')
    cluster.addNode('b')
    cluster.settle()
    cluster.deleteNode('b')
    cluster.settle()
    const lines = cluster.metrics.expose().split('\n')
    const values = lines.filter((line) => line.startsWith('node_ipam') && !line.includes('_bucket'))
    expect(values).toEqual([
      'node_ipam_controller_cidrset_allocation_tries_per_request_sum{clusterCIDR="10.244.0.0/23"} 0',
      'node_ipam_controller_cidrset_allocation_tries_per_request_count{clusterCIDR="10.244.0.0/23"} 2',
      'node_ipam_controller_cidrset_cidrs_allocations_total{clusterCIDR="10.244.0.0/23"} 2',
      'node_ipam_controller_cidrset_cidrs_releases_total{clusterCIDR="10.244.0.0/23"} 1',
      'node_ipam_controller_cidrset_usage_cidrs{clusterCIDR="10.244.0.0/23"} 0.5',
      'node_ipam_controller_cirdset_max_cidrs{clusterCIDR="10.244.0.0/23"} 2',
    ])
  })
})
