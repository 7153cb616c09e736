import { describe, expect, it } from 'vitest'
import { GroupCluster } from './group-cluster.fixture.ts'

const asWhole = { disruptionMode: { all: {} } }
const oneByOne = { disruptionMode: { single: {} } }

function createCluster(minor: '1.36' | '1.37', ...gates: readonly string[]): GroupCluster {
  const c = new GroupCluster(minor, ...gates)
  c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'middle' }, value: 500 })
  c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 })
  return c
}

/** A pod that was bound before the scheduler started. */
function addBound(c: GroupCluster, name: string, node: string, group: string | undefined, spec: object = {}): void {
  c.addPods(group, [name], '1', { nodeName: node, ...spec })
}

function addImportant(c: GroupCluster, spec: object = {}, cpu = '1'): void {
  c.addPods(undefined, ['important'], cpu, { priorityClassName: 'high', ...spec })
}

function leaving(c: GroupCluster): readonly string[] {
  return c
    .list('pods')
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => metadata.name)
    .toSorted()
}

function nominated(c: GroupCluster): string | undefined {
  return c.get('pods', 'default/important')?.status?.nominatedNodeName
}

/** A gang of two pods on n0 and n1, which are full. */
function fillWithGang(c: GroupCluster, more: object): void {
  c.addNodes(['n0', 'n1'], '1')
  c.gang('gang', 2, more)
  c.addPods('gang', ['g0', 'g1'], '1')
  c.settle()
  expect(c.nodesOf('g0', 'g1').toSorted()).toEqual(['n0', 'n1'])
}

describe('a single pod preempts a group that is disrupted as a whole', () => {
  it('a group that is disrupted as a whole is preempted with all of its pods, from v1.37 on', () => {
    const c = createCluster('1.37')
    fillWithGang(c, asWhole)
    addImportant(c)
    c.settle()
    expect(leaving(c)).toEqual(['g0', 'g1'])
    const uid = c.get('pods', 'default/important')?.metadata.uid
    expect(
      new Set(
        c
          .list('events')
          .filter(({ reason }) => reason === 'Preempted')
          .map(({ message }) => message),
      ),
    ).toEqual(new Set([`Preempted by pod ${uid} on node ${nominated(c)}`]))
  })

  it('a group whose pods are disrupted one by one is preempted pod by pod', () => {
    const c = createCluster('1.37')
    fillWithGang(c, oneByOne)
    addImportant(c)
    c.settle()
    expect(leaving(c)).toHaveLength(1)
  })

  it('a group is preempted pod by pod in v1.36, even with workload-aware preemption', () => {
    const c = createCluster('1.36', 'WorkloadAwarePreemption')
    fillWithGang(c, { disruptionMode: 'PodGroup' })
    addImportant(c)
    c.settle()
    expect(leaving(c)).toHaveLength(1)
  })

  it('a composite group is preempted with all of its groups', () => {
    const c = createCluster('1.37', 'TopologyAwareWorkloadScheduling', 'CompositePodGroup')
    c.addNodes(['n0', 'n1', 'n2'], '1')
    c.composite('job', asWhole)
    c.composite('part', { parentCompositePodGroupName: 'job' })
    c.child('a', 1, 'job')
    c.child('b', 1, 'part')
    addBound(c, 'a0', 'n0', 'a')
    addBound(c, 'b0', 'n1', 'b')
    addBound(c, 'alone', 'n2', undefined, { priorityClassName: 'middle' })
    addImportant(c)
    c.settle()
    expect(leaving(c)).toEqual(['a0', 'b0'])
  })
})

describe('victims of a single pod', () => {
  it('preemption prefers a node with fewer victims, counted on all nodes', () => {
    const c = createCluster('1.37')
    c.addNodes(['n0', 'n1', 'n2'], '1')
    c.gang('gang', 2, asWhole)
    addBound(c, 'g0', 'n0', 'gang')
    addBound(c, 'g1', 'n1', 'gang')
    addBound(c, 'alone', 'n2', undefined)
    addImportant(c)
    c.settle()
    expect(leaving(c)).toEqual(['alone'])
    expect(nominated(c)).toBe('n2')
  })

  it('preemption removes other pods before pods of groups with the same priority', () => {
    const c = createCluster('1.37')
    c.addNodes(['n0'], '2')
    c.gang('gang', 1, oneByOne)
    addBound(c, 'alone', 'n0', undefined)
    addBound(c, 'g0', 'n0', 'gang')
    addImportant(c)
    c.settle()
    expect(leaving(c)).toEqual(['alone'])
  })

  it('a victim counts with the priority of its group and not of its pod, from v1.37 on', () => {
    for (const [minor, expected] of [
      ['1.36', ['low-pod']],
      ['1.37', ['high-pod']],
    ] as const) {
      const c = createCluster(minor, ...(minor === '1.36' ? ['WorkloadAwarePreemption'] : []))
      c.addNodes(['n0', 'n1'], '1')
      c.gang('high-group', 1, { priorityClassName: 'high' })
      c.gang('low-group', 1)
      addBound(c, 'low-pod', 'n0', 'high-group')
      addBound(c, 'high-pod', 'n1', 'low-group', { priorityClassName: 'high' })
      addImportant(c)
      c.settle()
      expect(leaving(c)).toEqual(expected)
    }
  })

  it('preemption counts every pod of a group against budgets', () => {
    const c = createCluster('1.37')
    c.addNodes(['n0', 'n1', 'n2'], '1')
    c.gang('gang', 2, asWhole)
    addBound(c, 'g0', 'n0', 'gang')
    c.create('pods', {
      metadata: { name: 'g1', namespace: 'default', labels: { app: 'kept' } },
      spec: {
        nodeName: 'n1',
        schedulingGroup: { podGroupName: 'gang' },
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
      },
    })
    addBound(c, 'alone', 'n2', undefined, { priorityClassName: 'middle' })
    c.create('poddisruptionbudgets.policy', {
      metadata: { name: 'kept', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } },
    })
    addImportant(c)
    c.settle()
    expect(leaving(c)).toEqual(['alone'])
  })

  it('victims on other nodes no longer repel the pod from their topology domain', () => {
    const c = createCluster('1.37')
    c.addNodes(['n0', 'n1'], '4', () => ({ zone: 'z' }))
    c.gang('gang', 2, asWhole)
    for (const [name, nodeName] of [
      ['g0', 'n0'],
      ['g1', 'n1'],
    ]) {
      c.create('pods', {
        metadata: { name, namespace: 'default', labels: { app: 'noisy' } },
        spec: {
          nodeName,
          schedulingGroup: { podGroupName: 'gang' },
          containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
        },
      })
    }
    const term = { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'noisy' } } }
    addImportant(c, { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } })
    c.settle()
    expect(leaving(c)).toEqual(['g0', 'g1'])
  })
})
