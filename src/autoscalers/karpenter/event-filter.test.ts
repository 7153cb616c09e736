import { describe, expect, it } from 'vitest'
import { EventFilter } from './event-filter.ts'

const minuteMs = 60_000

describe('events of Karpenter', () => {
  it('Karpenter publishes an event about the same subject at most once in two minutes', () => {
    const filter = new EventFilter()
    expect(filter.admits('DisruptionBlocked', 'node-1', 0)).toBe(true)
    expect(filter.admits('DisruptionBlocked', 'node-2', 0)).toBe(true)
    expect(filter.admits('DisruptionBlocked', 'node-1', 2 * minuteMs - 1)).toBe(false)
    expect(filter.admits('DisruptionBlocked', 'node-1', 2 * minuteMs)).toBe(true)
  })

  it('Karpenter publishes some events less often, as upstream does', () => {
    const filter = new EventFilter()
    expect(filter.admits('Unconsolidatable', 'node-1', 0)).toBe(true)
    expect(filter.admits('Unconsolidatable', 'node-1', 14 * minuteMs)).toBe(false)
    expect(filter.admits('Unconsolidatable', 'node-1', 15 * minuteMs)).toBe(true)
  })

  it('Karpenter publishes at most ten events of nominated pods at once, and five more each second', () => {
    const filter = new EventFilter()
    const admitted = (now: number) =>
      Array.from({ length: 50 }, (_, at) => filter.admits('Nominated', `pod-${now}-${at}`, now)).filter(Boolean).length
    expect(admitted(0)).toBe(10)
    expect(admitted(1000)).toBe(5)
  })
})
