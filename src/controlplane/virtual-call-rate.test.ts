import { describe, expect, it } from 'vitest'
import { createRandom } from '../base/random.ts'
import type { Controller, StepInput } from '../runtime/controller.ts'
import { createReadModel } from '../runtime/read-model.ts'
import { withCallRate } from './virtual-call-rate.ts'

const input = (now: number, isNews = true): StepInput => ({
  changes: isNews ? [{ resource: 'nodes', key: 'a' }] : [],
  results: [],
  answers: [],
  now,
  wall: now,
  random: createRandom('1'),
  view: createReadModel(),
})

const writer = (calls: number): Controller => ({
  name: 'writer',
  watches: ['nodes'],
  step: () => ({
    watches: ['nodes', 'widgets.example.com'],
    actions: Array.from({ length: calls }, (_, id) => ({
      kind: 'call' as const,
      id,
      call: { verb: 'delete' as const, resource: 'pods', namespace: 'x', name: `p${id}` },
    })),
  }),
})

describe('a controller with a limit on its requests', () => {
  it('lets a burst go at once and the rest at its rate', () => {
    const limited = withCallRate(writer(5), { perSecond: 10, burst: 3 })
    const first = limited.step(input(0))
    expect(first.actions).toHaveLength(3)
    expect(first.wakeAt).toBe(100)
    expect(limited.step(input(100, false)).actions).toHaveLength(1)
  })

  it('passes on what the controller wants to watch', () => {
    const limited = withCallRate(writer(0), { perSecond: 10, burst: 3 })
    expect(limited.step(input(0)).watches).toEqual(['nodes', 'widgets.example.com'])
  })
})
