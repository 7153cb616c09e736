import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Expiring, ExpiryCalendar } from './expiry-calendar.ts'

interface Entry extends Expiring {
  readonly name: string
}

const names = ['a', 'b', 'c', 'd']

it('an expiry calendar returns the same entries as a plain map of instants, and nextAt is never too late', () => {
  const name = fc.constantFrom(...names)
  const step = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), name, inMs: fc.integer({ min: 0, max: 60 }) }),
    fc.record({ kind: fc.constant('delete' as const), name }),
    fc.record({ kind: fc.constant('pass' as const), afterMs: fc.integer({ min: 0, max: 25 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const calendar = new ExpiryCalendar<Entry>(10)
      const entries = new Map<string, Entry>(names.map((name) => [name, { name, expiresAt: undefined }]))
      const entryOf = (name: string) => entries.get(name) as Entry
      const model = new Map<string, number>()
      let now = 0
      for (const action of steps) {
        if (action.kind === 'set') {
          calendar.set(entryOf(action.name), now + action.inMs)
          model.set(action.name, now + action.inMs)
        } else if (action.kind === 'delete') {
          calendar.delete(entryOf(action.name))
          model.delete(action.name)
        } else {
          now += action.afterMs
          const due = [...model].filter(([, at]) => at <= now).map(([key]) => key)
          for (const key of due) model.delete(key)
          expect(
            calendar
              .popDue(now)
              .map(({ name }) => name)
              .sort(),
          ).toEqual(due.sort())
        }
        for (const [key, at] of model) expect(entryOf(key).expiresAt).toBe(at)
        const next = Math.min(...model.values())
        if (model.size > 0) expect(calendar.nextAt()).toBeLessThanOrEqual(next)
      }
    }),
  )
})
