import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IndexedHeap } from './indexed-heap.ts'

type Step =
  | { readonly kind: 'update'; readonly key: number; readonly value: number }
  | { readonly kind: 'remove'; readonly key: number }
  | { readonly kind: 'pop' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), key: fc.nat(20), value: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), key: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pop' as const) }) },
)

/** The slow model: a list with linear search. */
class SortedList {
  entries: { key: number; value: number }[] = []

  apply(change: Step): number | undefined {
    switch (change.kind) {
      case 'update':
        this.take(change.key)
        this.entries.push(change)
        return undefined
      case 'remove':
        return this.take(change.key)
      case 'pop': {
        const least = this.least()
        return least === undefined ? undefined : this.take(least.key)
      }
    }
  }

  least(): { key: number; value: number } | undefined {
    return [...this.entries].sort((a, b) => a.value - b.value || a.key - b.key)[0]
  }

  private take(key: number): number | undefined {
    const found = this.entries.find((entry) => entry.key === key)
    this.entries = this.entries.filter((entry) => entry !== found)
    return found?.value
  }
}

describe('IndexedHeap', () => {
  it('an IndexedHeap behaves like a sorted list for any history', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new IndexedHeap<number, { key: number; value: number }>(
          (a, b) => a.value - b.value || a.key - b.key,
        )
        const model = new SortedList()
        for (const change of steps) {
          const expected = model.apply(change)
          if (change.kind === 'update') heap.update(change.key, change)
          else if (change.kind === 'remove') expect(heap.remove(change.key)?.value).toBe(expected)
          else expect(heap.pop()?.value).toBe(expected)
          expect(heap.peek()?.key).toBe(model.least()?.key)
          expect(heap.peekKey()).toBe(model.least()?.key)
          expect(heap.size).toBe(model.entries.length)
        }
        expect(new Set([...heap].map(([key]) => key))).toEqual(new Set(model.entries.map(({ key }) => key)))
        for (const { key, value } of model.entries) expect(heap.get(key)?.value).toBe(value)
      }),
    )
  })

  it('refuses to push a key twice to an IndexedHeap', () => {
    const heap = new IndexedHeap<string, number>((a, b) => a - b)
    heap.push('a', 1)
    expect(() => heap.push('a', 2)).toThrow('key already exists')
  })

  it('empties an IndexedHeap with clear', () => {
    const heap = new IndexedHeap<string, number>((a, b) => a - b)
    heap.push('a', 1)
    heap.clear()
    expect([heap.size, heap.has('a'), heap.pop()]).toEqual([0, false, undefined])
  })
})
