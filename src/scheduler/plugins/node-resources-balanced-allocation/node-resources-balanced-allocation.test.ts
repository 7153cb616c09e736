import { describe, expect, it } from 'vitest'
import { resourceScores } from '../plugin-answers.fixture.ts'

describe('NodeResourcesBalancedAllocation', () => {
  it('prefers nodes on which the pod improves the balance', () => {
    expect(resourceScores('NodeResourcesBalancedAllocation', undefined, { cpu: '2' })).toEqual([62, 62])
  })

  it('skips pods without requests', () => {
    expect(resourceScores('NodeResourcesBalancedAllocation', undefined, {})).toEqual([-1, -1, -1])
  })
})
