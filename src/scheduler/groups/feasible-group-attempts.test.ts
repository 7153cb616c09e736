import { describe, expect, it } from 'vitest'
import { GroupCluster, gangCluster, names } from './group-cluster.fixture.ts'

/** A gang of two pods. The first pod has a scheduling gate. */
function gatedCluster(): GroupCluster {
  const c = new GroupCluster('1.37')
  c.addNodes(['n0'], '4')
  c.gang('train', 1)
  c.addPods('train', ['train-0'], '1', { schedulingGates: [{ name: 'quota' }] })
  c.addPods('train', ['train-1'], '1')
  c.settle()
  return c
}

describe('a gang in v1.37', () => {
  it('a gang in v1.37 is never bound partially, and every pod reports the reason', () => {
    const c = gangCluster('1.37', ['n0', 'n1'], { minCount: 3, pods: 3 })
    expect(c.nodesOf(...names('train', 3))).toEqual(['-', '-', '-'])
    const why =
      'minCount (3) cannot be satisfied: 2 scheduled, 0 remaining, pod group preemption: No preemption victims found for incoming preemptor'
    expect(c.condition('train')).toBe(`False Unschedulable: ${why}`)
    expect(names('train', 3).map((name) => c.messageOf(name))).toEqual([
      `pod group is unschedulable, ${why}`,
      `pod group is unschedulable, ${why}`,
      '0/2 nodes are available: 2 Insufficient cpu.',
    ])
  })

  it('a gang in v1.37 stops trying pods when too few are left, and untried pods get the status of the group', () => {
    const c = gangCluster('1.37', ['n0'], { minCount: 3, pods: 4 })
    expect(c.messageOf('train-2')).toBe('0/1 nodes are available: 1 Insufficient cpu.')
    expect(c.messageOf('train-3')).toBe('minCount (3) cannot be satisfied: 1 scheduled, 1 remaining')
  })

  it('a gang in v1.37 starts with minCount pods, and the other pods are retried immediately', () => {
    const c = gangCluster('1.37', ['n0', 'n1'], { minCount: 2, pods: 3 })
    expect(c.nodesOf(...names('train', 3)).filter((node) => node !== '-')).toHaveLength(2)
    expect(c.condition('train')).toBe('True Scheduled: ')
    c.addNodes(['n2'], '2')
    c.advance(30_000)
    expect(c.nodesOf(...names('train', 3)).toSorted()).toEqual(['n0', 'n1', 'n2'])
  })

  it('a gang in v1.37 is retried when its backoff ends, not when a node is added, and a new pod waits with it', () => {
    const c = gangCluster('1.37', ['n0'], { minCount: 2, pods: 2 })
    c.addNodes(['n1'], '2')
    c.addPods('train', ['train-2'], '2')
    c.settle()
    expect(c.nodesOf(...names('train', 3))).toEqual(['-', '-', '-'])
    c.advance(2_000)
    expect(c.nodesOf(...names('train', 3)).toSorted()).toEqual(['-', 'n0', 'n1'])
  })

  it('a gang in v1.37 is rejected if the priority of a pod differs from the priority of the group', () => {
    const c = new GroupCluster('1.37')
    c.addNodes(['n0'], '2')
    c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 })
    c.gang('train', 1)
    c.addPods('train', ['train-0'], '1', { priorityClassName: 'high' })
    c.settle()
    expect(c.condition('train')).toBe(
      "False SchedulerError: all pods in a single pod group should have the same priority as the pod group's priority, got 1000 and 0",
    )
  })

  it('a gang in v1.37 waits as a whole while one of its pods has a scheduling gate', () => {
    const c = gatedCluster()
    expect(c.nodesOf(...names('train', 2))).toEqual(['-', '-'])
    c.patch('pods', 'default/train-0', { spec: { schedulingGates: null } })
    c.settle()
    expect(c.nodesOf(...names('train', 2))).toEqual(['n0', 'n0'])
  })

  it('a gang in v1.37 whose gated pod is deleted waits for the flush, because its gate gets no further event', () => {
    const c = gatedCluster()
    c.endPods(['train-0'])
    c.addPods('train', ['train-2'], '1')
    c.settle()
    expect(c.nodesOf('train-1', 'train-2')).toEqual(['-', '-'])
    c.advance(6 * 60_000)
    expect(c.nodesOf('train-1', 'train-2')).toEqual(['n0', 'n0'])
  })

  it('a gang in v1.37 starts when its group is created after its pods', () => {
    const c = new GroupCluster('1.37')
    c.addNodes(['n0'], '4')
    c.addPods('train', names('train', 2), '1')
    c.settle()
    expect(c.nodesOf(...names('train', 2))).toEqual(['-', '-'])
    c.gang('train', 2)
    c.settle()
    expect(c.nodesOf(...names('train', 2))).toEqual(['n0', 'n0'])
  })

  it('a gang in v1.37 starts when minCount is lowered', () => {
    const c = new GroupCluster('1.37')
    c.addNodes(['n0'], '4')
    c.gang('train', 3)
    c.addPods('train', names('train', 2), '1')
    c.settle()
    expect(c.nodesOf(...names('train', 2))).toEqual(['-', '-'])
    c.patch('podgroups.scheduling.k8s.io', 'default/train', { spec: { schedulingPolicy: { gang: { minCount: 2 } } } })
    c.settle()
    expect(c.nodesOf(...names('train', 2))).toEqual(['n0', 'n0'])
  })
})

describe('workload-aware preemption in v1.37', () => {
  it('workload-aware preemption in v1.37 removes the fewest pods, nominates nodes, and binds the group when its victims are deleted', () => {
    const c = new GroupCluster('1.37')
    c.addNodes(['n0', 'n1', 'n2'], '2')
    c.addGangAfter(names('old', 3))
    expect(c.condition('train')).toBe(
      'False Unschedulable: minCount (2) cannot be satisfied: 0 scheduled, 1 remaining, pod group preemption: found a placement for podgroup, preempting 2 victims',
    )
    const kept = c.kept(names('old', 3))
    expect(kept).toHaveLength(1)
    const nominated = names('train', 2).map((name) => c.get('pods', `default/${name}`)?.status?.nominatedNodeName)
    expect(new Set(nominated).size).toBe(2)
    c.endPods(names('old', 3).filter((name) => !kept.includes(name)))
    // The group is still in backoff.
    expect(c.nodesOf(...names('train', 2))).toEqual(['-', '-'])
    c.advance(2_000)
    expect(c.nodesOf(...names('train', 2)).toSorted()).toEqual(nominated.toSorted())
  })
})

describe('nominations of a group', () => {
  it('a nomination does not reserve room against the other pods of the same group', () => {
    const c = new GroupCluster('1.37')
    c.addNodes(['n0'], '4')
    c.addGangAfter(names('old', 2))
    c.advance(4_000)
    c.endPods(['old-0'])
    c.advance(4_000)
    expect(names('train', 2).map((name) => c.messageOf(name))).toEqual([
      'minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, pod group preemption: ongoing preemption on nominated nodes',
      '0/1 nodes are available: 1 Insufficient cpu.',
    ])
  })
})

describe('topology-aware placement in v1.37', () => {
  it('a group in v1.37 stays pending if no topology domain has room for it', () => {
    const c = new GroupCluster('1.37', 'TopologyAwareWorkloadScheduling')
    c.addNodes(['a0', 'a1', 'b0', 'b1'], '2', (name) => ({ zone: name.slice(0, 1) }))
    c.gang('train', 3, { schedulingConstraints: { topology: [{ key: 'zone' }] } })
    c.addPods('train', names('train', 3), '2')
    c.settle()
    expect(c.condition('train')).toBe(
      'False Unschedulable: pod group is unschedulable, 0/2 placements are available, first placement status: minCount (3) cannot be satisfied: 2 scheduled, 0 remaining, pod group preemption: No preemption victims found for incoming preemptor',
    )
  })
})
