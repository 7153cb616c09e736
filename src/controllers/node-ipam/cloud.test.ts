import { describe, expect, it } from 'vitest'
import { findCondition } from '../../api/conditions.ts'
import type { Answer, Ask } from '../../runtime/controller.ts'
import type { CloudRequest } from './cloud-request.ts'
import { IpamCluster, type IpamClusterOptions, type Mishap } from './ipam-cluster.fixture.ts'

/** Instances and their alias ranges. Requests can be made to fail. */
class Cloud {
  readonly aliases = new Map<string, string[]>()
  readonly asked: { readonly at: number; readonly request: CloudRequest }[] = []
  failing = 0
  now = () => 0

  answer(ask: Ask): Answer['outcome'] | undefined {
    if (ask.request.kind !== 'cloud') return undefined
    const request = ask.request.request as CloudRequest
    this.asked.push({ at: this.now(), request })
    if (this.failing > 0) {
      this.failing--
      return { kind: 'failed', message: 'rateLimitExceeded' }
    }
    const ranges = this.aliases.get(request.providerId)
    if (ranges === undefined) return { kind: 'failed', message: `no instance ${request.providerId}` }
    if (request.kind === 'alias-ranges') return { kind: 'ok', value: [...ranges] }
    this.aliases.set(request.providerId, [request.cidr])
    return { kind: 'ok', value: undefined }
  }
}

class CloudCluster extends IpamCluster {
  readonly cloud: Cloud
  constructor(type: string, cloud: Cloud, options: Partial<IpamClusterOptions> = {}) {
    const flags = { 'cidr-allocator-type': type, 'cluster-cidr': '10.0.0.0/22', ...options.flags }
    super({ ...options, flags, answer: (ask) => cloud.answer(ask) })
    this.cloud = cloud
    const { driver } = this
    cloud.now = () => driver.now()
  }

  addInstance(name: string, ...aliases: readonly string[]): void {
    this.cloud.aliases.set(`gce://p/z/${name}`, [...aliases])
    this.addNode(name, { providerID: `gce://p/z/${name}` })
  }

  network(name: string): string | undefined {
    const node = this.list('nodes').find(({ metadata }) => metadata.name === name)
    const condition = findCondition(node?.status?.conditions, 'NetworkUnavailable')
    return condition === undefined ? undefined : `${condition.status} ${condition.reason}: ${condition.message}`
  }
}

/** Makes the first writes to nodes fail. */
const failing = (times: number, how: Mishap) => {
  let left = times
  return (): Mishap | undefined => (left-- > 0 ? how : undefined)
}

describe('CloudAllocator', () => {
  it('CloudAllocator copies the aliases of the cloud and marks the network as available', () => {
    const cluster = new CloudCluster('CloudAllocator', new Cloud())
    cluster.addInstance('a', '10.9.0.0/24')
    cluster.addInstance('b', '10.9.1.0/24', 'fd00::/64', '10.9.2.0/24')
    expect(cluster.settle().blocks()).toEqual({ a: '10.9.0.0/24', b: '10.9.1.0/24 fd00::/64' })
    expect(cluster.network('a')).toBe('False RouteCreated: NodeController create implicit route')
    cluster.touch('a')
    cluster.advance(600_000)
    expect(cluster.cloud.asked).toHaveLength(2)
  })

  it('CloudAllocator checks a node again whose network is marked as unavailable', () => {
    const cluster = new CloudCluster('CloudAllocator', new Cloud())
    cluster.addInstance('a', '10.9.0.0/24')
    cluster.settle()
    cluster.must({
      verb: 'patch',
      resource: 'nodes',
      name: 'a',
      subresource: 'status',
      patch: {
        kind: 'strategic',
        patch: { status: { conditions: [{ type: 'NetworkUnavailable', status: 'True', reason: 'NoRouteCreated' }] } },
      },
    })
    expect(cluster.settle().network('a')).toBe('False RouteCreated: NodeController create implicit route')
    // Only the status is patched, because the block is the same.
    expect(cluster.calls.filter(({ call }) => !('subresource' in call))).toHaveLength(1)
  })

  it('CloudAllocator retries ten times with an increasing backoff, and then only when the node changes', () => {
    const cloud = new Cloud()
    const cluster = new CloudCluster('CloudAllocator', cloud)
    cluster.addNode('a', { providerID: 'gce://p/z/a' })
    const began = cluster.driver.now()
    cluster.advance(600_000)
    expect(cloud.asked).toHaveLength(11)
    const waits = cloud.asked.slice(1).map(({ at }, i) => at - (cloud.asked[i]?.at ?? began))
    const bounds = [500, 1000, 2000, 4000, 5000, 5000, 5000, 5000, 5000, 5000]
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual((bounds[i] as number) / 2)
      expect(wait).toBeLessThanOrEqual((bounds[i] as number) * 1.5)
    }
    expect(cluster.events()[0]).toMatch(/^Normal CIDRNotAvailable ×\d+: Node a status is now: CIDRNotAvailable$/)
    cloud.aliases.set('gce://p/z/a', ['10.9.0.0/24'])
    expect(cluster.advance(600_000).blocks()).toEqual({ a: '' })
    cluster.touch('a')
    expect(cluster.advance(10_000).blocks()).toEqual({ a: '10.9.0.0/24' })
  })

  it.each([
    ['has no provider id', undefined, []],
    ['has no alias', [], ['CIDRNotAvailable']],
    ['has an alias that is not a CIDR', ['10.9.0.0'], []],
  ])('CloudAllocator waits for an instance that %s', (_what, aliases, reasons) => {
    const cluster = new CloudCluster('CloudAllocator', new Cloud())
    if (aliases === undefined) cluster.addNode('a')
    else cluster.addInstance('a', ...aliases)
    cluster.advance(1000)
    expect(cluster.blocks()).toEqual({ a: '' })
    expect([...new Set(cluster.events().map((event) => event.split(' ')[1]))]).toEqual(reasons)
    expect(cluster.inspect().inWork).toMatchObject([{ node: 'a', stage: 'resting' }])
  })

  it('CloudAllocator records an event when a node cannot be written, and retries', () => {
    const cluster = new CloudCluster('CloudAllocator', new Cloud(), { mishap: failing(3, 'InternalError') })
    cluster.addInstance('a', '10.9.0.0/24')
    cluster.settle()
    expect(cluster.events()).toEqual(['Normal CIDRAssignmentFailed ×1: Node a status is now: CIDRAssignmentFailed'])
    expect(cluster.advance(2000).blocks()).toEqual({ a: '10.9.0.0/24' })
  })

  it('CloudAllocator needs no range', () => {
    const cluster = new CloudCluster('CloudAllocator', new Cloud(), { flags: { 'cluster-cidr': undefined } })
    cluster.addInstance('a', '10.9.0.0/24')
    expect(cluster.settle().blocks()).toEqual({ a: '10.9.0.0/24' })
  })
})

describe('IPAMFromCluster', () => {
  it('IPAMFromCluster allocates a block for a node and writes it as alias of the instance', () => {
    const cluster = new CloudCluster('IPAMFromCluster', new Cloud())
    cluster.addInstance('a')
    cluster.addInstance('b')
    expect(cluster.settle().blocks()).toEqual({ a: '10.0.0.0/24', b: '10.0.1.0/24' })
    expect([...cluster.cloud.aliases.values()]).toEqual([['10.0.0.0/24'], ['10.0.1.0/24']])
    expect(cluster.network('a')).toBe('False RouteCreated: NodeController created an implicit route')
    cluster.deleteNode('a')
    cluster.settle()
    expect(cluster.inspect().ranges[0]?.used).toBe(1)
  })

  it('IPAMFromCluster writes the block of a node as alias of its instance', () => {
    const cloud = new Cloud()
    cloud.aliases.set('gce://p/z/a', [])
    const cluster = new CloudCluster('IPAMFromCluster', cloud, {
      before: (early) => early.addNode('a', { cidrs: ['10.0.0.0/24'], providerID: 'gce://p/z/a' }),
    })
    cluster.addInstance('b')
    cluster.settle()
    expect(cloud.aliases.get('gce://p/z/a')).toEqual(['10.0.0.0/24'])
    expect(cluster.blocks()['b']).toBe('10.0.1.0/24')
  })

  it('IPAMFromCluster checks every node each half minute, and sooner after a failure', () => {
    const cloud = new Cloud()
    const cluster = new CloudCluster('IPAMFromCluster', cloud)
    cluster.addInstance('a')
    cluster.settle()
    const start = cluster.driver.now()
    cloud.asked.length = 0
    cluster.advance(29_999)
    expect(cloud.asked).toEqual([])
    cloud.failing = 8
    cluster.advance(90_000)
    const seconds = cloud.asked.map(({ at }) => (at - start) / 1000)
    expect(seconds).toEqual([30, 30.25, 30.75, 31.75, 33.75, 37.75, 45.75, 55.75, 65.75, 95.75])
  })

  it.each([
    { behavior: 'upstream', leaks: true, block: '10.0.2.0/24' },
    { behavior: 'improved', leaks: false, block: '10.0.0.0/24' },
  ])(
    'IPAMFromCluster with $behavior behavior while the cloud rejects the alias: leaks blocks: $leaks',
    ({ behavior, leaks, block }) => {
      const cloud = new Cloud()
      const cluster = new CloudCluster('IPAMFromCluster', cloud, { improved: behavior === 'improved' })
      let refusals = 2
      const answer = cloud.answer.bind(cloud)
      cloud.answer = (ask) => {
        const isAdding = ask.request.kind === 'cloud' && (ask.request.request as CloudRequest).kind === 'add-alias'
        return isAdding && refusals-- > 0 ? { kind: 'failed', message: 'quotaExceeded' } : answer(ask)
      }
      cluster.addInstance('a')
      expect(cluster.advance(10_000).blocks()).toEqual({ a: block })
      expect(cluster.inspect().ranges[0]?.used).toBe(leaks ? 3 : 1)
    },
  )

  it.each([
    { behavior: 'upstream', stuck: true },
    { behavior: 'improved', stuck: false },
  ])(
    'IPAMFromCluster with $behavior behavior when the alias exists and the node cannot be written: stuck: $stuck',
    ({ behavior, stuck }) => {
      const cluster = new CloudCluster('IPAMFromCluster', new Cloud(), {
        improved: behavior === 'improved',
        mishap: failing(1, 'InternalError'),
      })
      cluster.addInstance('a')
      cluster.advance(60_000)
      expect(cluster.blocks()).toEqual({ a: stuck ? '' : '10.0.0.0/24' })
      const events = cluster.events().map((event) => event.replace(/×\d+/, '×n'))
      expect([...new Set(events)]).toEqual(
        stuck ? ['Normal CloudCIDRAllocatorInvalidMode ×n: Cannot sync from cloud in mode "SyncFromCluster"'] : [],
      )
    },
  )

  it('IPAMFromCluster reports a node and an instance that differ, and changes neither', () => {
    const cloud = new Cloud()
    cloud.aliases.set('gce://p/z/a', ['10.0.3.0/24'])
    const cluster = new CloudCluster('IPAMFromCluster', cloud, {
      before: (early) => early.addNode('a', { cidrs: ['10.0.0.0/24'], providerID: 'gce://p/z/a' }),
    })
    cluster.settle()
    expect(cluster.events()).toEqual([
      'Normal CloudCIDRAllocatorMismatch ×1: Node.Spec.PodCIDR != cloud alias (10.0.0.0/24 != 10.0.3.0/24)',
    ])
    expect(cluster.calls).toEqual([])
  })

  it('IPAMFromCluster does not start if services use the whole range', () => {
    const flags = { 'service-cluster-ip-range': '10.0.0.0/16' }
    expect(() => new CloudCluster('IPAMFromCluster', new Cloud(), { flags })).toThrow('failed after occupy serviceCIDR')
  })
})

describe('IPAMFromCloud', () => {
  it('IPAMFromCloud copies the alias of the instance to its node', () => {
    const cluster = new CloudCluster('IPAMFromCloud', new Cloud())
    cluster.addInstance('a', '10.0.2.0/24')
    expect(cluster.settle().blocks()).toEqual({ a: '10.0.2.0/24' })
    expect(cluster.network('a')).toBe('False RouteCreated: NodeController created an implicit route')
    expect(cluster.inspect().ranges[0]?.used).toBe(1)
  })

  it('IPAMFromCloud waits for an instance that gets its alias later', () => {
    const cloud = new Cloud()
    const cluster = new CloudCluster('IPAMFromCloud', cloud)
    cluster.addInstance('a')
    cluster.settle()
    expect(cluster.events()).toEqual([
      'Normal CloudCIDRAllocatorInvalidMode ×1: Cannot allocate CIDRs in mode "SyncFromCloud"',
    ])
    cloud.aliases.set('gce://p/z/a', ['10.0.2.0/24'])
    expect(cluster.advance(10_000).blocks()).toEqual({ a: '10.0.2.0/24' })
  })

  it('IPAMFromCloud writes nothing to the cloud', () => {
    const cloud = new Cloud()
    cloud.aliases.set('gce://p/z/a', [])
    const cluster = new CloudCluster('IPAMFromCloud', cloud, {
      before: (early) => early.addNode('a', { cidrs: ['10.0.0.0/24'], providerID: 'gce://p/z/a' }),
    })
    cluster.settle()
    expect(cluster.events()).toEqual([
      'Normal CloudCIDRAllocatorInvalidMode ×1: Cannot sync to cloud in mode "SyncFromCloud"',
    ])
    expect(cloud.aliases.get('gce://p/z/a')).toEqual([])
  })

  it('IPAMFromCloud assigns no block to a node if its alias is out of range', () => {
    const cluster = new CloudCluster('IPAMFromCloud', new Cloud())
    cluster.addInstance('a', '192.168.0.0/24')
    expect(cluster.advance(60_000).blocks()).toEqual({ a: '' })
  })
})
