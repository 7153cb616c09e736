import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cidr, formatCidr, nthSubnet, parseCidr } from '../../api/cidr.ts'
import { must } from '../../base/result.ts'
import { CidrSet } from './cidr-set.ts'

const cidr = (text: string): Cidr => parseCidr(text) as Cidr
const setOf = (range: string, mask: number) => must(CidrSet.create(cidr(range), mask))
const take = (set: CidrSet): string | undefined => {
  const allocation = set.allocateNext()
  return allocation === undefined ? undefined : formatCidr(allocation.cidr)
}

/** The reference: an array of all blocks as text, searched one by one. */
class SlowSet {
  readonly blocks: { readonly cidr: Cidr; used: boolean }[] = []
  private next = 0

  constructor(range: Cidr, mask: number) {
    for (let i = 0; i < 2 ** (mask - range.prefix); i++)
      this.blocks.push({ cidr: nthSubnet(range, mask, i), used: false })
  }

  allocate(): string | undefined {
    for (let i = 0; i < this.blocks.length; i++) {
      const at = (this.next + i) % this.blocks.length
      const block = this.blocks[at]
      if (block === undefined || block.used) continue
      block.used = true
      this.next = at + 1
      return formatCidr(block.cidr)
    }
    return undefined
  }

  /** Undefined when the CIDR touches no block. */
  assign(target: Cidr, used: boolean): number | undefined {
    const touched = this.blocks.filter((block) => overlap(block.cidr, target))
    const changed = touched.filter((block) => block.used !== used)
    for (const block of changed) block.used = used
    return touched.length === 0 ? undefined : changed.length
  }
}

function overlap(a: Cidr, b: Cidr): boolean {
  const size = (c: Cidr) => 1n << BigInt((c.family === 4 ? 32 : 128) - c.prefix)
  return a.family === b.family && a.base < b.base + size(b) && b.base < a.base + size(a)
}

const ranges = [
  { range: '10.0.0.0/24', mask: 28, near: '10.0.0.0/22' },
  { range: '192.168.4.0/22', mask: 28, near: '192.168.0.0/20' },
  { range: '2001:db8::/59', mask: 64, near: '2001:db8::/57' },
  { range: 'fd00:0:0:ffc0::/58', mask: 66, near: 'fd00::/48' },
  { range: '10.0.0.0/24', mask: 24, near: '10.0.0.0/23' },
]

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ op: 'allocate' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom('occupy' as const, 'release' as const),
      place: fc.nat(4096),
      deeper: fc.nat(9),
    }),
  },
)

describe('a CIDR set', () => {
  it('a CIDR set behaves like a list of its blocks', () => {
    const history = fc.array(operation, { minLength: 1, maxLength: 120 })
    fc.assert(
      fc.property(fc.constantFrom(...ranges), history, ({ range, mask, near }, operations) => {
        const set = setOf(range, mask)
        const model = new SlowSet(cidr(range), mask)
        const home = cidr(near)
        for (const one of operations) {
          if (one.op === 'allocate') {
            expect(take(set)).toBe(model.allocate())
          } else {
            const prefix = Math.min(home.prefix + one.deeper, home.family === 4 ? 32 : 70)
            const target = nthSubnet(home, prefix, one.place % 2 ** (prefix - home.prefix))
            const result = one.op === 'occupy' ? set.occupy(target) : set.release(target)
            expect(result.ok ? result.value : undefined).toBe(model.assign(target, one.op === 'occupy'))
          }
          expect(set.used).toBe(model.blocks.filter(({ used }) => used).length)
        }
        expect(model.blocks.map((_, place) => set.has(place))).toEqual(model.blocks.map(({ used }) => used))
      }),
    )
  })

  it.each([
    ['10.0.0.0/8', 24, 65_536],
    ['127.123.0.0/16', 24, 256],
    ['fd00::/48', 64, 65_536],
    ['10.0.0.0/24', 20, 0],
  ])('divides %s into blocks of /%i: %i blocks', (range, mask, max) => {
    expect(setOf(range, mask).max).toBe(max)
  })

  it.each([
    ['2001:db8::/40', 64, 'New CIDR set failed; the node CIDR size is too big'],
    ['10.0.0.0/4', 32, 'a /4 cannot be cut into blocks of /32'],
    ['10.0.0.0/24', 33, 'a /24 cannot be cut into blocks of /33'],
  ])('rejects %s with blocks of /%i', (range, mask, message) => {
    expect(CidrSet.create(cidr(range), mask)).toEqual({ ok: false, message })
  })

  it('reuses a released block only after all others were allocated', () => {
    const set = setOf('10.0.0.0/30', 32)
    expect([take(set), take(set)]).toEqual(['10.0.0.0/32', '10.0.0.1/32'])
    set.release(cidr('10.0.0.0/32'))
    expect([take(set), take(set), take(set), take(set)]).toEqual([
      '10.0.0.2/32',
      '10.0.0.3/32',
      '10.0.0.0/32',
      undefined,
    ])
  })

  it('reports how many occupied blocks it skipped', () => {
    const set = setOf('10.0.0.0/28', 32)
    set.occupy(cidr('10.0.0.0/29'))
    expect(set.allocateNext()?.tries).toBe(8)
    expect(set.allocateNext()?.tries).toBe(0)
    set.release(cidr('10.0.0.3/32'))
    set.occupy(cidr('10.0.0.8/29'))
    expect(set.allocateNext()).toEqual({ cidr: cidr('10.0.0.3/32'), tries: 9 })
  })

  it('a CIDR set starts its search in the middle and wraps around', () => {
    const set = must(CidrSet.create(cidr('10.0.0.0/8'), 24, { startAt: cidr('10.255.254.0/23') }))
    expect([take(set), take(set), take(set)]).toEqual(['10.255.254.0/24', '10.255.255.0/24', '10.0.0.0/24'])
  })

  it('a CIDR set is filled by a CIDR that contains it', () => {
    const set = setOf('10.1.0.0/16', 24)
    expect(set.occupy(cidr('10.0.0.0/8'))).toEqual({ ok: true, value: 256 })
    expect(take(set)).toBeUndefined()
    expect(set.release(cidr('10.0.0.0/8'))).toEqual({ ok: true, value: 256 })
    expect(set.free).toBe(256)
  })
})
