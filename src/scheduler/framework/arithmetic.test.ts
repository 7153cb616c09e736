import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unresolvable, unschedulable } from '../contract/status.ts'
import { fitErrorMessage } from './fit-error.ts'
import { higherIsBetter, lowerIsBetter } from './normalize.ts'
import { quotient, scaledQuotient } from './quotient.ts'

describe('scaledQuotient', () => {
  it('equals int64 arithmetic for every amount a node can have', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.nat(200),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        (a, factor, b) => {
          const exact = BigInt.asIntN(64, BigInt(a) * BigInt(factor)) / BigInt(b)
          expect(scaledQuotient(a, factor, b)).toBe(Number(exact))
        },
      ),
    )
  })

  it.each([
    [7, 2, 3],
    [-7, 2, -3],
    [2 ** 53 - 1, 2 ** 52, 1],
  ])('%d divided by %d is %d, rounded toward zero', (a, b, want) => {
    expect(quotient(a, b)).toBe(want)
  })
})

describe('normalized scores', () => {
  const normalized = (normalize: (scores: Float64Array) => void, ...scores: number[]): number[] => {
    const list = Float64Array.from(scores)
    normalize(list)
    return [...list]
  }

  it('higherIsBetter scales the highest score to 100 and rounds down', () => {
    expect(normalized(higherIsBetter, 3, 2, 1, 0)).toEqual([100, 66, 33, 0])
  })

  it('lowerIsBetter gives the lowest score 100', () => {
    expect(normalized(lowerIsBetter, 3, 2, 1, 0)).toEqual([0, 34, 67, 100])
  })

  it('higherIsBetter keeps scores of 0 and lowerIsBetter turns them into 100', () => {
    expect(normalized(higherIsBetter, 0, 0)).toEqual([0, 0])
    expect(normalized(lowerIsBetter, 0, 0)).toEqual([100, 100])
  })
})

describe('fitErrorMessage', () => {
  it('counts reasons over nodes and sorts them as text', () => {
    const counted = [
      { status: unschedulable('Insufficient cpu', 'Insufficient memory'), nodes: 2 },
      { status: unschedulable('Insufficient memory'), nodes: 8 },
      { status: unresolvable('node(s) were unschedulable'), nodes: 1 },
    ]
    expect(fitErrorMessage({ totalNodes: 11, counted })).toBe(
      '0/11 nodes are available: 1 node(s) were unschedulable, 10 Insufficient memory, 2 Insufficient cpu.',
    )
  })

  it('counts nodes that were not evaluated with their common reason', () => {
    const absent = unresolvable("node(s) didn't satisfy plugin(s) [NodeAffinity]")
    const counted = [{ status: unschedulable('Insufficient cpu'), nodes: 1 }]
    expect(fitErrorMessage({ totalNodes: 3, counted, absent })).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    )
  })

  it('contains only the PreFilter reason when PreFilter rejected the pod, and appends the PostFilter message', () => {
    const preFilter = unresolvable('pod affinity terms conflict')
    expect(fitErrorMessage({ totalNodes: 3, counted: [], preFilter, postFilterMessage: 'preemption: no' })).toBe(
      '0/3 nodes are available: pod affinity terms conflict. preemption: no',
    )
  })
})
