import { describe, expect, it } from 'vitest'
import { findCondition, isNodeReady, isPodReady, isPodTerminal, withCondition } from './conditions.ts'
import type { PodCondition } from './objects/pod.ts'

const t0 = '2026-01-01T00:00:00Z'
const t1 = '2026-01-01T00:05:00Z'
const ready: PodCondition = { type: 'Ready', status: 'True', lastTransitionTime: t0 }

describe('withCondition', () => {
  it('adds a condition with the given transition time', () => {
    expect(withCondition(undefined, { type: 'Ready', status: 'True' }, t1)).toEqual([
      { ...ready, lastTransitionTime: t1 },
    ])
  })

  it('keeps the transition time of a condition while its status is unchanged', () => {
    expect(withCondition([ready], { type: 'Ready', status: 'True', reason: 'Why' }, t1)).toEqual([
      { ...ready, reason: 'Why' },
    ])
  })

  it('updates the transition time of a condition when its status changes, and keeps its position', () => {
    const other: PodCondition = { type: 'PodScheduled', status: 'True' }
    expect(withCondition([ready, other], { type: 'Ready', status: 'False' }, t1)).toEqual([
      { type: 'Ready', status: 'False', lastTransitionTime: t1 },
      other,
    ])
  })

  it('returns the same list of conditions if nothing changes', () => {
    const list = [ready]
    expect(withCondition(list, { type: 'Ready', status: 'True', lastTransitionTime: t1 }, t1)).toBe(list)
  })
})

describe('readiness and ends', () => {
  const spec = { containers: [] }
  const metadata = { name: 'x' }

  it('reads readiness from the conditions and finished pods from the phase', () => {
    expect(findCondition([ready], 'Other')).toBeUndefined()
    expect(isPodReady({ metadata, spec, status: { conditions: [ready] } })).toBe(true)
    expect(isPodReady({ metadata, spec })).toBe(false)
    expect(isNodeReady({ metadata, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })).toBe(false)
    const ends = (['Pending', 'Running', 'Succeeded', 'Failed'] as const).map((phase) =>
      isPodTerminal({ metadata, spec, status: { phase } }),
    )
    expect(ends).toEqual([false, false, true, true])
  })
})
