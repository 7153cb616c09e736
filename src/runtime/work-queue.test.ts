import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MetricRegistry } from '../base/metrics.ts'
import { createQueueMeter } from './queue-metrics.ts'
import { createRetryLimiter, WorkQueue } from './work-queue.ts'

describe('the work queue', () => {
  it('returns a key once even if it was added several times', () => {
    const queue = new WorkQueue()
    for (const key of ['a', 'b', 'a']) queue.add(key)
    expect([queue.take(), queue.take(), queue.take()]).toEqual(['a', 'b', undefined])
  })

  it('returns a key again after it is done, if it was added while it was processed', () => {
    const queue = new WorkQueue()
    queue.add('a')
    expect(queue.take()).toBe('a')
    queue.add('a')
    expect(queue.take()).toBeUndefined()
    queue.done('a')
    expect(queue.take()).toBe('a')
    queue.done('a')
    expect(queue.take()).toBeUndefined()
  })

  it('tracks the keys in process after thousands of other keys are done', () => {
    const queue = new WorkQueue()
    const keys = Array.from({ length: 5000 }, (_, i) => `k${i}`)
    for (const key of keys) queue.add(key)
    for (const key of keys) expect(queue.take()).toBe(key)
    queue.add('k0')
    for (const key of keys.slice(2)) queue.done(key)
    queue.add('k1')
    expect([queue.inProcess, queue.size]).toEqual([2, 0])
    queue.done('k0')
    queue.add('k4999')
    queue.done('k1')
    expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(['k0', 'k4999', 'k1', undefined])
  })

  it('keeps the earliest of several delays for one key', () => {
    const queue = new WorkQueue()
    queue.addAt('a', 500)
    queue.addAt('a', 200)
    queue.addAt('a', 300)
    expect(queue.nextAt()).toBe(200)
    queue.advance(199)
    expect(queue.size).toBe(0)
    queue.advance(200)
    expect([queue.take(), queue.nextAt()]).toEqual(['a', undefined])
  })

  it('doubles the delay of a key from 5 ms with each failure, up to 1000 s, until it is forgotten', () => {
    const limiter = createRetryLimiter({ burst: 1000 })
    const delays = Array.from({ length: 19 }, () => limiter.delayMs('a', 0))
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40])
    expect(delays.slice(-2)).toEqual([655_360, 1_000_000])
    expect(limiter.delayMs('b', 0)).toBe(5)
    limiter.forget('a')
    expect([limiter.failures('a'), limiter.delayMs('a', 0)]).toEqual([0, 5])
  })

  it('allows a burst of 100 retries over all keys, then 10 per second', () => {
    const limiter = createRetryLimiter()
    const delays = Array.from({ length: 103 }, (_, i) => limiter.delayMs(`k${i}`, 1000))
    expect(delays.slice(98)).toEqual([5, 5, 100, 200, 300])
    expect(limiter.delayMs('later', 1250)).toBeCloseTo(150)
  })

  it('never processes a key concurrently and never loses one that changed', () => {
    const operations = fc.array(
      fc.record({ kind: fc.constantFrom('add', 'take', 'done', 'delay', 'pass'), key: fc.constantFrom('a', 'b', 'c') }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(operations, (history) => {
        const queue = new WorkQueue()
        const busy = new Set<string>()
        const owed = new Set<string>()
        const delayed = new Map<string, number>()
        let now = 0
        for (const { kind, key } of history) {
          if (kind === 'add') {
            queue.add(key)
            owed.add(key)
          } else if (kind === 'delay') {
            queue.addAt(key, now + 10)
            delayed.set(key, Math.min(now + 10, delayed.get(key) ?? Number.POSITIVE_INFINITY))
          } else if (kind === 'pass') {
            now += 7
            queue.advance(now)
            for (const [due, at] of delayed) {
              if (at > now) continue
              owed.add(due)
              delayed.delete(due)
            }
          } else if (kind === 'done' && busy.delete(key)) queue.done(key)
          else if (kind === 'take') {
            const taken = queue.take()
            if (taken === undefined) {
              expect([...owed].filter((one) => !busy.has(one))).toEqual([])
              continue
            }
            expect(busy.has(taken)).toBe(false)
            expect(owed.delete(taken)).toBe(true)
            busy.add(taken)
          }
        }
      }),
    )
  })
})

describe('a work queue that is counted', () => {
  it('reports how many keys wait, for how long, and how long they are processed', () => {
    const metrics = new MetricRegistry()
    const queue = new WorkQueue()
    queue.measure(createQueueMeter(metrics, 'replicaset-controller', () => queue.size))
    queue.now = 1_000
    queue.add('a')
    queue.add('b')
    queue.add('a')
    queue.now = 3_000
    queue.take()
    queue.now = 3_500
    queue.addRateLimited('a', 3_500)
    queue.done('a')
    const lines = metrics.expose().split('\n')
    expect(lines.filter((line) => /^workqueue_(depth|adds|retries)|_(sum|count)\{/.test(line))).toEqual([
      'workqueue_adds_total{name="replicaset"} 2',
      'workqueue_depth{name="replicaset"} 1',
      'workqueue_queue_duration_seconds_sum{name="replicaset"} 2',
      'workqueue_queue_duration_seconds_count{name="replicaset"} 1',
      'workqueue_retries_total{name="replicaset"} 1',
      'workqueue_work_duration_seconds_sum{name="replicaset"} 0.5',
      'workqueue_work_duration_seconds_count{name="replicaset"} 1',
    ])
  })
})
