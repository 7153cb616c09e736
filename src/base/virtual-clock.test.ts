import { describe, expect, it } from 'vitest'
import { VirtualClock } from './virtual-clock.ts'

describe('VirtualClock', () => {
  it('runs callbacks by time, and at the same time in the order of registration', () => {
    const clock = new VirtualClock(100)
    const seen: string[] = []
    const note = (name: string) => () => seen.push(`${name}@${clock.now()}`)
    clock.at(300, note('c'))
    clock.at(200, note('a'))
    clock.at(200, note('b'))
    clock.advanceTo(250)
    expect(seen).toEqual(['a@200', 'b@200'])
    expect([clock.now(), clock.nextDeadline()]).toEqual([250, 300])
  })

  it('runs callbacks that callbacks register, and runs callbacks in the past immediately', () => {
    const clock = new VirtualClock(0)
    const seen: number[] = []
    clock.at(10, () => {
      clock.at(5, () => seen.push(clock.now()))
      clock.at(20, () => seen.push(clock.now()))
      clock.at(40, () => seen.push(clock.now()))
    })
    clock.advanceTo(30)
    expect(seen).toEqual([10, 20])
    expect(clock.nextDeadline()).toBe(40)
  })

  it('does not run canceled callbacks of a virtual clock', () => {
    const clock = new VirtualClock()
    let ran = false
    const cancel = clock.at(5, () => {
      ran = true
    })
    cancel()
    clock.advanceTo(10)
    expect([ran, clock.nextDeadline()]).toEqual([false, undefined])
  })

  it('refuses to set a virtual clock back', () => {
    const clock = new VirtualClock(10)
    expect(() => clock.advanceTo(9)).toThrow('cannot go back')
  })
})
