import { expect, it } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

it('allows the burst immediately, then refuses until a token is refilled', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 2 })
  bucket.refill(0)
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false])
  expect(bucket.waitMs()).toBeCloseTo(100, 3)
  bucket.refill(50)
  expect(bucket.take()).toBe(false)
  bucket.refill(100)
  expect(bucket.take()).toBe(true)
})

it('a token bucket counts ten refills of a tenth as one token', () => {
  const bucket = new TokenBucket({ perSecond: 1, burst: 1 })
  bucket.refill(0)
  bucket.take()
  for (let now = 100; now <= 1000; now += 100) bucket.refill(now)
  expect(bucket.take()).toBe(true)
})

it('a token bucket never holds more tokens than the burst', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 2 })
  bucket.refill(0)
  bucket.take()
  expect(bucket.refill(60_000)).toBe(true)
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false])
})

it('reserves future tokens and returns the wait for each', () => {
  const bucket = new TokenBucket({ perSecond: 20, burst: 2 })
  bucket.refill(0)
  expect([1, 2, 3, 4].map(() => bucket.reserve())).toEqual([0, 0, 50, 100])
})
