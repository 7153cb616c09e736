import { describe, expect, it } from 'vitest'
import { DirtyRows } from './dirty-rows.ts'

describe('DirtyRows', () => {
  it('visits each marked row once and then clears it', () => {
    const dirty = new DirtyRows(2)
    dirty.grow(10)
    for (const row of [3, 7, 3]) dirty.mark(row)
    const visited: number[] = []
    dirty.drain((row) => visited.push(row))
    dirty.drain((row) => visited.push(row))
    expect(visited).toEqual([3, 7])
  })
})
