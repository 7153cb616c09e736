import { describe, expect, it } from 'vitest'
import type { Taint } from './objects/node.ts'
import { diffTaints, hasTaint, withoutTaint, withTaint } from './taints.ts'

const a: Taint = { key: 'a', effect: 'NoSchedule' }
const aOther: Taint = { key: 'a', effect: 'NoSchedule', value: 'x' }
const b: Taint = { key: 'b', effect: 'NoExecute' }

describe('taints', () => {
  it('taints are the same by key and effect', () => {
    expect(hasTaint([a], aOther)).toBe(true)
    expect(hasTaint([a], { key: 'a', effect: 'NoExecute' })).toBe(false)
  })

  it('taints are added, replaced in place, and left alone when nothing changes', () => {
    const list = [a, b]
    expect(withTaint(undefined, a)).toEqual([a])
    expect(withTaint(list, aOther)).toEqual([aOther, b])
    expect(withTaint(list, { ...b })).toBe(list)
  })

  it('taints are removed', () => {
    const list = [a, b]
    expect(withoutTaint(list, aOther)).toEqual([b])
    expect(withoutTaint(list, { key: 'z', effect: 'NoExecute' })).toBe(list)
  })

  it('reports the taints that were added and removed', () => {
    expect(diffTaints([a], [aOther, b])).toEqual({ added: [b], removed: [] })
    expect(diffTaints([a, b], undefined)).toEqual({ added: [], removed: [a, b] })
  })
})
