import { describe, expect, it } from 'vitest'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { createStore } from '../../store/memory-store.ts'
import { explainGroup } from './explain-group.ts'

const startMs = Date.UTC(2026, 0, 1)

class GangWorld {
  readonly store = createStore()

  constructor(nodes: readonly string[]) {
    this.add('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', uid: 'ns' } })
    const allocatable = { cpu: '2', memory: '8Gi', pods: '10' }
    const condition = { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }
    for (const name of nodes) {
      const metadata = { name, uid: name, labels: { 'kubernetes.io/hostname': name } }
      const status = { allocatable, capacity: allocatable, conditions: [condition] }
      this.add('nodes', { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status })
    }
  }

  add(resource: string, object: object): void {
    const { namespace, name } = (object as KubeObject).metadata
    const key = namespace === undefined ? name : `${namespace}/${name}`
    this.store.commit([{ kind: 'create', resource, key, object: object as KubeObject }])
  }

  pod(name: string, more: object, owner?: object): void {
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }]
    const spec = { schedulerName: 'default-scheduler', terminationGracePeriodSeconds: 30, containers, ...more }
    const status = 'nodeName' in more ? { phase: 'Running' } : { phase: 'Pending' }
    this.add('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', uid: name, ...(owner && { ownerReferences: [owner] }) },
      spec,
      status,
    })
  }

  explain(minCount: number, priority: number, settings = defaultSettings, more: object = {}) {
    const group = {
      apiVersion: 'scheduling.k8s.io/v1beta1',
      kind: 'PodGroup',
      metadata: { name: 'train', namespace: 'default', uid: 'train' },
      spec: { schedulingPolicy: { gang: { minCount } }, priority, ...more },
    } as PodGroup
    this.add('podgroups.scheduling.k8s.io', group)
    const found = { store: this.store, takenAtMs: startMs }
    return explainGroup({ found, settings, group })
  }
}

const member = { schedulingGroup: { podGroupName: 'train' }, priority: 1000 }

describe('an explanation of a pod group', () => {
  it('reports when the gang starts and which pods it preempts', () => {
    const world = new GangWorld(['n0', 'n1'])
    world.pod('old', { nodeName: 'n0', priority: 0 })
    for (const name of ['train-0', 'train-1']) world.pod(name, member)
    const { startsInMs, leaving, pods } = world.explain(2, 1000)
    expect(leaving).toEqual([{ pod: 'default/old', node: 'n0' }])
    expect(startsInMs).toBeGreaterThan(0)
    expect(pods.map(({ node }) => node).toSorted()).toEqual(['n0', 'n1'])
  })

  it('reports how many nodes are missing for a gang that does not start', () => {
    const world = new GangWorld(['n0'])
    for (const name of ['train-0', 'train-1', 'train-2']) world.pod(name, member)
    const answer = world.explain(3, 1000)
    expect(answer).toMatchObject({ missing: 0, leaving: [], withNodes: { count: 2, like: 'n0' } })
    expect(answer.startsInMs).toBeUndefined()
    expect(answer.message).toContain('minCount (3) cannot be satisfied')
  })

  it.each([
    ['1.36', ['default/old']],
    ['1.37', undefined],
  ])('lists the pods of DaemonSets that compete with the gang in v%s', (version, expected) => {
    const world = new GangWorld(['n0'])
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'agent', controller: true }
    world.pod('old', { nodeName: 'n0', priority: 0 }, owner)
    world.pod('train-0', member)
    const settings = { ...defaultSettings, release: must(releaseOf(version)) }
    const { leaving, contested } = world.explain(1, 1000, settings)
    expect(leaving).toEqual([{ pod: 'default/old', node: 'n0' }])
    expect(contested).toEqual(expected)
  })

  it('names the object that the hierarchy of the group waits for', () => {
    const world = new GangWorld(['n0', 'n1'])
    const composite = { apiVersion: 'scheduling.k8s.io/v1alpha3', kind: 'CompositePodGroup' }
    const spec = { schedulingPolicy: { gang: { minGroupCount: 2 } }, priority: 1000 }
    world.add('compositepodgroups.scheduling.k8s.io', {
      ...composite,
      metadata: { name: 'job', namespace: 'default', uid: 'job' },
      spec,
    })
    world.add('podgroups.scheduling.k8s.io', {
      apiVersion: 'scheduling.k8s.io/v1beta1',
      kind: 'PodGroup',
      metadata: { name: 'other', namespace: 'default', uid: 'other' },
      spec: { schedulingPolicy: { gang: { minCount: 2 } }, priority: 1000, parentCompositePodGroupName: 'job' },
    })
    world.pod('other-0', { ...member, schedulingGroup: { podGroupName: 'other' } })
    world.pod('train-0', member)
    const answer = world.explain(1, 1000, defaultSettings, { parentCompositePodGroupName: 'job' })
    expect(answer).toMatchObject({
      missing: 0,
      hierarchy: { root: 'default/job', waiting: [{ group: 'default/other', missing: 1 }] },
    })
    expect(answer.startsInMs).toBeUndefined()
  })

  it('counts the pods that do not exist yet', () => {
    const world = new GangWorld(['n0'])
    world.pod('train-0', member)
    expect(world.explain(3, 1000)).toMatchObject({ missing: 2, minCount: 3 })
  })
})
