import { describe, expect, it } from 'vitest'
import { GroupCluster } from './group-cluster.fixture.ts'

const gates = ['TopologyAwareWorkloadScheduling', 'CompositePodGroup']
const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
const all = { schedulingPolicy: { gang: { minGroupCount: 2 } } }

function createComposites(): GroupCluster {
  return new GroupCluster('1.37', ...gates)
}

describe('a composite group', () => {
  it('a composite group starts when enough of its groups have enough pods', () => {
    const c = createComposites()
    c.addNodes(['n0'], '8')
    c.composite('job', all)
    c.child('a', 2, 'job')
    c.child('b', 1, 'job')
    c.addPods('a', names('a', 2), '1')
    c.settle()
    expect(c.nodesOf(...names('a', 2))).toEqual(['-', '-'])
    c.addPods('b', ['b-0'], '1')
    c.settle()
    expect(c.nodesOf(...names('a', 2), 'b-0')).toEqual(['n0', 'n0', 'n0'])
    expect(['a', 'b'].map((name) => c.condition(name))).toEqual(['True Scheduled: ', 'True Scheduled: '])
  })

  it('the pods of a composite group wait until the composite group is created', () => {
    const c = createComposites()
    c.addNodes(['n0'], '8')
    c.child('a', 1, 'job')
    c.addPods('a', ['a-0'], '1')
    c.settle()
    expect(c.nodesOf('a-0')).toEqual(['-'])
    c.composite('job')
    c.settle()
    expect(c.nodesOf('a-0')).toEqual(['n0'])
  })

  it('a composite group binds no pod if one of its required groups does not fit, and its groups and pods report the reason', () => {
    const c = createComposites()
    c.addNodes(['n0'], '2')
    c.composite('job', all)
    c.child('a', 1, 'job')
    c.child('b', 2, 'job')
    c.addPods('a', ['a-0'], '1')
    c.addPods('b', names('b', 2), '1')
    c.settle()
    expect(c.nodesOf('a-0', ...names('b', 2))).toEqual(['-', '-', '-'])
    const none = 'pod group preemption: No preemption victims found for incoming preemptor'
    const ofParent =
      'pod group is unschedulable, 0/1 placements are available, first placement status: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining'
    expect(c.condition('a')).toBe(`False Unschedulable: ${ofParent}, ${none}, ${none}`)
    expect(c.messageOf('a-0')).toBe(ofParent)
    const ofB =
      '0/1 placements are available, first placement status: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining'
    expect(c.condition('b')).toBe(`False Unschedulable: pod group is unschedulable, ${ofB}, ${none}`)
    expect(names('b', 2).map((name) => c.messageOf(name))).toEqual([
      `pod group is unschedulable, pod group is unschedulable, ${ofB}, ${none}`,
      '0/1 nodes are available: 1 Insufficient cpu.',
    ])
  })

  it('a composite group starts with the groups that fit if they are enough, and the other groups stay pending', () => {
    const c = createComposites()
    c.addNodes(['n0'], '2')
    c.composite('job')
    c.child('a', 2, 'job')
    c.child('b', 2, 'job')
    c.addPods('a', names('a', 2), '1')
    c.addPods('b', names('b', 2), '1')
    c.settle()
    expect(c.nodesOf(...names('a', 2), ...names('b', 2))).toEqual(['n0', 'n0', '-', '-'])
    expect(c.condition('a')).toBe('True Scheduled: ')
    expect(c.condition('b')).toMatch(/^False Unschedulable: pod group is unschedulable, 0\/1 placements/)
    c.addNodes(['n1'], '2')
    c.advance(30_000)
    expect(c.nodesOf(...names('b', 2))).toEqual(['n1', 'n1'])
  })

  it('schedules a composite group of composite groups as one unit', () => {
    const c = createComposites()
    c.addNodes(['n0'], '8')
    c.composite('top', all)
    c.composite('left', { parentCompositePodGroupName: 'top' })
    c.composite('right', { parentCompositePodGroupName: 'top' })
    c.child('a', 1, 'left')
    c.child('b', 1, 'right')
    c.addPods('a', ['a-0'], '1')
    c.settle()
    expect(c.nodesOf('a-0')).toEqual(['-'])
    c.addPods('b', ['b-0'], '1')
    c.settle()
    expect(c.nodesOf('a-0', 'b-0')).toEqual(['n0', 'n0'])
  })
})

describe('the topology of a composite group', () => {
  const zone = (name: string) => ({ zone: name.slice(0, 1), rack: name.slice(0, 2) })

  it('places all groups of a composite group in one topology domain, and each group in a domain within it', () => {
    const c = createComposites()
    c.addNodes(['a00', 'a01', 'b00', 'b01', 'b10', 'b11'], '1', zone)
    c.composite('job', { ...all, schedulingConstraints: { topology: [{ key: 'zone' }] } })
    const inRack = { schedulingConstraints: { topology: [{ key: 'rack' }] } }
    c.child('x', 2, 'job', inRack)
    c.child('y', 2, 'job', inRack)
    c.addPods('x', names('x', 2), '1')
    c.addPods('y', names('y', 2), '1')
    c.settle()
    const racks = (name: string) => new Set(c.nodesOf(...names(name, 2)).map((node) => node.slice(0, 2)))
    expect([...racks('x'), ...racks('y')].toSorted()).toEqual(['b0', 'b1'])
  })
})

describe('preemption by a composite group', () => {
  it('the root of a hierarchy preempts for all of its groups', () => {
    const c = createComposites()
    c.addNodes(['n0', 'n1'], '1')
    c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 })
    c.addPods(undefined, names('old', 2), '1')
    c.settle()
    c.composite('job', { ...all, priorityClassName: 'high' })
    for (const name of ['a', 'b']) {
      c.child(name, 1, 'job')
      c.addPods(name, [`${name}-0`], '1', { priorityClassName: 'high' })
    }
    c.settle()
    expect(c.condition('a')).toMatch(/pod group preemption: found a placement for podgroup, preempting 2 victims$/)
    const uid = c.get('compositepodgroups.scheduling.k8s.io', 'default/job')?.metadata.uid
    const condition = c
      .get('pods', 'default/old-0')
      ?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
    expect(condition?.message).toBe('default-scheduler: preempting to accommodate a higher priority compositepodgroup')
    expect(c.list('events').map(({ message }) => message)).toContain(
      `Preempted by compositepodgroup ${uid} on node cluster`,
    )
    for (const name of names('old', 2)) c.delete('pods', `default/${name}`, { gracePeriodSeconds: 0 })
    c.settle()
    c.advance(4_000)
    expect(c.nodesOf('a-0', 'b-0').toSorted()).toEqual(['n0', 'n1'])
  })

  it('preempts all pods of a composite group that is disrupted as a whole', () => {
    const c = createComposites()
    c.addNodes(['n0', 'n1'], '1')
    c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 })
    c.composite('old', { ...all, disruptionMode: { all: {} } })
    for (const name of ['a', 'b']) {
      c.child(name, 1, 'old')
      c.addPods(name, [`${name}-0`], '1')
    }
    c.settle()
    expect(c.nodesOf('a-0', 'b-0').toSorted()).toEqual(['n0', 'n1'])
    c.gang('new', 1, { priorityClassName: 'high' })
    c.addPods('new', ['new-0'], '1', { priorityClassName: 'high' })
    c.settle()
    const leaving = ['a-0', 'b-0'].map((name) => c.get('pods', `default/${name}`)?.metadata.deletionTimestamp)
    expect(leaving).not.toContain(undefined)
  })
})

describe('the depth of a hierarchy', () => {
  /** A chain of composite groups with a pod group `leaf` of one pod at its end. `levels` counts the pod group too. */
  function createChain(levels: number, ofRoot: object = {}): GroupCluster {
    const c = createComposites()
    c.addNodes(['n0'], '8', () => ({ zone: 'z' }))
    for (let level = 1; level < levels; level++) {
      c.composite(`c${level}`, level === 1 ? ofRoot : { parentCompositePodGroupName: `c${level - 1}` })
    }
    c.child('leaf', 1, `c${levels - 1}`)
    c.addPods('leaf', ['p'], '1')
    c.settle()
    return c
  }

  it.each([
    [4, 'n0'],
    [5, 'n0'],
    [6, '-'],
  ])('places the pod of a hierarchy with %d levels on %s', (levels, node) => {
    expect(createChain(levels).nodesOf('p')).toEqual([node])
  })

  it('limits a hierarchy below a topology constraint to four levels', () => {
    const constrained = { schedulingConstraints: { topology: [{ key: 'zone' }] } }
    expect(createChain(4, constrained).nodesOf('p')).toEqual(['n0'])
    const deeper = createChain(5, constrained)
    expect(deeper.nodesOf('p')).toEqual(['-'])
    expect(deeper.condition('leaf')).toBe(
      'False SchedulerError: exceeded maximum hierarchy depth at podgroup/default/leaf',
    )
  })

  it('preemption reads four levels of a hierarchy', () => {
    for (const [levels, expected] of [
      [4, ['p', 'q']],
      [5, ['p']],
    ] as const) {
      const c = createChain(levels, { disruptionMode: { all: {} } })
      c.addNodes(['n1'], '8', () => ({ zone: 'z' }))
      c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 })
      c.child('other', 1, `c${levels - 1}`)
      c.addPods('other', ['q'], '1', { nodeName: 'n1' })
      c.addPods(undefined, ['important'], '8', {
        priorityClassName: 'high',
        nodeSelector: { 'kubernetes.io/hostname': 'n0' },
      })
      c.settle()
      const leaving = c.list('pods').filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      expect(leaving.map(({ metadata }) => metadata.name).toSorted()).toEqual(expected)
    }
  })
})
