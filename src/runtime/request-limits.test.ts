import { expect, it } from 'vitest'
import { readRequestLimits } from './request-limits.ts'

it.each([
  [{}, { perSecond: 20, burst: 30 }],
  [
    { 'kube-api-qps': '100', 'kube-api-burst': 200 },
    { perSecond: 100, burst: 200 },
  ],
  [{ 'kube-api-qps': -1 }, undefined],
])('reads the request limits of the flags %j', (flags, value) => {
  expect(readRequestLimits(flags)).toEqual({ ok: true, value })
})

it('refuses a request rate that is not a number', () => {
  expect(readRequestLimits({ 'kube-api-qps': 'fast' })).toEqual({
    ok: false,
    message: 'kube-api-qps: "fast" is not a number',
  })
})
