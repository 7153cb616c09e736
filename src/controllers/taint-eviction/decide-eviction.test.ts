import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Taint } from '../../api/objects/node.ts'
import type { Toleration } from '../../api/objects/pod.ts'
import { type Countdown, causeText, decideEviction, type EvictionRules, noExecuteTaints } from './decide-eviction.ts'

const testNow = Date.parse('2024-05-01T00:01:00Z')
const taint = (key: string, more: Partial<Taint> = {}): Taint => ({ key, effect: 'NoExecute', ...more })
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})

function started(taints: readonly Taint[], tolerations: readonly Toleration[], at: number): Countdown {
  const verdict = decideEviction({ taints, tolerations, now: at })
  if (verdict.kind !== 'count-down') throw new Error(`expected a countdown, got ${verdict.kind}`)
  return verdict.countdown
}

/** The verdict as a short text: a countdown as its seconds from now. */
function word(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  { running, boundAt, ...more }: { running?: Countdown; rules?: EvictionRules; boundAt?: number; wall?: number } = {},
): string {
  const verdict = decideEviction({ taints, tolerations, running, boundAt, now: testNow, ...more })
  return verdict.kind === 'count-down' ? `in ${(verdict.countdown.fireAt - testNow) / 1000}s` : verdict.kind
}

describe('decideEviction', () => {
  const a = taint('a')
  const b = taint('b')
  it.each([
    ['cancels a running countdown when no taint is left', [], [], 'cancel'],
    ['evicts without a toleration', [a], [], 'evict'],
    ['evicts if one of two taints is not tolerated', [a, b], [tolerate('a')], 'evict'],
    ['cancels if the toleration has no seconds', [a], [tolerate('a')], 'cancel'],
    ['counts down the seconds of a toleration', [a], [tolerate('a', 30)], 'in 30s'],
    ['evicts immediately after zero seconds', [a], [tolerate('a', 0)], 'in 0s'],
    ['evicts immediately after negative seconds', [a], [tolerate('a', -5)], 'in 0s'],
    ['counts down the lowest seconds of the used tolerations', [a, b], [tolerate('a', 30), tolerate('b', 7)], 'in 7s'],
    ['counts down the only limited toleration of two taints', [a, b], [tolerate('a'), tolerate('b', 7)], 'in 7s'],
    ['ignores the seconds of a toleration that matches no taint', [a], [tolerate('a', 30), tolerate('b', 7)], 'in 30s'],
    ['uses the first of two tolerations that match a taint', [a], [tolerate('a', 30), tolerate('a', 7)], 'in 30s'],
    ['tolerates every taint with an empty key and Exists', [a, b], [{ operator: 'Exists' as const }], 'cancel'],
    ['treats centuries as forever', [a], [tolerate('a', 9_300_000_000)], 'cancel'],
  ])('decideEviction %s', (_, taints, tolerations, expected) => {
    expect(word(taints, tolerations)).toBe(expected)
  })

  it('reports the taint and the toleration that decide', () => {
    const verdict = decideEviction({
      taints: [a, taint('b', { value: 'x' })],
      tolerations: [tolerate('a', 30), tolerate('b', 7)],
      now: testNow,
    })
    expect(verdict.kind === 'count-down' && causeText(verdict.countdown.cause)).toBe(
      'taint b=x:NoExecute is tolerated for 7s',
    )
    const now = decideEviction({ taints: [a, b], tolerations: [tolerate('a')], now: testNow })
    expect(now.kind === 'evict' && causeText(now.cause)).toBe('no toleration for taint b:NoExecute')
  })

  it('considers only NoExecute taints', () => {
    expect(noExecuteTaints([a, { key: 'c', effect: 'NoSchedule' }])).toEqual([a])
    expect(noExecuteTaints(undefined)).toEqual([])
  })
})

describe('decideEviction with a running countdown', () => {
  const a = taint('a')
  const b = taint('b')
  const running = started([a], [tolerate('a', 60)], testNow - 20_000)
  const followEdits = { followEdits: true }

  it.each([
    ['shortened', [a], [tolerate('a', 30)], 'leave', 'in 10s'],
    ['shortened to an instant in the past', [a], [tolerate('a', 5)], 'leave', 'in -15s'],
    ['shortened to zero', [a], [tolerate('a', 0)], 'leave', 'in -20s'],
    ['lengthened', [a], [tolerate('a', 300)], 'leave', 'in 280s'],
    ['unchanged', [a], [tolerate('a', 60)], 'leave', 'leave'],
    ['tolerated forever', [a], [tolerate('a')], 'cancel', 'cancel'],
    ['no longer tolerated', [a], [], 'evict', 'evict'],
    ['the taint is removed', [], [tolerate('a', 60)], 'cancel', 'cancel'],
    ['a second taint, tolerated for less time', [a, b], [tolerate('a', 60), tolerate('b', 3)], 'leave', 'in 3s'],
    ['a second taint, tolerated for more time', [a, b], [tolerate('a', 60), tolerate('b', 90)], 'leave', 'leave'],
    ['a second taint, not tolerated', [a, b], [tolerate('a', 60)], 'evict', 'evict'],
  ])('decideEviction with a running countdown: %s', (_, taints, tolerations, upstream, followed) => {
    expect(word(taints, tolerations, { running })).toBe(upstream)
    expect(word(taints, tolerations, { running, rules: followEdits })).toBe(followed)
  })
})

describe('decideEviction with timeAdded', () => {
  const aged = taint('a', { timeAdded: '2024-05-01T00:00:40Z' })
  const rules = { countFromTaint: true }

  it.each([
    ['counts from the taint', aged, undefined, 'in 40s'],
    ['counts from the binding of the pod if it is later', aged, testNow - 5_000, 'in 55s'],
    ['counts from now for a taint without a time', taint('a'), undefined, 'in 60s'],
    [
      'counts from now for a taint from the future',
      taint('a', { timeAdded: '2024-05-01T09:00:00Z' }),
      undefined,
      'in 60s',
    ],
    ['counts from now for an invalid time', taint('a', { timeAdded: 'yesterday' }), undefined, 'in 60s'],
  ])('decideEviction with timeAdded %s', (_, known, boundAt, expected) => {
    const more = boundAt === undefined ? {} : { boundAt }
    expect(word([known], [tolerate('a', 60)], { rules, ...more })).toBe(expected)
    expect(word([known], [tolerate('a', 60)], more)).toBe('in 60s')
  })

  it('compares timeAdded with wall time, and counts down in monotonic time', () => {
    const wall = testNow - 3_600_000
    const anHourOff = taint('a', { timeAdded: '2024-04-30T23:00:40Z' })
    expect(word([anHourOff], [tolerate('a', 60)], { rules, wall })).toBe('in 40s')
    expect(word([anHourOff], [tolerate('a', 60)], { rules, wall, boundAt: wall - 5_000 })).toBe('in 55s')
  })

  it('counts each taint from its own timeAdded', () => {
    const young = taint('b', { timeAdded: '2024-05-01T00:00:55Z' })
    expect(word([aged, young], [tolerate('a', 60), tolerate('b', 30)], { rules })).toBe('in 25s')
  })
})

describe('decideEviction compared with upstream', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const taints = fc.uniqueArray(key, { maxLength: 3 }).map((keys) => keys.map((k) => taint(k)))
  const toleration = fc.record({ key, seconds: fc.option(fc.integer({ min: -2, max: 40 }), { nil: undefined }) })
  const tolerations = fc.array(toleration, { maxLength: 4 }).map((list) => list.map((t) => tolerate(t.key, t.seconds)))

  it('decideEviction agrees with a direct translation of processPodOnNode', () => {
    fc.assert(
      fc.property(taints, tolerations, (onNode, ofPod) => {
        const used = onNode.map((t) => ofPod.find((candidate) => candidate.key === t.key))
        let expected: string
        if (onNode.length === 0) expected = 'cancel'
        else if (used.includes(undefined)) expected = 'evict'
        else {
          const seconds = used.flatMap((t) => (t?.tolerationSeconds === undefined ? [] : [t.tolerationSeconds]))
          expected = seconds.length === 0 ? 'cancel' : `in ${Math.max(0, Math.min(...seconds))}s`
        }
        expect(word(onNode, ofPod)).toBe(expected)
      }),
    )
  })

  it('decideEviction never changes a countdown without the fix', () => {
    fc.assert(
      fc.property(taints, tolerations, (onNode, ofPod) => {
        const running = started([taint('z')], [tolerate('z', 100)], testNow - 1000)
        const verdict = decideEviction({ taints: onNode, tolerations: ofPod, running, now: testNow })
        expect(verdict.kind).not.toBe('count-down')
      }),
    )
  })
})
