import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LruMap } from './lru-map.ts'

it('keeps the same entries as a list that is reordered on each use', () => {
  const operation = fc.record({ kind: fc.constantFrom('get', 'set', 'delete'), key: fc.constantFrom(...'abcdefgh') })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (history, limit) => {
      const map = new LruMap<number>(limit)
      let model: { key: string; value: number }[] = []
      history.forEach(({ kind, key }, i) => {
        const held = model.find((entry) => entry.key === key)
        const others = model.filter((entry) => entry.key !== key)
        if (kind === 'get') {
          expect(map.get(key)).toBe(held?.value)
          if (held !== undefined) model = [...others, held]
        } else if (kind === 'set') {
          map.set(key, i)
          model = [...others, { key, value: i }].slice(-limit)
        } else {
          map.delete(key)
          model = others
        }
        expect([...map]).toEqual(model.map((entry) => [entry.key, entry.value]))
        expect(map.size).toBe(model.length)
      })
    }),
    { numRuns: 300 },
  )
})
