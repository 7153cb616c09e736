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

describe('podStatusPatch', () => {
  it('returns no patch when only the generation changed', () => {
    expect(podStatusPatch(pod, { condition: noRoom, nominating: { kind: 'keep' } }, now)).toBeUndefined()
  })

  it('sends a changed message with the old transition time and the new generation', () => {
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

  it('sets the transition time when the status of the condition changes', () => {
    expect(statusOf({ condition: { ...noRoom, status: 'True' } })).toMatchObject({
      conditions: [{ status: 'True', lastTransitionTime: '2026-01-01T00:00:10Z' }],
    })
  })

  it('adds the first condition to a pod without a status', () => {
    const fresh: Pod = { metadata: { name: 'p', namespace: 'ns' }, spec: { containers: [] } }
    expect(statusOf({ condition: noRoom }, fresh)).toEqual({
      conditions: [{ ...noRoom, lastTransitionTime: '2026-01-01T00:00:10Z' }],
    })
  })

  it.each([
    ['sets a different nominated node', { kind: 'set', node: 'n2' }, { nominatedNodeName: 'n2' }],
    ['omits an unchanged nominated node', { kind: 'set', node: 'n1' }, undefined],
    ['clears the nominated node', { kind: 'clear' }, { nominatedNodeName: null }],
    ['keeps the nominated node', { kind: 'keep' }, undefined],
  ] as const)('podStatusPatch %s', (_, nominating, status) => {
    expect(statusOf({ nominating })).toEqual(status)
  })

  it('patches the status subresource of the pod in its namespace', () => {
    expect(podStatusPatch(pod, { nominating: { kind: 'clear' } }, now)).toMatchObject({
      verb: 'patch',
      resource: 'pods',
      namespace: 'ns',
      name: 'p',
      subresource: 'status',
    })
  })
})
