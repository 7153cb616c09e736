import { describe, expect, it } from 'vitest'
import { pendingReason } from './pending-reason.ts'

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
  ])('shortens %j to %j', (message, reason) => {
    expect(pendingReason(message)).toBe(reason)
  })
})
