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

/** The verdict in a word: a countdown by its seconds from now. */
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
    ['no taint is left: what runs is canceled', [], [], 'cancel'],
    ['no toleration at all', [a], [], 'evict'],
    ['one of two taints is not tolerated', [a, b], [tolerate('a')], 'evict'],
    ['tolerated without seconds', [a], [tolerate('a')], 'cancel'],
    ['tolerated for a time', [a], [tolerate('a', 30)], 'in 30s'],
    ['zero seconds are now', [a], [tolerate('a', 0)], 'in 0s'],
    ['negative seconds are now', [a], [tolerate('a', -5)], 'in 0s'],
    ['the shortest of the tolerations in use counts', [a, b], [tolerate('a', 30), tolerate('b', 7)], 'in 7s'],
    ['one taint for ever, the other for a time', [a, b], [tolerate('a'), tolerate('b', 7)], 'in 7s'],
    ['a toleration that is not in use does not count', [a], [tolerate('a', 30), tolerate('b', 7)], 'in 30s'],
    ['of two that cover a taint the first is in use', [a], [tolerate('a', 30), tolerate('a', 7)], 'in 30s'],
    ['an empty key with Exists covers everything', [a, b], [{ operator: 'Exists' as const }], 'cancel'],
    ['centuries are for ever', [a], [tolerate('a', 9_300_000_000)], 'cancel'],
  ])('%s', (_, taints, tolerations, expected) => {
    expect(word(taints, tolerations)).toBe(expected)
  })

  it('reports the taint and toleration that decide', () => {
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
    ['shortened to an instant that has passed', [a], [tolerate('a', 5)], 'leave', 'in -15s'],
    ['shortened to nothing', [a], [tolerate('a', 0)], 'leave', 'in -20s'],
    ['lengthened', [a], [tolerate('a', 300)], 'leave', 'in 280s'],
    ['unchanged', [a], [tolerate('a', 60)], 'leave', 'leave'],
    ['tolerated for ever', [a], [tolerate('a')], 'cancel', 'cancel'],
    ['no longer tolerated', [a], [], 'evict', 'evict'],
    ['the taint is gone', [], [tolerate('a', 60)], 'cancel', 'cancel'],
    ['a second taint for a shorter time', [a, b], [tolerate('a', 60), tolerate('b', 3)], 'leave', 'in 3s'],
    ['a second taint for a longer time', [a, b], [tolerate('a', 60), tolerate('b', 90)], 'leave', 'leave'],
    ['a second taint that is not tolerated', [a, b], [tolerate('a', 60)], 'evict', 'evict'],
  ])('%s', (_, taints, tolerations, upstream, followed) => {
    expect(word(taints, tolerations, { running })).toBe(upstream)
    expect(word(taints, tolerations, { running, rules: followEdits })).toBe(followed)
  })
})

describe('decideEviction with timeAdded', () => {
  const aged = taint('a', { timeAdded: '2024-05-01T00:00:40Z' })
  const rules = { countFromTaint: true }

  it.each([
    ['counted from the taint', aged, undefined, 'in 40s'],
    ['not from before the pod came', aged, testNow - 5_000, 'in 55s'],
    ['a taint without a time counts from now', taint('a'), undefined, 'in 60s'],
    ['a taint from the future counts from now', taint('a', { timeAdded: '2024-05-01T09:00:00Z' }), undefined, 'in 60s'],
    ['a time that is none counts from now', taint('a', { timeAdded: 'yesterday' }), undefined, 'in 60s'],
  ])('%s', (_, known, boundAt, expected) => {
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

describe('compared with upstream', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const taints = fc.uniqueArray(key, { maxLength: 3 }).map((keys) => keys.map((k) => taint(k)))
  const toleration = fc.record({ key, seconds: fc.option(fc.integer({ min: -2, max: 40 }), { nil: undefined }) })
  const tolerations = fc.array(toleration, { maxLength: 4 }).map((list) => list.map((t) => tolerate(t.key, t.seconds)))

  it('agrees with a direct translation of processPodOnNode', () => {
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

  it('never moves a countdown without the fix', () => {
    fc.assert(
      fc.property(taints, tolerations, (onNode, ofPod) => {
        const running = started([taint('z')], [tolerate('z', 100)], testNow - 1000)
        const verdict = decideEviction({ taints: onNode, tolerations: ofPod, running, now: testNow })
        expect(verdict.kind).not.toBe('count-down')
      }),
    )
  })
})
