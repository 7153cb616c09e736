import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeadlineQueue } from './deadline-queue.ts'

const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key: fc.nat(12), atMs: fc.nat(30) }),
  fc.record({ kind: fc.constant('delete' as const), key: fc.nat(12) }),
  fc.record({ kind: fc.constant('popDue' as const), now: fc.nat(30) }),
)

describe('DeadlineQueue', () => {
  it('returns due keys by time and then by insertion order, as a stable sort does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const queue = new DeadlineQueue<number>()
        let model: { key: number; atMs: number }[] = []
        for (const change of steps) {
          if (change.kind === 'set') {
            queue.set(change.key, change.atMs)
            if (model.some((entry) => entry.key === change.key && entry.atMs === change.atMs)) continue
            model = [...model.filter((entry) => entry.key !== change.key), change]
          } else if (change.kind === 'delete') {
            const known = model.some((entry) => entry.key === change.key)
            expect(queue.delete(change.key)).toBe(known)
            model = model.filter((entry) => entry.key !== change.key)
          } else {
            const due = model.filter((entry) => entry.atMs <= change.now).sort((a, b) => a.atMs - b.atMs)
            expect(queue.popDue(change.now)).toEqual(due.map((entry) => entry.key))
            model = model.filter((entry) => entry.atMs > change.now)
          }
          expect(queue.nextAt()).toBe(model.length === 0 ? undefined : Math.min(...model.map((entry) => entry.atMs)))
          expect(new Map(queue.entries())).toEqual(new Map(model.map(({ key, atMs }) => [key, atMs])))
        }
      }),
    )
  })

  it('returns the due keys of a DeadlineQueue one at a time', () => {
    const queue = new DeadlineQueue<string>()
    queue.set('later', 5)
    queue.set('first', 3)
    queue.set('second', 3)
    expect([queue.popOneDue(4), queue.popOneDue(4), queue.popOneDue(4)]).toEqual(['first', 'second', undefined])
  })
})
