import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cidr, cidrsOverlap, parseCidr } from '../../api/cidr.ts'
import type { ClusterCIDR } from '../../api/objects/cluster.ts'
import type { NodeSelectorRequirement } from '../../api/objects/node.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import { must } from '../../base/result.ts'
import { clusterCidrFinalizer, clusterCidrs, createClusterRange, rangesFor } from './cluster-range.ts'
import { IpamCluster, type IpamClusterOptions, type Mishap } from './ipam-cluster.fixture.ts'
import { clusterCidrMeters } from './range-meter.ts'

const multi = { 'cidr-allocator-type': 'MultiCIDRRangeAllocator' }

const needs = (key: string, ...values: readonly string[]): NodeSelectorRequirement => ({ key, operator: 'In', values })

function clusterCidr(
  name: string,
  spec: Partial<ClusterCIDR['spec']>,
  ...selector: readonly NodeSelectorRequirement[]
): ClusterCIDR {
  const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: selector }] }
  return {
    apiVersion: 'networking.x-k8s.io/v1',
    kind: 'ClusterCIDR',
    metadata: { name },
    spec: { perNodeHostBits: 8, ...spec, ...(selector.length === 0 ? {} : { nodeSelector }) },
  }
}

class MultiCluster extends IpamCluster {
  constructor(options: Partial<IpamClusterOptions> = {}) {
    super({ ...options, flags: { ...multi, ...options.flags } })
  }

  range(name: string, spec: Partial<ClusterCIDR['spec']>, ...selector: readonly NodeSelectorRequirement[]): void {
    this.must({ verb: 'create', resource: clusterCidrs, object: clusterCidr(name, spec, ...selector) })
  }

  deleteRange(name: string): void {
    this.must({ verb: 'delete', resource: clusterCidrs, name })
  }

  ranges(): readonly string[] {
    return this.list(clusterCidrs).map(({ metadata: { name, deletionTimestamp } }) =>
      deletionTimestamp === undefined ? name : `${name} (going)`,
    )
  }
}

describe('ranges for a node', () => {
  const meters = clusterCidrMeters(new MetricRegistry())
  const order = (labels: Readonly<Record<string, string>>, ...objects: readonly ClusterCIDR[]) =>
    rangesFor(
      labels,
      objects.map((object) => must(createClusterRange(object, meters))),
    ).map(({ name }) => name)

  it.each([
    [
      'more required labels come first',
      [
        clusterCidr('one', { ipv4: '10.0.0.0/24' }, needs('a', '1')),
        clusterCidr('two', { ipv4: '10.1.0.0/16' }, needs('a', '1'), needs('b', '1')),
      ],
      ['two', 'one'],
    ],
    [
      'then fewer blocks',
      [
        clusterCidr('many', { ipv4: '10.0.0.0/16' }, needs('a', '1')),
        clusterCidr('few', { ipv4: '10.1.0.0/20' }, needs('a', '1')),
        clusterCidr('fewest', { ipv4: '10.2.0.0/16', ipv6: 'fd00::/119' }, needs('a', '1')),
      ],
      ['fewest', 'few', 'many'],
    ],
    [
      'then smaller blocks',
      [
        clusterCidr('large', { ipv4: '10.0.0.0/16', perNodeHostBits: 8 }, needs('a', '1')),
        clusterCidr('small', { ipv4: '10.1.0.0/18', perNodeHostBits: 6 }, needs('a', '1')),
      ],
      ['small', 'large'],
    ],
    [
      'then the text of the selector in order',
      [
        clusterCidr('second', { ipv4: '10.0.0.0/16' }, needs('b', '1')),
        clusterCidr('first', { ipv4: '10.1.0.0/16' }, needs('a', '1')),
      ],
      ['first', 'second'],
    ],
    [
      'then the text of the range in order',
      [
        clusterCidr('b', { ipv4: '10.9.0.0/16' }, needs('a', '1')),
        clusterCidr('a', { ipv4: '10.10.0.0/16' }, needs('a', '1')),
      ],
      ['a', 'b'],
    ],
    [
      'ranges without a selector come last, and ranges for other nodes are omitted',
      [
        clusterCidr('rest', { ipv4: '10.0.0.0/24' }),
        clusterCidr('other', { ipv4: '10.1.0.0/24' }, needs('a', '2')),
        clusterCidr('mine', { ipv4: '10.2.0.0/16' }, needs('a', '1', '2')),
      ],
      ['mine', 'rest'],
    ],
  ])('orders the ranges for a node: %s', (_rule, objects, names) => {
    expect(order({ a: '1', b: '1' }, ...objects)).toEqual(names)
    expect(order({ a: '1', b: '1' }, ...[...objects].reverse())).toEqual(names)
  })

  it.each([
    [{}, 'invalid ClusterCIDR: must provide IPv4 and/or IPv6 config'],
    [{ ipv4: 'fd00::/64' }, 'invalid ClusterCIDR: "fd00::/64" is not an IPv4 CIDR'],
    [
      { ipv4: '10.0.0.0/16', perNodeHostBits: 3 },
      'invalid ClusterCIDR: perNodeHostBits must be greater than or equal to 4',
    ],
    [
      { ipv4: '10.0.0.0/16', perNodeHostBits: 17 },
      'invalid ClusterCIDR: perNodeHostBits must be less than or equal to 16',
    ],
    [
      { ipv6: 'fd00::/32', perNodeHostBits: 64 },
      'PerNodeMaskSize 64 is too big for CIDR Mask 32, Maximum difference allowed is 16',
    ],
  ])('rejects the ClusterCIDR %j', (spec, message) => {
    const made = createClusterRange(clusterCidr('x', spec), meters)
    expect(made.ok ? '' : made.message).toContain(message)
  })
})

describe('the allocator of ClusterCIDRs', () => {
  it('allocates blocks from the best match, then from the next when it is exhausted', () => {
    const cluster = new MultiCluster()
    cluster.range('rest', { ipv4: '10.0.0.0/16' })
    cluster.range('east', { ipv4: '10.1.0.0/24', ipv6: 'fd00::/112' }, needs('zone', 'east'))
    for (const name of ['e1', 'e2']) cluster.addNode(name, { labels: { zone: 'east' } })
    cluster.addNode('w1', { labels: { zone: 'west' } })
    expect(cluster.settle().blocks()).toEqual({ e1: '10.1.0.0/24 fd00::/120', e2: '10.0.0.0/24', w1: '10.0.1.0/24' })
    expect(cluster.events()).toEqual([])
    expect(cluster.list(clusterCidrs).map(({ metadata }) => metadata.finalizers)).toEqual([
      [clusterCidrFinalizer],
      [clusterCidrFinalizer],
    ])
  })

  it('uses ClusterCIDRs that are created while nodes wait for blocks', () => {
    const cluster = new MultiCluster()
    cluster.addNode('a', { labels: { zone: 'east' } })
    cluster.settle()
    expect(cluster.events()).toEqual(['Normal CIDRNotAvailable ×1: Node a status is now: CIDRNotAvailable'])
    cluster.range('west', { ipv4: '10.1.0.0/16' }, needs('zone', 'west'))
    expect(cluster.settle().blocks()).toEqual({ a: '' })
    cluster.range('east', { ipv4: '10.2.0.0/16' }, needs('zone', 'east'))
    expect(cluster.settle().blocks()).toEqual({ a: '10.2.0.0/24' })
  })

  it('drains a ClusterCIDR: nodes keep their blocks, no node gets a new one, and it is deleted with the last block', () => {
    const cluster = new MultiCluster()
    cluster.range('old', { ipv4: '10.1.0.0/16' })
    cluster.addNode('a')
    cluster.settle()
    cluster.deleteRange('old')
    cluster.range('young', { ipv4: '10.2.0.0/16' })
    cluster.addNode('b')
    cluster.advance(60_000)
    expect(cluster.blocks()).toEqual({ a: '10.1.0.0/24', b: '10.2.0.0/24' })
    expect(cluster.ranges()).toEqual(['old (going)', 'young'])
    cluster.restart().settle()
    expect(cluster.ranges()).toEqual(['old (going)', 'young'])
    cluster.deleteNode('a')
    expect(cluster.settle().ranges()).toEqual(['young'])
    expect(cluster.inspect().ranges.map(({ name }) => name)).toEqual(['young'])
  })

  it('deletes an unused ClusterCIDR immediately', () => {
    const cluster = new MultiCluster()
    cluster.range('idle', { ipv4: '10.1.0.0/16' })
    cluster.settle()
    cluster.deleteRange('idle')
    expect(cluster.settle().ranges()).toEqual([])
  })

  it('rejects a ClusterCIDR that overlaps an older one, records it once, and uses it when the older one is deleted', () => {
    const cluster = new MultiCluster()
    cluster.range('z-first', { ipv4: '10.0.0.0/12' })
    cluster.advance(1000)
    cluster.range('a-second', { ipv4: '10.1.0.0/16' }, needs('zone', 'east'))
    cluster.addNode('a', { labels: { zone: 'east' } })
    const refused = '10.1.0.0/16 overlaps with 10.0.0.0/12 of ClusterCIDR z-first'
    for (let restarts = 0; restarts < 2; restarts++) {
      cluster.settle()
      expect(cluster.blocks()).toEqual({ a: '10.0.0.0/24' })
      expect(cluster.inspect().refused).toEqual({ 'a-second': refused })
      cluster.restart()
    }
    // Each of the two controllers records it once.
    expect(cluster.events()).toEqual([1, 2].map(() => `Warning InvalidClusterCIDR ×1: ${refused}`))
    cluster.deleteNode('a')
    cluster.deleteRange('z-first')
    cluster.settle()
    expect(cluster.ranges()).toEqual(['a-second'])
    cluster.addNode('b', { labels: { zone: 'east' } })
    expect(cluster.settle().blocks()).toEqual({ b: '10.1.0.0/24' })
  })

  it('reports an invalid ClusterCIDR, and stops using one that was modified', () => {
    const cluster = new MultiCluster()
    cluster.range('wrong', { ipv6: 'fd00::/32', perNodeHostBits: 64 })
    cluster.range('changed', { ipv4: '10.1.0.0/16' })
    cluster.addNode('a')
    cluster.settle()
    const [range] = cluster.list(clusterCidrs).filter(({ metadata }) => metadata.name === 'changed')
    const after = { ...range, spec: { perNodeHostBits: 8, ipv4: '10.3.0.0/16' } } as ClusterCIDR
    cluster.change(clusterCidrs, after)
    cluster.addNode('b')
    cluster.settle()
    expect(cluster.blocks()).toEqual({ a: '10.1.0.0/24', b: '' })
    expect(cluster.events().filter((event) => event.includes('InvalidClusterCIDR'))).toEqual([
      'Warning InvalidClusterCIDR ×1: CIDRs from ClusterCIDR changed will not be used for allocation as it was modified',
      'Warning InvalidClusterCIDR ×1: Creation of New CIDR Set failed for fd00::/32. PerNodeMaskSize 64 is too big for CIDR ' +
        'Mask 32, Maximum difference allowed is 16',
    ])
  })

  it('does not allocate blocks that nodes already have, even if their ClusterCIDR does not select them or does not exist yet', () => {
    const cluster = new MultiCluster({
      before: (early) => {
        early.addNode('a', { cidrs: ['10.1.0.0/24'], labels: { zone: 'west' } })
        early.addNode('b', { cidrs: ['10.1.1.0/25'] })
      },
    })
    cluster.settle()
    cluster.range('east', { ipv4: '10.1.0.0/16' }, needs('zone', 'east'))
    cluster.addNode('c', { labels: { zone: 'east' } })
    expect(cluster.settle().blocks()['c']).toBe('10.1.2.0/24')
    cluster.deleteRange('east')
    cluster.deleteNode('c')
    expect(cluster.settle().ranges()).toEqual(['east (going)'])
    cluster.deleteNode('a')
    cluster.deleteNode('b')
    expect(cluster.settle().ranges()).toEqual([])
  })

  it('does not allocate from the service range in any ClusterCIDR, including later ones', () => {
    const cluster = new MultiCluster({ flags: { 'service-cluster-ip-range': '10.1.0.0/24' } })
    cluster.settle()
    cluster.range('r', { ipv4: '10.1.0.0/23' })
    cluster.addNode('a')
    expect(cluster.settle().blocks()).toEqual({ a: '10.1.1.0/24' })
  })

  it('creates a ClusterCIDR from the flags, once', () => {
    const cluster = new MultiCluster({
      flags: { 'cluster-cidr': '10.1.0.0/16,fd00::/108', 'node-cidr-mask-size-ipv6': 120 },
    })
    cluster.addNode('a')
    expect(cluster.settle().blocks()).toEqual({ a: '10.1.0.0/24 fd00::/120' })
    expect(cluster.list(clusterCidrs)).toMatchObject([
      {
        metadata: { name: 'default-cluster-cidr', finalizers: [clusterCidrFinalizer] },
        spec: { ipv4: '10.1.0.0/16', ipv6: 'fd00::/108', perNodeHostBits: 8 },
      },
    ])
    cluster.deleteNode('a')
    cluster.deleteRange('default-cluster-cidr')
    cluster.addNode('b')
    expect(cluster.settle().ranges()).toEqual([])
    expect(cluster.restart().settle().ranges()).toEqual(['default-cluster-cidr'])
  })

  it('counts usage per ClusterCIDR, and removes the metrics of a deleted one', () => {
    const cluster = new MultiCluster()
    cluster.range('r', { ipv4: '10.1.0.0/22' })
    cluster.addNode('a')
    cluster.settle()
    const usage = () =>
      cluster.metrics
        .expose()
        .split('\n')
        .filter((line) => /_(usage|max)_cidrs\{/.test(line))
    const labels = '{clusterCIDR="10.1.0.0/22",clusterCIDRName="r"}'
    expect(usage()).toEqual([
      `node_ipam_controller_multicidrset_max_cidrs${labels} 4`,
      `node_ipam_controller_multicidrset_usage_cidrs${labels} 0.25`,
    ])
    cluster.deleteNode('a')
    cluster.deleteRange('r')
    cluster.settle()
    expect(usage()).toEqual([])
  })
})

const cidr = (text: string): Cidr => parseCidr(text) as Cidr
const nodeNames = ['a', 'b', 'c', 'd', 'e']
const rangeTable: Readonly<Record<string, readonly [string, ...NodeSelectorRequirement[]]>> = {
  east: ['10.1.0.0/23', needs('zone', 'east')],
  'east-too': ['10.1.1.0/24', needs('zone', 'east')],
  west: ['10.2.0.0/23', needs('zone', 'west')],
  all: ['10.3.0.0/23'],
}
const mishaps = ['Conflict', 'InternalError', 'ServerTimeout', 'answer lost'] as const
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('node' as const, 'no node' as const),
      name: fc.constantFrom(...nodeNames),
      zone: fc.constantFrom('east', 'west', 'north'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('range' as const, 'no range' as const),
      name: fc.constantFrom(...Object.keys(rangeTable)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fail' as const), how: fc.constantFrom(...mishaps), times: fc.nat(6) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 20, 30_000) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

describe('random nodes, ranges, writes and restarts', () => {
  it.each(['upstream', 'improved'])(
    'assigns no address to two nodes and keeps ranges in use, with random nodes, ranges, writes and restarts: %s',
    (behavior) => {
      fc.assert(
        fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
          let mishap: { how: Mishap; left: number } | undefined
          const cluster = new MultiCluster({
            improved: behavior === 'improved',
            mishap: () => (mishap !== undefined && mishap.left-- > 0 ? mishap.how : undefined),
          })
          const nodes = new Set<string>()
          const ranges = () => new Set(cluster.list(clusterCidrs).map(({ metadata }) => metadata.name))
          for (const one of steps) {
            if (one.do === 'node' && !nodes.has(one.name)) cluster.addNode(one.name, { labels: { zone: one.zone } })
            if (one.do === 'node') nodes.add(one.name)
            if (one.do === 'no node' && nodes.delete(one.name)) cluster.deleteNode(one.name)
            if (one.do === 'range' && !ranges().has(one.name)) {
              const [ipv4, ...selector] = rangeTable[one.name] as readonly [string, ...NodeSelectorRequirement[]]
              cluster.range(one.name, { ipv4 }, ...selector)
            }
            if (one.do === 'no range' && ranges().has(one.name)) cluster.deleteRange(one.name)
            if (one.do === 'fail') mishap = { how: one.how, left: one.times }
            if (one.do === 'wait') cluster.advance(one.ms)
            if (one.do === 'restart') cluster.restart()
            const present = cluster.list(clusterCidrs).map(({ spec }) => cidr(spec.ipv4 ?? ''))
            const held = Object.values(cluster.blocks())
              .filter((text) => text !== '')
              .map(cidr)
            for (const [at, block] of held.entries()) {
              expect(present.some((range) => cidrsOverlap(range, block))).toBe(true)
              for (const other of held.slice(at + 1)) expect(cidrsOverlap(block, other)).toBe(false)
            }
          }
          mishap = undefined
          if (behavior === 'upstream') cluster.restart()
          cluster.advance(3_600_000)
          expect(cluster.inspect()).toMatchObject({ leaked: [], reserved: [], outOfRange: [] })
        }),
        { numRuns: 60 },
      )
    },
  )
})
