import { expect, it } from 'vitest'
import { laneLegend, lanesOf } from './lanes.ts'
import { podRow, podTransition } from './rows.fixture.ts'

const pending = podRow('shop/a')
const running = podRow('shop/a', { node: 'n1' })

it('shows the states of a pod over time from its transitions', () => {
  const transitions = [
    podTransition(10, null, pending),
    podTransition(20, pending, running),
    podTransition(90, running, null),
  ]
  expect(lanesOf(transitions, 'p', { from: 0, to: 100, most: 10 })).toEqual([
    {
      key: 'shop/a',
      segments: [
        { from: 10, to: 20, swatch: 'pod-nominated', text: 'Pending' },
        { from: 20, to: 90, swatch: 'pod-running', text: 'Running on n1' },
      ],
    },
  ])
})

it('shows the lanes that changed last, up to a limit', () => {
  const of = (name: string, at: number) => podTransition(at, null, podRow(`shop/${name}`))
  const lanes = lanesOf([of('a', 1), of('b', 2), of('c', 3)], 'p', { from: 0, to: 10, most: 2 })
  expect(lanes.map(({ key }) => key)).toEqual(['shop/c', 'shop/b'])
})

it('the legend has only the colors in use', () => {
  const lanes = lanesOf([podTransition(10, null, pending), podTransition(20, pending, running)], 'p', {
    ...{ from: 0, to: 100, most: 10 },
  })
  expect(laneLegend(lanes)).toEqual([
    ['pod-nominated', 'pending'],
    ['pod-running', 'running'],
  ])
})
