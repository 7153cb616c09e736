import { describe, expect, it } from 'vitest'
import { createPodParser } from '../cache/pod-parser.ts'
import { pod } from '../small-cluster.fixture.ts'
import { sortByImportance } from './importance.ts'
import { candidateOf, pickNode } from './pick-node.ts'

const { parse } = createPodParser()

describe('pickNode', () => {
  const victim = (name: string, priority: number, startTime = '2026-01-01T00:00:00Z') =>
    parse(pod(name, { priority, status: { startTime } }))
  const low = victim('low', 0)

  it.each([
    ['fewer violated budgets', candidateOf('a', [victim('x', 9)], 0), candidateOf('b', [low], 1)],
    [
      'a lower highest priority of its victims',
      candidateOf('a', [victim('x', 1), low, low], 0),
      candidateOf('b', [victim('y', 2)], 0),
    ],
    ['a smaller sum of priorities', candidateOf('a', [victim('x', 2)], 0), candidateOf('b', [victim('y', 2), low], 0)],
    [
      'fewer victims, even with negative priorities',
      candidateOf('a', [victim('x', -1)], 0),
      candidateOf('b', [victim('y', -1), victim('z', -9)], 0),
    ],
    [
      'younger victims',
      candidateOf('a', [victim('x', 1, '2026-01-01T02:00:00Z')], 0),
      candidateOf('b', [victim('y', 1)], 0),
    ],
  ])('pickNode prefers a node with %s', (_, better, worse) => {
    expect(pickNode([worse, better])?.node).toBe('a')
    expect(pickNode([better, worse])?.node).toBe('a')
  })

  it('returns the first of equal nodes, and undefined without candidates', () => {
    expect(pickNode([candidateOf('a', [low], 0), candidateOf('b', [low], 0)])?.node).toBe('a')
    expect(pickNode([])).toBeUndefined()
  })

  it('treats a pod without a start time as the youngest', () => {
    const [first, second] = [parse(pod('first')), parse(pod('second'))]
    expect(sortByImportance([first, low, second])).toEqual([low, second, first])
  })

  it('keeps the order of pods without a start time from v1.37 on', () => {
    const [first, second] = [parse(pod('first')), parse(pod('second'))]
    expect(sortByImportance([second, low, first], [first, second, low])).toEqual([low, first, second])
  })
})
