import { describe, expect, it } from 'vitest'
import { must } from '../base/result.ts'
import { readSettings } from './settings.ts'
import { createVirtualCluster, type VirtualCluster } from './virtual.ts'

function clusterWith(type: string, flags: object = {}): VirtualCluster {
  const config = {
    'allocate-node-cidrs': true,
    'cidr-allocator-type': type,
    'cluster-cidr': '10.0.0.0/22',
    'service-cluster-ip-range': '10.0.0.0/24',
    ...flags,
  }
  return createVirtualCluster({ startMs: 0, settings: must(readSettings(config as never)) })
}

function add({ client, driver }: VirtualCluster, name: string, spec: object = {}): void {
  const object = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { providerID: `gce://p/z/${name}`, ...spec },
  }
  client.callNow({ verb: 'create', resource: 'nodes', object: object as never })
  driver.settle()
}

function blocks({ store, driver, clock }: VirtualCluster): Readonly<Record<string, unknown>> {
  driver.advanceTo(clock.now() + 120_000)
  const nodes = store.list('nodes') as readonly { metadata: { name: string }; spec?: { podCIDR?: string } }[]
  return Object.fromEntries(nodes.map(({ metadata, spec }) => [metadata.name, spec?.podCIDR]))
}

describe('the cloud in virtual time', () => {
  it.each(['CloudAllocator', 'IPAMFromCluster', 'IPAMFromCloud'])(
    'keeps the blocks of existing nodes and gives free blocks to new nodes (%s)',
    (type) => {
      const cluster = clusterWith(type)
      add(cluster, 'old', { podCIDR: '10.0.2.0/24', podCIDRs: ['10.0.2.0/24'] })
      add(cluster, 'new')
      const given = blocks(cluster)
      expect(given['old']).toBe('10.0.2.0/24')
      expect(['10.0.1.0/24', '10.0.3.0/24']).toContain(given['new'])
    },
  )

  it('gives the block of a removed node to a new node when no other block is free', () => {
    const cluster = clusterWith('CloudAllocator')
    for (const name of ['a', 'b', 'c']) add(cluster, name)
    const { b } = blocks(cluster)
    add(cluster, 'd')
    expect(blocks(cluster)['d']).toBeUndefined()
    for (const name of ['b', 'd']) cluster.client.callNow({ verb: 'delete', resource: 'nodes', name })
    add(cluster, 'e')
    expect(blocks(cluster)['e']).toBe(b)
  })

  it('gives a block to a node that is removed and added again (IPAMFromCluster)', () => {
    const cluster = clusterWith('IPAMFromCluster')
    add(cluster, 'a')
    expect(blocks(cluster)['a']).toBe('10.0.1.0/24')
    cluster.client.callNow({ verb: 'delete', resource: 'nodes', name: 'a' })
    cluster.driver.settle()
    add(cluster, 'a')
    expect(blocks(cluster)['a']).toMatch(/^10\.0\.[123]\.0\/24$/)
  })
})
