import { expect, it } from 'vitest'
import { runInLanes, type Work } from './lanes.ts'
import type { Moment } from './moment.ts'

const moment = {} as Moment

it('works on at most so many items at a time, in order, and then on the rest', () => {
  const log: string[] = []
  const open = new Map<string, () => void>()
  const work: Work<string> = (name, _, finished) => {
    log.push(name)
    open.set(name, () => finished(moment))
  }
  runInLanes(['a', 'b', 'c', 'd'], 2, moment, work, () => log.push('all'))
  expect(log).toEqual(['a', 'b'])
  open.get('b')?.()
  expect(log).toEqual(['a', 'b', 'c'])
  open.get('a')?.()
  open.get('c')?.()
  expect(log).toEqual(['a', 'b', 'c', 'd'])
  open.get('d')?.()
  expect(log).toEqual(['a', 'b', 'c', 'd', 'all'])
})

it('ends once with work that ends at once, however many items there are, and with none', () => {
  const ends: string[] = []
  const work: Work<number> = (_, now, finished) => finished(now)
  runInLanes(Array(100_000).fill(0), 1, moment, work, () => ends.push('many'))
  runInLanes([], 8, moment, work, () => ends.push('none'))
  expect(ends).toEqual(['many', 'none'])
})
