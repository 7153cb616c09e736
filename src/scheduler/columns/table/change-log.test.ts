import { describe, expect, it } from 'vitest'
import { ChangeLog, changeKinds } from './change-log.ts'

describe('ChangeLog', () => {
  it('drops the oldest entries and reports that a position is no longer available', () => {
    const log = new ChangeLog()
    log.follow()
    for (let i = 0; i < 70_000; i++) log.push(changeKinds.node, i)
    expect(log.end).toBe(70_000)
    expect(log.reaches(0)).toBe(false)
    expect(log.reaches(60_000)).toBe(true)
    expect(log.rowAt(60_000)).toBe(60_000)
  })

  it('counts changes before the first reader and keeps changes after it', () => {
    const log = new ChangeLog()
    log.push(changeKinds.node, 1)
    log.push(changeKinds.node, 2)
    expect(log.end).toBe(2)
    expect(log.follow()).toBe(2)
    log.push(changeKinds.node, 3)
    expect([log.reaches(1), log.reaches(2), log.end, log.rowAt(2)]).toEqual([false, true, 3, 3])
  })
})
