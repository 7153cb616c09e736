import { describe, expect, it } from 'vitest'
import type { Node, NodeCondition, Taint } from '../../api/objects/node.ts'
import {
  applyTaintChange,
  conditionTaints,
  decideLabels,
  decideNoScheduleTaints,
  noExecuteFor,
} from './decide-taints.ts'

const now = Date.parse('2026-01-01T00:00:10Z')
const node = (conditions: readonly NodeCondition[], taints: readonly Taint[] = [], unschedulable?: boolean): Node => ({
  metadata: { name: 'a1' },
  spec: { taints, ...(unschedulable === undefined ? {} : { unschedulable }) },
  status: { conditions },
})
const noSchedule = (key: string): Taint => ({ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule' })

describe('NoSchedule taints follow conditions', () => {
  const statuses = ['True', 'False', 'Unknown'] as const
  const rows = Object.keys(conditionTaints).flatMap((type) => statuses.map((status) => [type, status] as const))
  it.each(rows)('NoSchedule taints follow the condition %s %s', (type, status) => {
    const key = conditionTaints[type]?.[status]
    const expected = key === undefined ? undefined : { add: [{ key, effect: 'NoSchedule' }], remove: [] }
    expect(decideNoScheduleTaints(node([{ type, status }]))).toEqual(expected)
  })

  it.each([
    ['a condition without a taint', node([{ type: 'ReadonlyFilesystem', status: 'True' }]), undefined],
    ['cordoned', node([], [], true), { add: [noSchedule('unschedulable')], remove: [] }],
    ['uncordoned', node([], [noSchedule('unschedulable')]), { add: [], remove: [noSchedule('unschedulable')] }],
    ['a taint that already exists', node([{ type: 'Ready', status: 'False' }], [noSchedule('not-ready')]), undefined],
    [
      'a condition with another status',
      node([{ type: 'Ready', status: 'Unknown' }], [noSchedule('not-ready')]),
      { add: [noSchedule('unreachable')], remove: [noSchedule('not-ready')] },
    ],
    ['a taint of another controller', node([], [{ key: 'mine', effect: 'NoSchedule' }]), undefined],
    ['the same key with another effect', node([], [{ ...noSchedule('not-ready'), effect: 'NoExecute' }]), undefined],
  ])('NoSchedule taints follow conditions: %s', (_, found, expected) => {
    expect(decideNoScheduleTaints(found)).toEqual(expected)
  })
})

describe('applyTaintChange', () => {
  const swap = noExecuteFor('Unknown') as { add: Taint; remove: Taint }
  const change = { add: [swap.add], remove: [swap.remove] }
  const old = { ...swap.add, timeAdded: '2025-12-31T00:00:00Z' }

  it('sets timeAdded on added taints and removes replaced ones', () => {
    const other: Taint = { key: 'mine', effect: 'NoExecute' }
    expect(applyTaintChange([other, swap.remove], change, now, { keepTimes: false })).toEqual([
      other,
      { ...swap.add, timeAdded: '2026-01-01T00:00:10Z' },
    ])
  })

  it('sets a new timeAdded on an existing taint, unless times are kept', () => {
    expect(applyTaintChange([old], change, now, { keepTimes: false })[0]?.timeAdded).toBe('2026-01-01T00:00:10Z')
    const kept = [old]
    expect(applyTaintChange(kept, change, now, { keepTimes: true })).toBe(kept)
  })

  it('a ready node has no NoExecute taint', () => {
    expect(noExecuteFor('True')).toBeUndefined()
  })
})

describe('labels', () => {
  const labeled = (labels?: Record<string, string>): Node => ({ metadata: { name: 'a1', ...(labels && { labels }) } })
  it.each([
    ['a node without labels', undefined, undefined],
    ['no label to copy', { 'beta.kubernetes.io/os': 'linux' }, undefined],
    ['missing', { 'kubernetes.io/os': 'linux' }, { 'beta.kubernetes.io/os': 'linux' }],
    [
      'different',
      { 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'x' },
      { 'beta.kubernetes.io/arch': 'arm64' },
    ],
    ['equal labels', { 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'arm64' }, undefined],
  ])('deprecated labels follow the current labels: %s', (_, labels, expected) => {
    expect(decideLabels(labeled(labels))).toEqual(expected)
  })
})
