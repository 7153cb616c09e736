import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BitSet } from './bit-set.ts'

const bits = fc.uniqueArray(fc.nat(200), { maxLength: 80 })
const ascending = (set: Iterable<number>): number[] => [...set].sort((a, b) => a - b)

describe('BitSet', () => {
  it('a BitSet has, counts and lists the same members as a Set', () => {
    fc.assert(
      fc.property(bits, bits, (added, removed) => {
        const set = BitSet.of(added)
        const model = new Set(added)
        for (const bit of removed) {
          set.clear(bit)
          model.delete(bit)
        }
        expect(set.toArray()).toEqual(ascending(model))
        expect(set.count()).toBe(model.size)
        expect(set.isEmpty()).toBe(model.size === 0)
        for (let bit = 0; bit < 260; bit++) expect(set.has(bit)).toBe(model.has(bit))
      }),
    )
  })

  it('a BitSet intersects, unites and subtracts like sets', () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const inB = new Set(b)
        const left = BitSet.of(a)
        const right = BitSet.of(b)
        expect(left.clone().and(right).toArray()).toEqual(ascending(a.filter((bit) => inB.has(bit))))
        expect(left.clone().andNot(right).toArray()).toEqual(ascending(a.filter((bit) => !inB.has(bit))))
        expect(left.clone().or(right).toArray()).toEqual(ascending(new Set([...a, ...b])))
        expect(new BitSet(64).copyFrom(right).equals(right)).toBe(true)
        expect(left.equals(right)).toBe(ascending(a).join() === ascending(b).join())
        expect(left.toArray()).toEqual(ascending(a))
      }),
    )
  })

  it('finds the first member and the first gap of a BitSet', () => {
    fc.assert(
      fc.property(bits, fc.nat(260), (members, from) => {
        const set = BitSet.of(members)
        let gap = from
        while (members.includes(gap)) gap++
        expect(set.firstClear(from)).toBe(gap)
        expect(set.firstSet(from)).toBe(ascending(members).find((bit) => bit >= from))
      }),
    )
  })

  it('creates a full BitSet', () => {
    for (const n of [0, 1, 31, 32, 33, 64, 100]) {
      const full = BitSet.full(n)
      expect([full.count(), full.firstClear(), full.has(n)]).toEqual([n, n, false])
    }
  })

  it('keeps the members of a BitSet that is filled or assigned', () => {
    const set = BitSet.of([40])
    set.setAll(3)
    set.assign(1, false)
    set.assign(7, true)
    expect(set.toArray()).toEqual([0, 2, 7, 40])
    set.clearAll()
    expect(set.isEmpty()).toBe(true)
  })
})
