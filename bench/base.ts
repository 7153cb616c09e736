import { IndexedHeap } from '../src/base/indexed-heap.ts'
import { createRandom } from '../src/base/random.ts'
import { VirtualClock } from '../src/base/virtual-clock.ts'
import type { Measurement, Suite } from './suite.ts'

export const suite: Suite = {
  name: 'base',
  summary: 'indexed heap, random streams and virtual clock beside plain JavaScript',
  run: async ({ measure, table, seed, full }) => {
    const amount = full ? 300_000 : 100_000
    const draws = createRandom(seed).stream('bench')
    const values = Array.from({ length: amount }, () => draws.next())

    const sort = await measure({
      name: 'sort an array',
      unit: 'value',
      amount,
      work: () => [...values].sort((a, b) => a - b),
    })
    const heap = await measure({
      name: 'push into a heap and pop all',
      unit: 'value',
      amount,
      work: () => {
        const queue = new IndexedHeap<number, number>((a, b) => a - b)
        for (const [at, value] of values.entries()) queue.push(at, value)
        while (queue.pop() !== undefined);
      },
    })
    const clock = await measure({
      name: 'run deadlines in virtual time',
      unit: 'deadline',
      amount,
      setup: () => {
        const time = new VirtualClock()
        for (const value of values) time.at(Math.floor(value * 3_600_000), () => {})
        return time
      },
      work: (time) => time.advanceTo(3_600_000),
    })
    const builtIn = await measure({
      name: 'Math.random',
      unit: 'draw',
      amount,
      work: () => {
        let sum = 0
        for (let at = 0; at < amount; at++) sum += Math.random()
        return sum
      },
    })
    const stream = await measure({
      name: 'draw from a stream',
      unit: 'draw',
      amount,
      work: () => {
        let sum = 0
        for (let at = 0; at < amount; at++) sum += draws.next()
        return sum
      },
    })
    const row = (measured: Measurement, limit: Measurement) => [
      measured.name,
      measured.perSecond,
      limit.perSecond,
      measured.perSecond / limit.perSecond,
    ]
    table(
      `base, ${amount} at a time`,
      ['', 'per second', 'plain JavaScript', 'ratio'],
      [row(heap, sort), row(clock, sort), row(stream, builtIn)],
    )
  },
}
