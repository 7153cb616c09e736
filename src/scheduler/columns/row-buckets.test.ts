import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RowBuckets } from './row-buckets.ts'

describe('RowBuckets', () => {
  it('keeps the best rows available after additions and removals', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(19), fc.nat(6)), { maxLength: 60 }), (moves) => {
        const buckets = new RowBuckets(new Int32Array(20))
        const model = new Map<number, number>()
        for (const [row, score] of moves) {
          const before = model.get(row)
          if (before !== undefined) buckets.remove(row, before)
          if (before === score) model.delete(row)
          else {
            buckets.add(row, score)
            model.set(row, score)
          }
          const top = Math.max(-1, ...model.values())
          expect(buckets.top).toBe(top)
          expect([...buckets.best].sort()).toEqual(
            [...model]
              .filter(([, own]) => own === top)
              .map(([one]) => one)
              .sort(),
          )
          expect(buckets.size).toBe(model.size)
        }
      }),
    )
  })
})
