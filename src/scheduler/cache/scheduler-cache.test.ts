import { describe, expect, it } from 'vitest'
import { node, pod, readerOf } from '../small-cluster.fixture.ts'
import { SchedulerCache } from './scheduler-cache.ts'

const objects = readerOf({})

function on(name: string, where: string) {
  return pod(name, { cpu: '1', memory: '1Gi', nodeName: where })
}

describe('SchedulerCache', () => {
  it('counts pods on nodes regardless of which is added first', () => {
    const cache = new SchedulerCache()
    cache.addPod(on('a', 'n1'))
    expect(cache.cluster(objects).nodes).toEqual([])
    cache.addNode(node('n1'))
    cache.addPod(on('b', 'n1'))
    const [n1] = cache.cluster(objects).nodes
    expect(n1?.requested.cpuMilli).toBe(2000)
    expect(n1?.pods.map(({ key }) => key)).toEqual(['default/a', 'default/b'])
    expect(cache.podCount).toBe(2)
  })

  it('keeps the pods of a deleted node until they are deleted', () => {
    const cache = new SchedulerCache()
    const n1 = node('n1')
    cache.addNode(n1)
    cache.addPod(on('a', 'n1'))
    cache.removeNode(n1)
    expect(cache.nodeCount).toBe(0)
    expect(cache.hasNode('n1')).toBe(false)
    expect(cache.podCount).toBe(1)
    cache.addNode(n1)
    expect(cache.cluster(objects).node('n1')?.requested.cpuMilli).toBe(1000)
    cache.removePod(on('a', 'n1'))
    expect(cache.cluster(objects).node('n1')?.requested.cpuMilli).toBe(0)
  })

  it('counts an assumed pod immediately, and only once after it is confirmed', () => {
    const cache = new SchedulerCache()
    cache.addNode(node('n1'))
    const pending = pod('a', { cpu: '1' })
    cache.assumePod(cache.parser.parse(pending), 'n1')
    expect(cache.isAssumed('uid-a')).toBe(true)
    expect(cache.cluster(objects).node('n1')?.pods.length).toBe(1)
    cache.addPod({ ...pending, spec: { ...pending.spec, nodeName: 'n1' } })
    expect(cache.isAssumed('uid-a')).toBe(false)
    expect(cache.cluster(objects).node('n1')?.requested.cpuMilli).toBe(1000)
  })

  it('removes an assumed pod when it is forgotten, and refuses to forget a bound pod', () => {
    const cache = new SchedulerCache()
    cache.addNode(node('n1'))
    const parsed = cache.parser.parse(pod('a', { cpu: '1' }))
    cache.assumePod(parsed, 'n1')
    expect(() => cache.assumePod(parsed, 'n1')).toThrow("so can't be assumed")
    cache.forgetPod(parsed)
    expect(cache.cluster(objects).node('n1')?.requested.cpuMilli).toBe(0)
    cache.forgetPod(parsed)
    cache.addPod(on('a', 'n1'))
    expect(() => cache.forgetPod(parsed)).toThrow("wasn't assumed so cannot be forgotten")
  })

  it('moves a pod that was bound to another node than assumed', () => {
    const cache = new SchedulerCache()
    cache.addNode(node('n1'))
    cache.addNode(node('n2'))
    cache.assumePod(cache.parser.parse(pod('a', { cpu: '1' })), 'n1')
    cache.addPod(pod('a', { cpu: '1', nodeName: 'n2' }))
    expect(cache.cluster(objects).node('n1')?.pods).toEqual([])
    expect(cache.nodeOf('uid-a')).toBe('n2')
  })

  it('recounts a pod when an update changes its requests', () => {
    const cache = new SchedulerCache()
    cache.addNode(node('n1'))
    const before = on('a', 'n1')
    cache.addPod(before)
    cache.updatePod(before, pod('a', { cpu: '3', nodeName: 'n1' }))
    expect(cache.cluster(objects).node('n1')?.requested).toMatchObject({ cpuMilli: 3000, memoryBytes: 0 })
    expect(cache.getPod('uid-a')?.shape.requests.cpuMilli).toBe(3000)
  })

  it('does not treat a node heartbeat as a change', () => {
    const cache = new SchedulerCache()
    const n1 = node('n1')
    cache.addNode(n1)
    const before = cache.version
    const beat = { type: 'Ready', status: 'True' as const, lastHeartbeatTime: '2026-01-01T00:00:10Z' }
    cache.updateNode(n1, { ...n1, status: { ...n1.status, conditions: [beat] } })
    expect(cache.version).toBe(before)
    cache.updateNode(n1, { ...n1, spec: { unschedulable: true } })
    expect(cache.version).toBeGreaterThan(before)
  })

  it('reports which claims are in use', () => {
    const cache = new SchedulerCache()
    cache.addNode(node('n1'))
    const user = pod('a', { nodeName: 'n1', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] })
    cache.addPod(user)
    const cluster = cache.cluster(objects)
    expect(cluster.claimInUse('default/data')).toBe(true)
    expect(cluster.node('n1')?.claimUses.get('default/data')).toBe(1)
    cache.removePod(user)
    expect(cluster.claimInUse('default/data')).toBe(false)
  })

  it('stores image sizes as each node reports them', () => {
    const cache = new SchedulerCache()
    const images = [{ names: ['app:1', 'app@sha256:1'], sizeBytes: 5 }]
    const n1 = node('n1', { status: { images } })
    cache.addNode(n1)
    cache.addNode(node('n2', { status: { images: [{ names: ['app:1'], sizeBytes: 7 }] } }))
    expect([...(cache.cluster(objects).image('app:1') ?? [])]).toEqual([
      ['n1', 5],
      ['n2', 7],
    ])
    cache.removeNode(n1)
    expect(cache.cluster(objects).image('app@sha256:1')).toBeUndefined()
  })

  it('counts changes of other objects by resource', () => {
    const cache = new SchedulerCache()
    cache.noteChange('services', undefined, undefined)
    cache.noteChange('services', undefined, undefined)
    expect([cache.versionOf('services'), cache.versionOf('namespaces')]).toEqual([2, 0])
  })

  it('keeps columns correct when the node table grows and reuses rows', () => {
    const cache = new SchedulerCache()
    for (let i = 0; i < 200; i++) cache.addNode(node(`n${i}`, { allocatable: { 'example.com/gpu': String(i) } }))
    const gpus = cache.table.scalar('example.com/gpu')
    expect(gpus.allocatable[199]).toBe(199)
    cache.removeNode(node('n7'))
    cache.addNode(node('new', { allocatable: { cpu: '1', 'example.com/gpu': '77' } }))
    expect(cache.table.node('new')?.row).toBe(7)
    expect([cache.table.cpuMilli.allocatable[7], gpus.allocatable[7]]).toEqual([1000, 77])
  })
})
