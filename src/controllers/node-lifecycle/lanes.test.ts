import { expect, it } from 'vitest'
import { runInLanes, type Task } from './lanes.ts'
import type { Moment } from './moment.ts'

const moment = {} as Moment

it('does at most so many tasks at a time, in order, and then the rest', () => {
  const log: string[] = []
  const open = new Map<string, () => void>()
  const tasks = ['a', 'b', 'c', 'd'].map((name): Task => {
    return (_, finished) => {
      log.push(name)
      open.set(name, () => finished(moment))
    }
  })
  runInLanes(tasks, 2, moment, () => log.push('all'))
  expect(log).toEqual(['a', 'b'])
  open.get('b')?.()
  expect(log).toEqual(['a', 'b', 'c'])
  open.get('a')?.()
  open.get('c')?.()
  expect(log).toEqual(['a', 'b', 'c', 'd'])
  open.get('d')?.()
  expect(log).toEqual(['a', 'b', 'c', 'd', 'all'])
})

it('ends once with tasks that end at once, however many, and with none', () => {
  const ends: string[] = []
  const task: Task = (now, finished) => finished(now)
  runInLanes(Array(100_000).fill(task), 1, moment, () => ends.push('many'))
  runInLanes([], 8, moment, () => ends.push('none'))
  expect(ends).toEqual(['many', 'none'])
})
