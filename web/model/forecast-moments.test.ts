import { expect, it } from 'vitest'
import type { ConsoleForecast } from '../../src/wire/console-wire.ts'
import { actionEnd, worstMoment } from './forecast-moments.ts'

const forecast = {
  startMs: 1_000_000,
  seconds: 3600,
  pods: [
    { pod: 'shop/a', isNew: false, deleted: 60, gone: 100, cpuMilli: 0, memoryBytes: 0 },
    { pod: 'shop/b', isNew: false, notReady: 3500, readyAgain: 3590, cpuMilli: 0, memoryBytes: 0 },
  ],
  nodes: [{ at: 1, node: 'a1', what: 'cordoned' }],
  series: {
    seconds: [0, 60, 100, 200],
    pending: [0, 1, 0, 0],
    notReady: [0, 1, 1, 0],
    terminating: [0, 1, 0, 0],
    running: [],
    nodesReady: [],
  },
} as unknown as ConsoleForecast

it('ends the axis after the last pod is placed or deleted, not after the last restart', () => {
  expect(actionEnd(forecast)).toBe(1_000_000 + 115_000)
})

it('shows at least half a minute, and never more than the forecast', () => {
  expect(actionEnd({ ...forecast, pods: [], nodes: [] })).toBe(1_000_000 + 30_000)
  expect(actionEnd({ ...forecast, seconds: 20 })).toBe(1_000_000 + 20_000)
})

it('opens a forecast at the instant with the most problems', () => {
  expect(worstMoment(forecast)).toBe(1_000_000 + 60_000)
})
