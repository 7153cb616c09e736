import { describe, expect, it } from 'vitest'
import type { Taint } from './objects/node.ts'
import { diffTaints, hasTaint, withoutTaint, withTaint } from './taints.ts'

const a: Taint = { key: 'a', effect: 'NoSchedule' }
const aOther: Taint = { key: 'a', effect: 'NoSchedule', value: 'x' }
const b: Taint = { key: 'b', effect: 'NoExecute' }

describe('taints', () => {
  it('compares taints by key and effect', () => {
    expect(hasTaint([a], aOther)).toBe(true)
    expect(hasTaint([a], { key: 'a', effect: 'NoExecute' })).toBe(false)
  })

  it('adds a taint, replaces it in place, and returns the same list if nothing changes', () => {
    const list = [a, b]
    expect(withTaint(undefined, a)).toEqual([a])
    expect(withTaint(list, aOther)).toEqual([aOther, b])
    expect(withTaint(list, { ...b })).toBe(list)
  })

  it('removes a taint', () => {
    const list = [a, b]
    expect(withoutTaint(list, aOther)).toEqual([b])
    expect(withoutTaint(list, { key: 'z', effect: 'NoExecute' })).toBe(list)
  })

  it('reports the taints that were added and removed', () => {
    expect(diffTaints([a], [aOther, b])).toEqual({ added: [b], removed: [] })
    expect(diffTaints([a, b], undefined)).toEqual({ added: [], removed: [a, b] })
  })
})
