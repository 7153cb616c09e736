import { expect, it } from 'vitest'
import type { ForecastPod } from '../../src/wire/console-wire.ts'
import { affectedPods } from './forecast-filter.ts'

const pod = (name: string, more: Partial<ForecastPod>): ForecastPod => ({
  pod: `default/${name}`,
  isNew: false,
  cpuMilli: 0,
  memoryBytes: 0,
  ...more,
})

it('omits pods that are pending with and without the change', () => {
  const pods = [
    pod('waits-anyway', { pending: '0/3 nodes are available' }),
    pod('moved', { from: 'a', deleted: 1 }),
    pod('new', { isNew: true, created: 1, pending: '0/3 nodes are available' }),
    pod('placed', { bound: 3, node: 'b' }),
  ]
  expect(affectedPods(pods).map((each) => each.pod)).toEqual(['default/moved', 'default/new', 'default/placed'])
})
