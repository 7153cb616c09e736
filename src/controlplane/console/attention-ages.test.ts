import { describe, expect, it } from 'vitest'
import type { AttentionItem } from '../../wire/console-tables.ts'
import { AttentionAges } from './attention-ages.ts'

const item = (id: string, sinceMs = 0): AttentionItem => ({
  ...{ id, sinceMs, tone: 'warn', object: 'gpu', problem: 'at its limit', wayOut: 'raise it', path: '/nodes' },
})
const times = (items: readonly AttentionItem[]) => items.map(({ sinceMs }) => sinceMs)

describe('the ages of what needs attention', () => {
  it('an item has the time at which it appeared, if ages are computed regularly', () => {
    const ages = new AttentionAges()
    expect(times(ages.dated([item('old')], 1_000))).toEqual([0])
    expect(times(ages.dated([item('old'), item('new')], 3_000))).toEqual([0, 3_000])
    expect(times(ages.dated([item('new'), item('old')], 5_000))).toEqual([3_000, 0])
  })

  it('a returning item has the time of its return, and no time after a pause', () => {
    const ages = new AttentionAges()
    ages.dated([], 0)
    ages.dated([item('a')], 1_000)
    ages.dated([], 2_000)
    expect(times(ages.dated([item('a')], 3_000))).toEqual([3_000])
    expect(times(ages.dated([item('a'), item('b')], 600_000))).toEqual([3_000, 0])
  })

  it('the time of the item itself takes precedence', () => {
    const ages = new AttentionAges()
    ages.dated([], 0)
    expect(times(ages.dated([item('a', 7)], 1_000))).toEqual([7])
  })
})
