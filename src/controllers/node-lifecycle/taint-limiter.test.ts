import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaintLimiter } from './taint-limiter.ts'
import { TaintQueue } from './taint-queue.ts'

/** A token bucket in its usual form. */
class Bucket {
  private tokens = 1
  private last = 0
  private readonly rate: number

  constructor(rate: number) {
    this.rate = rate
  }

  tryAccept(now: number): boolean {
    // The rounding of fractions must not cost a token.
    this.tokens = Math.min(1, this.tokens + ((now - this.last) * this.rate) / 1000)
    this.last = now
    if (this.tokens < 1 - 1e-6) return false
    this.tokens = Math.max(0, this.tokens - 1)
    return true
  }
}

describe('the limiter', () => {
  it('the limiter is a token bucket that holds one token', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 400 }).map((ticks) => ticks * 100))
    fc.assert(
      fc.property(fc.constantFrom(0.01, 0.1, 0.5, 2, 4), waits, (rate, list) => {
        const limiter = new TaintLimiter(rate)
        const model = new Bucket(rate)
        let now = 0
        for (const wait of list) {
          now += wait
          expect(limiter.tryAccept(now)).toBe(model.tryAccept(now))
        }
      }),
    )
  })

  it('a new rate of the limiter starts without a token when the old rate had none', () => {
    const limiter = new TaintLimiter(0.1)
    expect(limiter.tryAccept(0)).toBe(true)
    limiter.swap(0.5, 1_000)
    expect(limiter.tryAccept(2_900)).toBe(false)
    expect(limiter.tryAccept(3_000)).toBe(true)
  })

  it('a new rate of the limiter starts with a token when the old rate had one', () => {
    const limiter = new TaintLimiter(0.1)
    limiter.swap(0.5, 1_000)
    expect(limiter.tryAccept(1_000)).toBe(true)
  })

  it('the limiter stops at rate 0 and gives a token one full interval after a new rate is set', () => {
    const limiter = new TaintLimiter(0.5)
    limiter.swap(0, 0)
    expect(limiter.tryAccept(60_000)).toBe(false)
    expect([limiter.nextAt, limiter.perSecond]).toEqual([undefined, 0])
    limiter.swap(0.5, 60_000)
    expect(limiter.nextAt).toBe(62_000)
  })

  it('a stopped limiter cannot be set to exactly 1, as in upstream', () => {
    const limiter = new TaintLimiter(1)
    limiter.swap(0, 0)
    limiter.swap(1, 1_000)
    expect(limiter.tryAccept(60_000)).toBe(false)
  })

  it('the limiter gives one token only if the rate is 0 from the start', () => {
    const limiter = new TaintLimiter(0)
    expect(limiter.tryAccept(0)).toBe(true)
    expect(limiter.tryAccept(1e12)).toBe(false)
  })
})

describe('the queue of a zone', () => {
  it('the queue of a zone returns nodes in the order in which they were added, one per token', () => {
    const queue = new TaintQueue(0.5)
    for (const node of ['b', 'a', 'c']) queue.add(node, 0)
    expect(queue.take(0)).toBe('b')
    expect(queue.take(0)).toBeUndefined()
    expect(queue.take(2_000)).toBe('a')
    expect(queue.list()).toEqual(['c'])
  })

  it('the queue of a zone remembers a taken node until it is removed', () => {
    const queue = new TaintQueue(100)
    queue.add('a', 0)
    expect(queue.take(0)).toBe('a')
    expect(queue.isPending('a')).toBe(true)
    queue.settled('a')
    expect(queue.add('a', 10)).toBe(false)
    expect(queue.remove('a')).toBe(true)
    expect(queue.add('a', 10)).toBe(true)
  })

  it('the queue of a zone adds a failed node behind the others, and consumes a token even if the node is not due yet', () => {
    const queue = new TaintQueue(0.5)
    queue.add('a', 0)
    queue.take(0)
    queue.retry('a', 2_050)
    expect(queue.take(2_000)).toBeUndefined()
    expect(queue.nextAt()).toBe(4_000)
    expect(queue.take(4_000)).toBe('a')
  })

  it('the queue of a zone forgets a retry of a node that was removed in the meantime', () => {
    const queue = new TaintQueue(100)
    queue.add('a', 0)
    queue.take(0)
    queue.remove('a')
    queue.retry('a', 0)
    expect(queue.nextAt()).toBeUndefined()
  })

  it('the queue of a zone does not queue an adopted node', () => {
    const queue = new TaintQueue(100)
    queue.adopt('a')
    expect(queue.add('a', 0)).toBe(false)
  })
})
