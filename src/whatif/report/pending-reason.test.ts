import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import { pendingReason, pendingReasons } from './pending-reason.ts'

describe('pendingReason', () => {
  it.each([
    [
      '0/5 nodes are available: 2 node(s) had untolerated taint(s), 3 Insufficient cpu. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.',
      'Insufficient cpu, untolerated taint(s)',
    ],
    ['0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.', 'Insufficient cpu, unschedulable'],
    [
      "0/9 nodes are available: 5 node(s) didn't match Pod's node affinity/selector, 1 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint(s).",
      "Insufficient nvidia.com/gpu, didn't match Pod's node affinity/selector, untolerated taint(s)",
    ],
    [
      "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. preemption: no",
      "didn't match Pod's node affinity/selector",
    ],
    ['no scheduling attempt yet', 'no scheduling attempt yet'],
    [
      '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
      'pod has unbound immediate PersistentVolumeClaims. not found',
    ],
    ['', ''],
  ])('pendingReason shortens %j to %j', (message, reason) => {
    expect(pendingReason(message)).toBe(reason)
  })
})

describe('pendingReasons', () => {
  const pod = (uid: string, message: string | undefined, group?: string): Pod => ({
    metadata: { name: uid, namespace: 'default', uid },
    spec: { containers: [], ...(group === undefined ? {} : { schedulingGroup: { podGroupName: group } }) },
    status: {
      conditions:
        message === undefined ? [] : [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  })
  const counting = 'pod group is unschedulable, minCount (2) cannot be satisfied: 1 scheduled, 0 remaining'

  it('pendingReasons gives all pods of a group the reason of the pod without a node', () => {
    const taken = '0/2 nodes are available: 2 cannot allocate all claims.'
    const pods = [pod('a', counting, 'train'), pod('b', taken, 'train'), pod('c', taken), pod('d', counting, 'other')]
    expect([...pendingReasons(pods)]).toEqual([
      ['a', 'pod group train: cannot allocate all claims'],
      ['b', 'pod group train: cannot allocate all claims'],
      ['c', 'cannot allocate all claims'],
      ['d', counting],
    ])
  })

  it('pendingReasons keeps the reasons of pods of a group that are rejected individually', () => {
    const pods = [pod('a', '0/1 nodes are available: 1 Insufficient cpu.', 'train'), pod('b', undefined, 'train')]
    expect([...pendingReasons(pods).values()]).toEqual(['Insufficient cpu', 'no scheduling attempt yet'])
  })
})
