import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../base/random.ts'
import { patternSort } from './pattern-sort.ts'

describe('patternSort', () => {
  it('sorts items of any number and pattern', () => {
    const random = createRandom('sort').stream('items')
    for (let round = 0; round < 300; round++) {
      const length = random.int(200)
      const items = Array.from({ length }, (_, at) => (round % 3 === 0 ? at : round % 3 === 1 ? -at : random.int(8)))
      const sorted = items.toSorted((a, b) => a - b)
      patternSort(items, (item) => item)
      expect(items).toEqual(sorted)
    }
  })

  it('keeps the order of up to twelve equal items', () => {
    const items = Array.from({ length: 12 }, (_, at) => ({ key: at % 2, at }))
    patternSort(items, ({ key }) => key)
    expect(items.map(({ at }) => at)).toEqual([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11])
  })

  // Computed with sort.Slice of Go 1.26.
  it('orders equal items as Go does', () => {
    const few = Array.from({ length: 20 }, (_, at) => ({ key: at % 3, at }))
    patternSort(few, ({ key }) => key)
    expect(few.map(({ at }) => at)).toEqual([9, 18, 15, 3, 12, 0, 6, 10, 7, 4, 13, 16, 1, 19, 8, 5, 11, 14, 2, 17])
    const many = Array.from({ length: 120 }, (_, at) => ({ key: (at * 7) % 5, at }))
    patternSort(many, ({ key }) => key)
    expect(many.slice(0, 24).map(({ at }) => at)).toEqual([
      65, 10, 115, 50, 45, 5, 110, 55, 60, 40, 0, 35, 100, 70, 30, 15, 95, 75, 80, 90, 20, 25, 105, 85,
    ])
  })
})
