import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import type { StatusWish } from './pod-status-patch.ts'
import { podStatusPatch } from './pod-status-patch.ts'

const now = Date.parse('2026-01-01T00:00:10Z')

const pod: Pod = {
  metadata: { name: 'p', namespace: 'ns', generation: 3 },
  spec: { containers: [] },
  status: {
    nominatedNodeName: 'n1',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: 'no room',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration: 1,
      },
    ],
  },
}

const noRoom = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' } as const

function statusOf(wish: StatusWish, of: Pod = pod): unknown {
  const call = podStatusPatch(of, wish, now)
  return call?.patch.kind === 'strategic' ? call.patch.patch['status'] : undefined
}

describe('a patch of the status', () => {
  it('is not made when nothing changes, though the pod has moved on by a generation', () => {
    expect(podStatusPatch(pod, { condition: noRoom, nominating: { kind: 'keep' } }, now)).toBeUndefined()
  })

  it('carries a changed message with the old time of transition and the new generation', () => {
    expect(statusOf({ condition: { ...noRoom, message: 'still no room' } })).toEqual({
      conditions: [
        {
          ...noRoom,
          message: 'still no room',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          observedGeneration: 3,
        },
      ],
    })
  })

  it('carries the time when the status changes', () => {
    expect(statusOf({ condition: { ...noRoom, status: 'True' } })).toMatchObject({
      conditions: [{ status: 'True', lastTransitionTime: '2026-01-01T00:00:10Z' }],
    })
  })

  it('adds a first condition to a pod without a status', () => {
    const fresh: Pod = { metadata: { name: 'p', namespace: 'ns' }, spec: { containers: [] } }
    expect(statusOf({ condition: noRoom }, fresh)).toEqual({
      conditions: [{ ...noRoom, lastTransitionTime: '2026-01-01T00:00:10Z' }],
    })
  })

  it.each([
    ['sets another node', { kind: 'set', node: 'n2' }, { nominatedNodeName: 'n2' }],
    ['leaves the same node alone', { kind: 'set', node: 'n1' }, undefined],
    ['takes the node away', { kind: 'clear' }, { nominatedNodeName: null }],
    ['keeps it', { kind: 'keep' }, undefined],
  ] as const)('%s', (_, nominating, status) => {
    expect(statusOf({ nominating })).toEqual(status)
  })

  it('goes to the status of the pod in its namespace', () => {
    expect(podStatusPatch(pod, { nominating: { kind: 'clear' } }, now)).toMatchObject({
      verb: 'patch',
      resource: 'pods',
      namespace: 'ns',
      name: 'p',
      subresource: 'status',
    })
  })
})
