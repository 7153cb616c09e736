import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fifo } from './fifo.ts'

describe('Fifo', () => {
  it('a Fifo returns items in the order of arrival, as a plain array does', () => {
    const steps = fc.array(fc.oneof(fc.nat(), fc.constant('shift' as const), fc.constant('clear' as const)), {
      maxLength: 300,
    })
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new Fifo<number>()
        const model: number[] = []
        for (const step of all) {
          if (step === 'shift') expect(queue.shift()).toBe(model.shift())
          else if (step === 'clear') {
            queue.clear()
            model.length = 0
          } else {
            queue.push(step)
            model.push(step)
          }
          expect(queue.size).toBe(model.length)
        }
      }),
    )
  })

  it('a Fifo keeps the order when it drops returned items', () => {
    const queue = new Fifo<number>()
    for (let i = 0; i < 100; i++) queue.push(i)
    expect(Array.from({ length: 100 }, () => queue.shift())).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(queue.shift()).toBeUndefined()
  })
})
