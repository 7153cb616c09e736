import { describe, expect, it } from 'vitest'
import { createSmallCluster, pod } from '../../small-cluster.fixture.ts'
import { prioritySort } from './priority-sort.ts'

describe('PrioritySort', () => {
  const { parser } = createSmallCluster({ nodes: [] }).cache
  const queued = (priority: number, queuedAt: number) => ({ parsed: parser.parse(pod('a', { priority })), queuedAt })

  it('sorts by priority before queue time', () => {
    expect(prioritySort.queueSort?.(queued(2, 9), queued(1, 1))).toBe(true)
    expect(prioritySort.queueSort?.(queued(1, 1), queued(1, 2))).toBe(true)
    expect(prioritySort.queueSort?.(queued(1, 2), queued(1, 1))).toBe(false)
  })
})
