import { describe, expect, it } from 'vitest'
import { defaultRelease } from '../../../api/releases/release-of.ts'
import { pod } from '../../small-cluster.fixture.ts'
import { createSchedulingGates } from './scheduling-gates.ts'

describe('SchedulingGates', () => {
  it('keeps a pod out of the queue until the last gate is removed', () => {
    const gated = pod('a', { schedulingGates: [{ name: 'one' }, { name: 'two' }] })
    expect(createSchedulingGates(defaultRelease).preEnqueue?.(gated, {} as never)).toEqual({
      code: 'UnschedulableAndUnresolvable',
      reasons: ['waiting for scheduling gates: [one two]'],
    })
    expect(createSchedulingGates(defaultRelease).preEnqueue?.(pod('b'), {} as never)).toMatchObject({ code: 'Success' })
  })
})
