import { describe, expect, it } from 'vitest'
import type { Taint } from './objects/node.ts'
import type { Toleration } from './objects/pod.ts'
import {
  findUntoleratedTaint,
  getMatchingTolerations,
  type ToleratedFor,
  toleratedFor,
  tolerates,
} from './tolerations.ts'

const taint = (key: string, effect: Taint['effect'] = 'NoExecute', value?: string): Taint => ({
  key,
  effect,
  ...(value === undefined ? {} : { value }),
})
const exists = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})

describe('tolerates', () => {
  it('counts Gt and Lt only where they are enabled', () => {
    const toleration: Toleration = { key: 'sla', operator: 'Gt', value: '950' }
    const offered = taint('sla', 'NoSchedule', '990')
    expect(tolerates(toleration, offered)).toBe(false)
    expect(tolerates(toleration, offered, { comparisonOperators: true })).toBe(true)
  })
})

describe('findUntoleratedTaint', () => {
  const taints = [taint('soft', 'PreferNoSchedule'), taint('a', 'NoSchedule'), taint('b', 'NoExecute')]

  it.each<[string, readonly Toleration[] | undefined, string | undefined]>([
    ['without tolerations the first that counts', undefined, 'a'],
    ['with one of two tolerated the other', [exists('a')], 'b'],
    ['with an empty key all keys are tolerated', [{ operator: 'Exists' }], undefined],
  ])('%s', (_, tolerations, key) => {
    expect(findUntoleratedTaint(taints, tolerations, ['NoSchedule', 'NoExecute'])?.key).toBe(key)
  })

  it('looks only at the effects asked for', () => {
    expect(findUntoleratedTaint(taints, undefined, ['PreferNoSchedule'])?.key).toBe('soft')
    expect(findUntoleratedTaint(undefined, undefined, ['NoSchedule'])).toBeUndefined()
  })
})

describe('getMatchingTolerations', () => {
  it('takes the first that covers each taint', () => {
    const [first, second] = [exists('a', 5), exists('a', 1)]
    expect(getMatchingTolerations([taint('a')], [first, second])).toEqual([first])
    expect(getMatchingTolerations([taint('a'), taint('b')], [first])).toBeUndefined()
  })
})

describe('toleratedFor', () => {
  it.each<[string, readonly Taint[] | undefined, readonly Toleration[] | undefined, ToleratedFor]>([
    ['no taints', undefined, undefined, 'forever'],
    ['taints that do not evict', [taint('a', 'NoSchedule')], [], 'forever'],
    ['a taint without a toleration', [taint('a')], [], 'never'],
    ['one taint of two tolerated', [taint('a'), taint('b')], [exists('a')], 'never'],
    ['tolerated without a time', [taint('a')], [exists('a')], 'forever'],
    ['tolerated for a time', [taint('a')], [exists('a', 300)], { ms: 300_000 }],
    ['the shortest time counts', [taint('a'), taint('b')], [exists('a', 300), exists('b', 60)], { ms: 60_000 }],
    ['a time beside no limit', [taint('a'), taint('b')], [exists('a'), exists('b', 60)], { ms: 60_000 }],
    ['an unused toleration does not count', [taint('a')], [exists('a', 300), exists('z', 1)], { ms: 300_000 }],
    ['only the first matching toleration counts', [taint('a')], [exists('a', 300), exists('a', 1)], { ms: 300_000 }],
    ['a negative time is none', [taint('a')], [exists('a', -5)], { ms: 0 }],
    ['a time beyond what a countdown can hold', [taint('a')], [exists('a', 1e15)], 'forever'],
  ])('%s', (_, taints, tolerations, answer) => {
    expect(toleratedFor(taints, tolerations)).toEqual(answer)
  })
})
