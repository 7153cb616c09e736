import { describe, expect, it } from 'vitest'
import { higherIsBetter, lowerIsBetter } from './normalize.ts'

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
