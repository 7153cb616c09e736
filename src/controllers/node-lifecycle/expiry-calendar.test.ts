import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ExpiryCalendar } from './expiry-calendar.ts'

it('gives out what a plain map of instants would, and never promises quiet before something is due', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const step = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), name, inMs: fc.integer({ min: 0, max: 60 }) }),
    fc.record({ kind: fc.constant('delete' as const), name }),
    fc.record({ kind: fc.constant('pass' as const), afterMs: fc.integer({ min: 0, max: 25 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const calendar = new ExpiryCalendar(10)
      const model = new Map<string, number>()
      let now = 0
      for (const action of steps) {
        if (action.kind === 'set') {
          calendar.set(action.name, now + action.inMs)
          model.set(action.name, now + action.inMs)
        } else if (action.kind === 'delete') {
          calendar.delete(action.name)
          model.delete(action.name)
        } else {
          now += action.afterMs
          const due = [...model].filter(([, at]) => at <= now).map(([key]) => key)
          for (const key of due) model.delete(key)
          expect([...calendar.popDue(now)].sort()).toEqual(due.sort())
        }
        for (const [key, at] of model) expect(calendar.get(key)).toBe(at)
        const next = Math.min(...model.values())
        if (model.size > 0) expect(calendar.nextAt()).toBeLessThanOrEqual(next)
      }
    }),
  )
})
