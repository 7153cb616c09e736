import { describe, expect, it } from 'vitest'
import { RequestGroups, RequestPacer, readRequestLimits } from './request-pacer.ts'

describe('pacing', () => {
  it('gives the burst at once and then a request every twentieth of a second', () => {
    const pacer = new RequestPacer({ perSecond: 20, burst: 3 })
    expect(Array.from({ length: 6 }, () => pacer.reserve(1_000))).toEqual([1_000, 1_000, 1_000, 1_050, 1_100, 1_150])
    expect(pacer.reserve(1_020)).toBe(1_200)
    expect(pacer.reserve(5_000)).toBe(5_000)
  })

  it('fills up to the burst and no further', () => {
    const pacer = new RequestPacer({ perSecond: 20, burst: 2 })
    pacer.reserve(0)
    expect([1, 2, 3].map(() => pacer.reserve(60_000))).toEqual([60_000, 60_000, 60_050])
  })

  it('without limits nobody waits', () => {
    const pacer = new RequestPacer(undefined)
    expect([1, 2, 3].map(() => pacer.reserve(7))).toEqual([7, 7, 7])
  })
})

it('sends those that wait in groups, where it is told to', () => {
  const pacer = new RequestPacer({ perSecond: 20, burst: 2, grouped: true })
  const instants = Array.from({ length: 10 }, () => pacer.reserve(1000))
  // Each at 1050, 1100, …, put off to the end of its tenth of a second.
  expect(instants).toEqual([1000, 1000, 1100, 1100, 1200, 1200, 1300, 1300, 1400, 1400])
})

it.each([
  [{ perSecond: 20, burst: 30 }, [100, 250, 500, 1000]],
  // What comes together in half a second is all that may be sent at once.
  [{ perSecond: 20, burst: 10 }, [100, 250, 250, 250]],
])('groups of %j grow with the time that requests have waited', (limits, expected) => {
  const groups = new RequestGroups(limits)
  const lengths = [1, 10_001, 60_001, 300_001].map((now) => groups.endOf(now, now) - (now - 1))
  expect(lengths).toEqual(expected)
  groups.rested()
  expect(groups.endOf(400_001, 400_001)).toBe(400_100)
})

describe('flags', () => {
  it.each([
    [{}, { perSecond: 20, burst: 30 }],
    [
      { 'kube-api-qps': '100', 'kube-api-burst': 200 },
      { perSecond: 100, burst: 200 },
    ],
    [{ 'kube-api-qps': -1 }, undefined],
  ])('%j', (flags, value) => {
    expect(readRequestLimits(flags)).toEqual({ ok: true, value })
  })

  it('answers what is no number', () => {
    expect(readRequestLimits({ 'kube-api-qps': 'fast' })).toEqual({
      ok: false,
      message: 'kube-api-qps: "fast" is no number',
    })
  })
})
