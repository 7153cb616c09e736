import { describe, expect, it } from 'vitest'
import { createRandom } from './random.ts'

const draws = (seed: string | number, name: string, n = 5): number[] => {
  const stream = createRandom(seed).stream(name)
  return Array.from({ length: n }, () => stream.int(1000))
}

describe('createRandom', () => {
  it('a random stream gives the same draws for the same seed and name', () => {
    expect(draws(7, 'tie-break')).toEqual(draws('7', 'tie-break'))
  })

  it('a random stream gives different draws for another seed or another name', () => {
    expect(draws(7, 'tie-break')).not.toEqual(draws(8, 'tie-break'))
    expect(draws(7, 'tie-break')).not.toEqual(draws(7, 'tie-breal'))
  })

  it('keeps random draws from release to release, because a run is identified by its seed', () => {
    expect(draws('berth', 'a')).toMatchInlineSnapshot(`
      [
        712,
        257,
        380,
        88,
        466,
      ]
    `)
  })

  it('keeps random streams independent of each other', () => {
    const random = createRandom(1)
    random.stream('other').next()
    expect(random.stream('tie-break').int(1000)).toBe(draws(1, 'tie-break')[0])
  })

  it('continues a random stream that is requested again', () => {
    const random = createRandom(1)
    const both = [random.stream('a').int(1000), random.stream('a').int(1000)]
    expect(both).toEqual(draws(1, 'a', 2))
  })

  it('draws random numbers uniformly', () => {
    const stream = createRandom(3).stream('even')
    const counts = new Array<number>(6).fill(0)
    for (let i = 0; i < 60_000; i++) {
      const face = stream.int(6)
      counts[face] = (counts[face] as number) + 1
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400)
    let sum = 0
    for (let i = 0; i < 10_000; i++) sum += stream.next()
    expect(Math.abs(sum / 10_000 - 0.5)).toBeLessThan(0.02)
  })

  it('shuffles a copy of a list', () => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8]
    const shuffled = createRandom(5).stream('cards').shuffle(items)
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(shuffled).not.toEqual(items)
    expect([...shuffled].sort()).toEqual(items)
  })

  it('generates names and UIDs in the forms that Kubernetes uses', () => {
    const stream = createRandom(5).stream('ids')
    expect(stream.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(stream.alphanumeric(5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(stream.hex(16)).toMatch(/^[0-9a-f]{16}$/)
  })

  it('generates the same names and UIDs in every version, because forecasts are compared across versions', () => {
    const stream = createRandom(1).stream('uid')
    expect(stream.uuid()).toBe('e317f50b-ecb2-48a4-94f3-87f5db046e3b')
    expect(createRandom(1).stream('n').alphanumeric(5)).toBe('jwzc2')
    expect(stream.hex(100)).toHaveLength(100)
  })

  it('refuses draws from an empty range or list', () => {
    const stream = createRandom(5).stream('none')
    expect(() => stream.pick([])).toThrow('nothing to pick')
    expect(() => stream.int(0)).toThrow('no integer')
    expect(stream.pick(['only'])).toBe('only')
  })
})
