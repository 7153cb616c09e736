import { expect, it } from 'vitest'
import { type LaneWork, runInLanes } from './lanes.ts'
import type { StepContext } from './step-context.ts'

const context = {} as StepContext

it('works on at most `width` items at a time, in order, and then on the rest', () => {
  const log: string[] = []
  const open = new Map<string, () => void>()
  const work: LaneWork<string> = (name, _, finished) => {
    log.push(name)
    open.set(name, () => finished(context))
  }
  runInLanes(['a', 'b', 'c', 'd'], 2, context, work, () => log.push('all'))
  expect(log).toEqual(['a', 'b'])
  open.get('b')?.()
  expect(log).toEqual(['a', 'b', 'c'])
  open.get('a')?.()
  open.get('c')?.()
  expect(log).toEqual(['a', 'b', 'c', 'd'])
  open.get('d')?.()
  expect(log).toEqual(['a', 'b', 'c', 'd', 'all'])
})

it('calls afterAll once if all work ends immediately, for any number of items including zero', () => {
  const ends: string[] = []
  const work: LaneWork<number> = (_, now, finished) => finished(now)
  runInLanes(Array(100_000).fill(0), 1, context, work, () => ends.push('many'))
  runInLanes([], 8, context, work, () => ends.push('none'))
  expect(ends).toEqual(['many', 'none'])
})
