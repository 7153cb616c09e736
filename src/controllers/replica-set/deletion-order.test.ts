import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import { formatTime } from '../../api/time.ts'
import { deletionCost, podsToDelete } from './deletion-order.ts'

const now = Date.parse('2026-01-01T12:00:00Z')

interface Shape {
  readonly node?: string
  readonly phase?: 'Pending' | 'Running' | 'Unknown'
  readonly readySecondsAgo?: number
  readonly cost?: string
  readonly restarts?: number
  readonly sidecarRestarts?: number
  readonly ageSeconds?: number
  readonly uid?: string
}

function pod(name: string, shape: Shape): Pod {
  const { node = 'n', phase = 'Running', readySecondsAgo, cost, restarts = 0, sidecarRestarts, ageSeconds } = shape
  return {
    metadata: {
      name,
      namespace: 'x',
      uid: shape.uid ?? name,
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
      ...(ageSeconds === undefined ? {} : { creationTimestamp: formatTime(now - ageSeconds * 1000) }),
    },
    spec: {
      containers: [],
      ...(node === '' ? {} : { nodeName: node }),
      initContainers: [{ name: 'sidecar', restartPolicy: 'Always' }, { name: 'init' }],
    },
    status: {
      phase,
      containerStatuses: [{ name: 'c', ready: true, restartCount: restarts, image: '', imageID: '' }],
      initContainerStatuses: [
        { name: 'sidecar', ready: true, restartCount: sidecarRestarts ?? 0, image: '', imageID: '' },
        { name: 'init', ready: true, restartCount: 99, image: '', imageID: '' },
      ],
      conditions:
        readySecondsAgo === undefined
          ? []
          : [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(now - readySecondsAgo * 1000) }],
    },
  }
}

interface Case {
  readonly name: string
  readonly first: Shape
  readonly last: Shape
}

const cases: readonly Case[] = [
  {
    name: 'unassigned before assigned, even with a high deletion cost',
    first: { node: '', cost: '9' },
    last: { phase: 'Pending' },
  },
  { name: 'pending before unknown', first: { phase: 'Pending', cost: '9' }, last: { phase: 'Unknown' } },
  { name: 'unknown before running', first: { phase: 'Unknown', cost: '9' }, last: { phase: 'Running' } },
  { name: 'not ready before ready', first: { cost: '9' }, last: { readySecondsAgo: 1 } },
  { name: 'low before high deletion cost', first: { cost: '-3', ageSeconds: 9000 }, last: { ageSeconds: 1 } },
  {
    name: 'on a node with more related pods before a node with fewer',
    first: { node: 'full', ageSeconds: 9000 },
    last: { ageSeconds: 1 },
  },
  { name: 'ready for a short time before a long one', first: { readySecondsAgo: 10 }, last: { readySecondsAgo: 100 } },
  {
    name: 'by uid if ready times are within a power of two',
    first: { readySecondsAgo: 1050, uid: 'a' },
    last: { readySecondsAgo: 1000, uid: 'b' },
  },
  {
    name: 'more restarts before fewer',
    first: { restarts: 2, ageSeconds: 9000 },
    last: { restarts: 1, ageSeconds: 1 },
  },
  {
    name: 'more restarts of sidecars before fewer',
    first: { sidecarRestarts: 2, ageSeconds: 9000 },
    last: { ageSeconds: 1 },
  },
  { name: 'young before old', first: { ageSeconds: 10 }, last: { ageSeconds: 100 } },
  { name: 'an unknown age before a known age', first: {}, last: { ageSeconds: 0 } },
  {
    name: 'by uid if ages are within a power of two',
    first: { ageSeconds: 1050, uid: 'a' },
    last: { ageSeconds: 1000, uid: 'b' },
  },
]

describe('pods to delete', () => {
  const neighbors = [pod('x', { node: 'full' }), pod('y', { node: 'full' }), pod('z', { node: 'n' })]

  it.each(cases)('deletes pods in order: $name', ({ first, last }) => {
    const [a, b] = [pod('first', first), pod('last', last)]
    for (const pods of [
      [a, b],
      [b, a],
    ]) {
      expect(podsToDelete(pods, neighbors, 1, now).map(({ metadata }) => metadata.name)).toEqual(['first'])
    }
  })

  it('deletes all pods in any order if no pod may stay', () => {
    const pods = [pod('a', {}), pod('b', { node: '' })]
    expect(podsToDelete(pods, [], 2, now)).toEqual(pods)
  })

  it.each([
    ['5', 5],
    ['-007', -7],
    ['+5', 0],
    ['05', 0],
    ['5.5', 0],
    ['2147483648', 0],
    ['-2147483648', -(2 ** 31)],
    ['', 0],
  ])('reads a deletion cost of %j as %d', (text, cost) => {
    expect(deletionCost(pod('a', { cost: text }))).toBe(cost)
  })
})
