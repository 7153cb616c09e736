import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pulses } from './pulses.ts'

describe('the heartbeats of a kubelet', () => {
  it('renews the Lease at whole intervals from the start', () => {
    const pulses = new Pulses(10)
    pulses.begin('a', 3)
    expect([3, 12, 13, 29].map((now) => pulses.lastAt('a', now))).toEqual([3, 3, 13, 23])
    expect([3, 12, 13].map((now) => pulses.nextAfter('a', now))).toEqual([13, 13, 23])
    expect(pulses.lastAt('b', 3)).toBeUndefined()
  })

  it('stops with the last renewal before a silence, and starts again after it', () => {
    const pulses = new Pulses(10)
    pulses.begin('a', 0)
    pulses.silence('a', 30)
    expect([pulses.isSilent('a'), pulses.lastAt('a', 30), pulses.lastAt('a', 500)]).toEqual([true, 20, 20])
    expect(pulses.revive('a', 505)).toBe('silent')
    expect([pulses.isSilent('a'), pulses.lastAt('a', 505), pulses.nextAfter('a', 505)]).toEqual([false, 505, 515])
    expect(pulses.revive('a', 506)).toBe('was-not-silent')
  })

  it('distinguishes a failed machine from a silent kubelet', () => {
    const pulses = new Pulses(10)
    pulses.begin('a', 0)
    pulses.silence('a', 5)
    pulses.silence('a', 7, true)
    expect(pulses.lastAt('a', 100)).toBe(0)
    expect(pulses.revive('a', 100)).toBe('dead')
  })

  it('computes the same renewals as stepping from one to the next', () => {
    const instants = fc.record({
      since: fc.nat(50),
      silentAfter: fc.nat(200),
      now: fc.nat(400),
      interval: fc.integer({ min: 1, max: 40 }),
    })
    fc.assert(
      fc.property(instants, ({ since, silentAfter, now, interval }) => {
        const pulses = new Pulses(interval)
        pulses.begin('a', since)
        const silentAt = since + 1 + silentAfter
        let last: number | undefined
        for (let beat = since; beat <= now && beat < silentAt; beat += interval) last = beat
        if (silentAt <= now) pulses.silence('a', silentAt)
        expect(pulses.lastAt('a', now)).toBe(last)
      }),
    )
  })
})
