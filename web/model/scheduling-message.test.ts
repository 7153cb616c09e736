import { expect, it } from 'vitest'
import { essence } from './scheduling-message.ts'

it('a scheduling message starts with shortages and ends with the nodes that are not intended for the pod', () => {
  const message =
    "0/300 nodes are available: 102 node(s) had untolerated taint(s), 136 node(s) didn't match Pod's node affinity/selector, " +
    '2 node(s) were unschedulable, 60 Insufficient cpu, 7 Insufficient memory. preemption: 0/300 nodes are available'
  expect(essence(message)).toBe(
    "60 Insufficient cpu, 7 Insufficient memory, 102 node(s) had untolerated taint(s), 136 node(s) didn't match Pod's node " +
      'affinity/selector, 2 node(s) were unschedulable',
  )
  expect(essence('pod has unbound PersistentVolumeClaims, wait')).toBe('pod has unbound PersistentVolumeClaims, wait')
})
