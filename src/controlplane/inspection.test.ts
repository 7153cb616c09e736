import { expect, it } from 'vitest'
import { VirtualClock } from '../base/virtual-clock.ts'
import type { Controller } from '../runtime/controller.ts'
import { inspectionOf } from './inspection.ts'

class SteppedClock extends VirtualClock {
  override wall(): number {
    return this.now() + 3_600_000
  }
}

const controller: Controller = {
  name: 'one',
  watches: [],
  step: () => ({}),
  inspect: (now) => ({ pods: [{ fireAt: now + 5, since: now, backoffUntil: now + 7, failures: 3 }], at: 'text' }),
}

it('shows the times of a controller in wall time', () => {
  expect(inspectionOf(controller, new VirtualClock(1000))).toMatchObject({ pods: [{ fireAt: 1005, since: 1000 }] })
  expect(inspectionOf(controller, new SteppedClock(1000))).toEqual({
    pods: [{ fireAt: 3_601_005, since: 3_601_000, backoffUntil: 3_601_007, failures: 3 }],
    at: 'text',
  })
  expect(inspectionOf(undefined, new VirtualClock(1000))).toBe(undefined)
})
