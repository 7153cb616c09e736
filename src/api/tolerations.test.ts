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
  it('uses the operators Gt and Lt only if they are enabled', () => {
    const toleration: Toleration = { key: 'sla', operator: 'Gt', value: '950' }
    const offered = taint('sla', 'NoSchedule', '990')
    expect(tolerates(toleration, offered)).toBe(false)
    expect(tolerates(toleration, offered, { comparisonOperators: true })).toBe(true)
  })
})

describe('findUntoleratedTaint', () => {
  const taints = [taint('soft', 'PreferNoSchedule'), taint('a', 'NoSchedule'), taint('b', 'NoExecute')]

  it.each<[string, readonly Toleration[] | undefined, string | undefined]>([
    ['without tolerations, the first taint with such an effect', undefined, 'a'],
    ['with a toleration for one of two taints, the other taint', [exists('a')], 'b'],
    ['with an empty key, which tolerates all taints, no taint', [{ operator: 'Exists' }], undefined],
  ])('findUntoleratedTaint finds %s', (_, tolerations, key) => {
    expect(findUntoleratedTaint(taints, tolerations, ['NoSchedule', 'NoExecute'])?.key).toBe(key)
  })

  it('findUntoleratedTaint checks the requested effects only', () => {
    expect(findUntoleratedTaint(taints, undefined, ['PreferNoSchedule'])?.key).toBe('soft')
    expect(findUntoleratedTaint(undefined, undefined, ['NoSchedule'])).toBeUndefined()
  })
})

describe('getMatchingTolerations', () => {
  it('getMatchingTolerations returns the first toleration for each taint', () => {
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
    ['a toleration for one of two taints', [taint('a'), taint('b')], [exists('a')], 'never'],
    ['a toleration without a time', [taint('a')], [exists('a')], 'forever'],
    ['a toleration with a time', [taint('a')], [exists('a', 300)], { ms: 300_000 }],
    [
      'two times, of which the shorter one counts',
      [taint('a'), taint('b')],
      [exists('a', 300), exists('b', 60)],
      { ms: 60_000 },
    ],
    [
      'a toleration with a time, and one without',
      [taint('a'), taint('b')],
      [exists('a'), exists('b', 60)],
      { ms: 60_000 },
    ],
    ['an unused toleration, which does not count', [taint('a')], [exists('a', 300), exists('z', 1)], { ms: 300_000 }],
    [
      'several matching tolerations, of which only the first counts',
      [taint('a')],
      [exists('a', 300), exists('a', 1)],
      { ms: 300_000 },
    ],
    ['a negative time, which counts as zero', [taint('a')], [exists('a', -5)], { ms: 0 }],
    ['a time beyond the range of a countdown', [taint('a')], [exists('a', 1e15)], 'forever'],
  ])('toleratedFor computes the time for %s', (_, taints, tolerations, answer) => {
    expect(toleratedFor(taints, tolerations)).toEqual(answer)
  })
})
