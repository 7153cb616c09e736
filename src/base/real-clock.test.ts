import { describe, expect, it } from 'vitest'
import { RealClock } from './real-clock.ts'

describe('RealClock', () => {
  it('calls back when the real clock reaches the time', async () => {
    const clock = new RealClock()
    const due = clock.now() + 2
    const calledAt = await new Promise<number>((resolve) => clock.at(due, () => resolve(clock.now())))
    expect(calledAt).toBeGreaterThanOrEqual(due)
  })

  it('does not call back after a cancel, nor immediately for a time beyond the range of a timer', async () => {
    const clock = new RealClock()
    let called = false
    const call = (): void => {
      called = true
    }
    clock.at(clock.now(), call)()
    const cancelFar = clock.at(clock.now() + 2 ** 40, call)
    await new Promise<void>((resolve) => clock.at(clock.now() + 2, resolve))
    cancelFar()
    expect(called).toBe(false)
  })

  it('continues with the monotonic clock when the wall clock is set, and shows both', () => {
    const source = { wallMs: 1_000_000, monotonicMs: 17.25 }
    const clock = new RealClock({ wall: () => source.wallMs, monotonic: () => source.monotonicMs })
    expect([clock.now(), clock.wall()]).toEqual([1_000_000, 1_000_000])
    source.wallMs -= 3_600_000
    source.monotonicMs += 500.5
    expect([clock.now(), clock.wall()]).toEqual([1_000_500, -2_600_000])
    source.wallMs += 7_200_000
    source.monotonicMs += 500.5
    expect([clock.now(), clock.wall()]).toEqual([1_001_001, 4_600_000])
  })

  it('calls back after the elapsed time even if the wall clock is set', async () => {
    let stepMs = 0
    const clock = new RealClock({ wall: () => Date.now() + stepMs, monotonic: () => performance.now() })
    const due = clock.now() + 2
    stepMs = -3_600_000
    const calledAt = await new Promise<number>((resolve) => clock.at(due, () => resolve(clock.now())))
    expect(calledAt).toBeGreaterThanOrEqual(due)
  })
})
