import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ForkMap } from './fork-map.ts'

describe('a map that forks', () => {
  it('a map that forks and each of its forks behave like plain maps of any size', { timeout: 60_000 }, () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ add: fc.nat(4000), count: fc.integer({ min: 1, max: 900 }) }) },
      { weight: 3, arbitrary: fc.record({ remove: fc.nat(4000), count: fc.integer({ min: 1, max: 300 }) }) },
      { weight: 2, arbitrary: fc.constant('fork' as const) },
    )
    const history = fc.array(fc.tuple(fc.nat(3), step), { minLength: 1, maxLength: 25, size: 'max' })
    fc.assert(
      fc.property(history, (steps) => {
        const pairs = [{ map: new ForkMap<number>(), model: new Map<string, number>() }]
        let writes = 0
        for (const [which, drawn] of steps) {
          const { map, model } = pairs[which % pairs.length] as (typeof pairs)[number]
          if (drawn === 'fork') {
            pairs.push({ map: map.fork(), model: new Map(model) })
            continue
          }
          const first = 'add' in drawn ? drawn.add : drawn.remove
          for (let number = first; number < first + drawn.count; number++) {
            const key = `team-${number % 40}/web-${number}`
            if ('add' in drawn) {
              map.set(key, ++writes)
              model.set(key, writes)
            } else {
              map.delete(key)
              model.delete(key)
            }
          }
        }
        for (const { map, model } of pairs) {
          expect(map.size).toBe(model.size)
          for (let number = 0; number < 5000; number++) {
            const key = `team-${number % 40}/web-${number}`
            if (map.get(key) !== model.get(key)) expect(map.get(key), key).toBe(model.get(key))
          }
        }
      }),
      { numRuns: 25 },
    )
  })
})
