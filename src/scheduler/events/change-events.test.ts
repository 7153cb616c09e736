import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { labelOf } from '../queue/cluster-event.ts'
import { eventOf, updateEvents } from './change-events.ts'

const { ofNode: nodeUpdateEvents, ofPod: podUpdateEvents } = updateEvents(defaultRelease)

const node: Node = {
  metadata: { name: 'n', labels: { zone: 'a' }, annotations: {} },
  spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] },
  status: {
    allocatable: { cpu: '1', memory: '1Gi' },
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: 'then' }],
    declaredFeatures: ['A'],
  },
}

describe('nodeUpdateEvents', () => {
  const cases: [string, Node, string[]][] = [
    [
      'has no events when only a heartbeat changed',
      withConditions([{ type: 'Ready', status: 'True', lastHeartbeatTime: 'now' }]),
      [],
    ],
    [
      'has no events when a quantity is only written differently',
      withStatus({ allocatable: { cpu: '1000m', memory: '1Gi' } }),
      [],
    ],
    ['has no events when the node is cordoned', { ...node, spec: { ...node.spec, unschedulable: true } }, []],
    [
      'of allocatable reports UpdateNodeAllocatable',
      withStatus({ allocatable: { cpu: '2', memory: '1Gi' } }),
      ['NodeUpdateNodeAllocatable'],
    ],
    [
      'of a label reports UpdateNodeLabel',
      { ...node, metadata: { ...node.metadata, labels: { zone: 'b' } } },
      ['NodeUpdateNodeLabel'],
    ],
    ['of a taint reports UpdateNodeTaint', { ...node, spec: {} }, ['NodeUpdateNodeTaint']],
    [
      'of the status of a condition reports UpdateNodeCondition',
      withConditions([{ type: 'Ready', status: 'False' }]),
      ['NodeUpdateNodeCondition'],
    ],
    [
      'that adds a condition reports UpdateNodeCondition',
      withConditions([...(node.status?.conditions ?? []), { type: 'X', status: 'True' }]),
      ['NodeUpdateNodeCondition'],
    ],
    [
      'of an annotation reports UpdateNodeAnnotation',
      { ...node, metadata: { ...node.metadata, annotations: { a: 'b' } } },
      ['NodeUpdateNodeAnnotation'],
    ],
    [
      'of declared features reports UpdateNodeDeclaredFeature',
      withStatus({ declaredFeatures: ['A', 'B'] }),
      ['NodeUpdateNodeDeclaredFeature'],
    ],
  ]
  it.each(cases)('an update of a node %s', (_, after, events) => {
    expect(nodeUpdateEvents(node, after).map(labelOf)).toEqual(events)
  })

  it('reports uncordoning as a taint update', () => {
    const cordoned: Node = { ...node, spec: { ...node.spec, unschedulable: true } }
    expect(nodeUpdateEvents(cordoned, node).map(labelOf)).toEqual(['NodeUpdateNodeTaint'])
  })

  function withStatus(status: Node['status']): Node {
    return { ...node, status: { ...node.status, ...status } }
  }
  function withConditions(conditions: NonNullable<Node['status']>['conditions'] & object): Node {
    return withStatus({ conditions })
  }
})

describe('podUpdateEvents', () => {
  const pod: Pod = {
    metadata: { name: 'p', labels: { app: 'a' }, resourceVersion: '1' },
    spec: {
      containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }],
      schedulingGates: [{ name: 'g' }, { name: 'h' }],
      tolerations: [],
    },
  }
  const spec = (change: Partial<Pod['spec']>): Pod => ({ ...pod, spec: { ...pod.spec, ...change } })
  const cases: [string, Pod, string[]][] = [
    ['of the status only reports a general update', { ...pod, status: { phase: 'Pending' } }, ['TargetPodUpdate']],
    ['of a label reports UpdatePodLabel', { ...pod, metadata: { name: 'p' } }, ['TargetPodUpdatePodLabel']],
    [
      'that lowers requests reports UpdatePodScaleDown',
      spec({ containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] }),
      ['TargetPodUpdatePodScaleDown'],
    ],
    [
      'that raises requests reports UpdatePodScaleUp',
      spec({ containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }] }),
      ['TargetPodUpdatePodScaleUp'],
    ],
    [
      'that removes the last scheduling gate reports UpdatePodSchedulingGatesEliminated',
      spec({ schedulingGates: [] }),
      ['TargetPodUpdatePodSchedulingGatesEliminated'],
    ],
    [
      'that removes one of two scheduling gates reports a general update',
      spec({ schedulingGates: [{ name: 'g' }] }),
      ['TargetPodUpdate'],
    ],
    [
      'that adds a toleration reports UpdatePodToleration',
      spec({ tolerations: [{ key: 'k' }] }),
      ['TargetPodUpdatePodToleration'],
    ],
    [
      'that is assigned reports events of an assigned pod',
      { ...spec({ nodeName: 'n', tolerations: [{ key: 'k' }] }), metadata: { name: 'p' } },
      ['AssignedPodUpdatePodLabel', 'AssignedPodUpdatePodToleration'],
    ],
  ]
  it.each(cases)('an update of a pod %s', (_, after, events) => {
    expect(podUpdateEvents(pod, after).map(labelOf)).toEqual(events)
  })
})

describe('eventOf', () => {
  it.each([
    ['persistentvolumes', {}, 'PersistentVolumeAdd'],
    ['storageclasses.storage.k8s.io', { before: {} }, 'storage.k8s.io/StorageClassUpdate'],
    ['volumeattachments.storage.k8s.io', { before: {}, gone: true }, 'storage.k8s.io/VolumeAttachmentDelete'],
  ])('a change of %s %j has its event', (resource, { before, gone }: { before?: object; gone?: boolean }, label) => {
    const event = eventOf(resource, { ...(before && { before }), ...(!gone && { after: {} }) })
    expect(event && labelOf(event)).toBe(label)
  })

  it('returns no event for resources that no plugin listens to', () => {
    expect(eventOf('configmaps', { after: {} })).toBeUndefined()
  })
})
