import { expect, it } from 'vitest'
import { PassSchedule } from './pass-schedule.ts'

it('counts periods from the end of the last pass, and knows the instants of skipped passes', () => {
  const schedule = new PassSchedule(5_000)
  schedule.ended(2_000)
  expect(schedule.next(2_000)).toBe(7_000)
  expect(schedule.next(17_500)).toBe(22_000)
  expect(schedule.next(Number.NEGATIVE_INFINITY)).toBe(7_000)
  expect(schedule.upTo(17_500)).toBe(17_000)
  schedule.ended(17_400)
  expect(schedule.next(0)).toBe(22_400)
})

it('assigns a heartbeat to the pass that follows it, also in the past', () => {
  const schedule = new PassSchedule(5_000)
  schedule.ended(20_000)
  expect(schedule.after(12_000)).toBe(15_000)
  expect(schedule.after(14_999)).toBe(15_000)
  expect(schedule.after(15_000)).toBe(20_000)
  expect(schedule.after(20_000)).toBe(25_000)
})
