import { describe, expect, it } from 'vitest'
import type { AttentionItem } from '../../wire/console-tables.ts'
import { AttentionAges } from './attention-ages.ts'

const item = (id: string, sinceMs = 0): AttentionItem => ({
  ...{ id, sinceMs, tone: 'warn', object: 'gpu', problem: 'at its limit', wayOut: 'raise it', path: '/nodes' },
})
const times = (items: readonly AttentionItem[]) => items.map(({ sinceMs }) => sinceMs)

describe('the ages of what needs attention', () => {
  it('has the time at which an item appears, while it is called regularly', () => {
    const ages = new AttentionAges()
    expect(times(ages.dated([item('old')], 1_000))).toEqual([0])
    expect(times(ages.dated([item('old'), item('new')], 3_000))).toEqual([0, 3_000])
    expect(times(ages.dated([item('new'), item('old')], 5_000))).toEqual([3_000, 0])
  })

  it('counts a returning item from its return, and leaves the age open after a pause', () => {
    const ages = new AttentionAges()
    ages.dated([], 0)
    ages.dated([item('a')], 1_000)
    ages.dated([], 2_000)
    expect(times(ages.dated([item('a')], 3_000))).toEqual([3_000])
    expect(times(ages.dated([item('a'), item('b')], 600_000))).toEqual([3_000, 0])
  })

  it('prefers the time of the item itself', () => {
    const ages = new AttentionAges()
    ages.dated([], 0)
    expect(times(ages.dated([item('a', 7)], 1_000))).toEqual([7])
  })
})
