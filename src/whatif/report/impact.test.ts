import { describe, expect, it } from 'vitest'
import type { PodStory } from '../facts/pod-story.ts'
import { causedBy, noImpact } from './impact.ts'

const story = (key: string, boundMs: number) =>
  ({ key, uid: key, isOld: false, boundMs, workload: { id: 'web' } }) as unknown as PodStory

describe('the impact of a change', () => {
  it('attributes a new pod to a change if the pod gets its node at a different time without the change', () => {
    const withChange = { ...noImpact, bound: [story('drained', 0), story('evicted', 293_000)] }
    const without = { ...noImpact, bound: [story('evicted-as-well', 293_000)] }
    expect(causedBy(withChange, without).bound.map(({ key }) => key)).toEqual(['drained'])
  })

  it('attributes only the additional number of new pods to a change', () => {
    const withChange = { ...noImpact, bound: [story('a', 1_000), story('b', 2_000)] }
    const without = { ...noImpact, bound: [story('c', 3_000)] }
    expect(causedBy(withChange, without).bound).toHaveLength(1)
  })
})
