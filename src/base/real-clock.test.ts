import { describe, expect, it } from 'vitest'
import { RealClock } from './real-clock.ts'

describe('RealClock', () => {
  it('calls back once the instant is reached', async () => {
    const clock = new RealClock()
    const due = clock.now() + 2
    const calledAt = await new Promise<number>((resolve) => clock.at(due, () => resolve(clock.now())))
    expect(calledAt).toBeGreaterThanOrEqual(due)
  })

  it('does not call back after a cancel, nor at once for an instant further away than a timer reaches', async () => {
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
})
