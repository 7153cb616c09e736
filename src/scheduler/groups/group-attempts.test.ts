import { describe, expect, it } from 'vitest'
import { GroupCluster, gangCluster, names } from './group-cluster.fixture.ts'

describe('a gang in v1.36', () => {
  it('a gang in v1.36 stays out of the queue until its group and enough of its pods exist', () => {
    const c = new GroupCluster('1.36')
    c.addNodes(['n0', 'n1'], '4')
    c.addPods('train', names('train', 2), '1')
    c.settle()
    expect(c.nodesOf('train-0', 'train-1')).toEqual(['-', '-'])
    c.gang('train', 3)
    c.settle()
    expect(c.nodesOf('train-0', 'train-1')).toEqual(['-', '-'])
    c.addPods('train', ['train-2'], '1')
    c.settle()
    expect(c.nodesOf(...names('train', 3))).not.toContain('-')
    expect(c.condition('train')).toBe('True Scheduled: ')
  })

  it('a gang in v1.36 is never bound partially, and reports the reason', () => {
    const c = gangCluster('1.36', ['n0', 'n1'], { minCount: 3, pods: 3 })
    expect(c.nodesOf(...names('train', 3))).toEqual(['-', '-', '-'])
    expect(c.condition('train')).toBe('False Unschedulable: pod group is unschedulable')
    const messages = names('train', 3).map((name) => c.messageOf(name))
    expect(messages.filter((message) => message?.startsWith('pod group is unschedulable'))).toEqual([
      'pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin rejected pod',
      'pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin rejected pod',
    ])
    expect(
      messages.filter((message) => message?.startsWith('0/2 nodes are available: 2 Insufficient cpu.')),
    ).toHaveLength(1)
  })

  it('a gang in v1.36 starts when a pod that took its room is deleted', () => {
    const c = new GroupCluster('1.36')
    c.addNodes(['n0', 'n1'], '2')
    c.addPods(undefined, ['old'], '2')
    c.settle()
    c.gang('train', 2)
    c.addPods('train', names('train', 2), '2')
    c.settle()
    expect(c.nodesOf(...names('train', 2))).toEqual(['-', '-'])
    c.delete('pods', 'default/old', { gracePeriodSeconds: 0 })
    c.settle()
    expect(c.nodesOf(...names('train', 2)).toSorted()).toEqual(['n0', 'n1'])
  })

  it('a gang in v1.36 starts with minCount pods, and the other pods follow when there is room', () => {
    const c = gangCluster('1.36', ['n0', 'n1'], { minCount: 2, pods: 3 })
    expect(c.nodesOf(...names('train', 3)).filter((node) => node !== '-')).toHaveLength(2)
    c.addNodes(['n2'], '2')
    c.advance(30_000)
    expect(c.nodesOf(...names('train', 3)).toSorted()).toEqual(['n0', 'n1', 'n2'])
  })

  it('when two gangs in v1.36 compete for the same nodes, one starts and the other waits', () => {
    const c = new GroupCluster('1.36')
    c.addNodes(['n0', 'n1'], '2')
    c.gang('a', 2)
    c.gang('b', 2)
    c.addPods('a', ['a-0'], '2')
    c.addPods('b', ['b-0'], '2')
    c.addPods('b', ['b-1'], '2')
    c.addPods('a', ['a-1'], '2')
    c.settle()
    expect(c.nodesOf('a-0', 'a-1').toSorted()).toEqual(['n0', 'n1'])
    expect(c.nodesOf('b-0', 'b-1')).toEqual(['-', '-'])
  })
})

describe('a deleted pod group', () => {
  it('a deleted pod group stays until none of its pods is active', () => {
    const c = new GroupCluster('1.36')
    c.addNodes(['n0'], '4')
    c.gang('train', 1)
    c.addPods('train', ['train-0'], '1')
    c.settle()
    c.delete('podgroups.scheduling.k8s.io', 'default/train')
    c.settle()
    expect(c.get('podgroups.scheduling.k8s.io', 'default/train')?.metadata.deletionTimestamp).toBeDefined()
    c.endPods(['train-0'])
    expect(c.get('podgroups.scheduling.k8s.io', 'default/train')).toBeUndefined()
  })
})

describe('a group without a gang policy', () => {
  it('a group without a gang policy is scheduled pod by pod', () => {
    const c = new GroupCluster('1.36')
    c.addNodes(['n0'], '2')
    c.addGroup('web', { schedulingPolicy: { basic: {} } })
    c.addPods('web', names('web', 2), '2')
    c.settle()
    expect(c.nodesOf(...names('web', 2)).toSorted()).toEqual(['-', 'n0'])
  })
})

describe('a pod that waits for its group', () => {
  it('a pod that waits for its group is retried only after its backoff, so virtual time advances', () => {
    const c = new GroupCluster('1.36')
    c.addNodes(['n0'], '2')
    c.gang('train', 2)
    c.addPods('train', names('train', 2), '2')
    c.advance(120_000)
    expect(c.nodesOf(...names('train', 2))).toEqual(['-', '-'])
  })
})

describe('workload-aware preemption in v1.36', () => {
  it('workload-aware preemption in v1.36 removes the fewest pods of lower priority for the whole group', () => {
    const c = new GroupCluster('1.36', 'WorkloadAwarePreemption')
    c.addNodes(['n0', 'n1', 'n2'], '2')
    c.addGangAfter(names('old', 3))
    const kept = c.kept(names('old', 3))
    expect(kept).toHaveLength(1)
    const uid = c.get('podgroups.scheduling.k8s.io', 'default/train')?.metadata.uid
    expect(
      c
        .events('old-0')
        .concat(c.events('old-1'), c.events('old-2'))
        .filter((text) => text.startsWith('Preempted')),
    ).toEqual([
      `Preempted: Preempted by podgroup ${uid} on node cluster`,
      `Preempted: Preempted by podgroup ${uid} on node cluster`,
    ])
    c.endPods(names('old', 3).filter((name) => !kept.includes(name)))
    expect(c.nodesOf(...names('train', 2))).not.toContain('-')
  })

  it('workload-aware preemption in v1.36 removes no pods when the group would not fit even without them', () => {
    const c = new GroupCluster('1.36', 'WorkloadAwarePreemption')
    c.addNodes(['n0'], '2')
    c.addGangAfter(['old'])
    expect(c.get('pods', 'default/old')?.metadata.deletionTimestamp).toBeUndefined()
    expect(c.condition('train')).toBe('False Unschedulable: pod group is unschedulable, pod group is unschedulable')
  })
})

describe('topology-aware placement in v1.36', () => {
  const zone = (name: string) => ({ zone: name.startsWith('a') ? 'a' : 'b' })

  it('topology-aware placement in v1.36 places all pods of a group in one domain', () => {
    const c = new GroupCluster('1.36', 'TopologyAwareWorkloadScheduling')
    c.addNodes(['a0', 'a1', 'b0', 'b1', 'b2'], '2', zone)
    c.gang('train', 3, { schedulingConstraints: { topology: [{ key: 'zone' }] } })
    c.addPods('train', names('train', 3), '2')
    c.settle()
    expect(c.nodesOf(...names('train', 3)).toSorted()).toEqual(['b0', 'b1', 'b2'])
  })

  it.each(['a', 'b'])(
    'topology-aware placement in v1.36 prefers the domain that is fullest with the group: %s',
    (full) => {
      const c = new GroupCluster('1.36', 'TopologyAwareWorkloadScheduling')
      c.addNodes(['a0', 'a1', 'b0', 'b1'], '8', zone)
      c.addPods(undefined, ['old'], '2', { nodeSelector: { zone: full } })
      c.settle()
      c.gang('train', 2, { schedulingConstraints: { topology: [{ key: 'zone' }] } })
      c.addPods('train', names('train', 2), '2')
      c.settle()
      expect(c.nodesOf(...names('train', 2)).every((node) => node.startsWith(full))).toBe(true)
    },
  )

  it('a group in v1.36 stays pending if no topology domain has room for it', () => {
    const c = new GroupCluster('1.36', 'TopologyAwareWorkloadScheduling')
    c.addNodes(['a0', 'a1', 'b0', 'b1'], '2', zone)
    c.gang('train', 3, { schedulingConstraints: { topology: [{ key: 'zone' }] } })
    c.addPods('train', names('train', 3), '2')
    c.settle()
    expect(c.nodesOf(...names('train', 3))).toEqual(['-', '-', '-'])
    expect(c.condition('train')).toBe(
      'False Unschedulable: 0/2 placements are available, first placement status: pod group is unschedulable',
    )
    expect(names('train', 3).map((name) => c.messageOf(name))).toContain(
      '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to placement-based pod group scheduling limitation',
    )
  })
})
