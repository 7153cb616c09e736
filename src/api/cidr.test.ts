import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressCount,
  type Cidr,
  canonicalCidr,
  cidrsOverlap,
  containsCidr,
  containsIp,
  formatCidr,
  lastAddress,
  nthSubnet,
  parseCidr,
  sameCidr,
  subnetCount,
  subnetIndex,
} from './cidr.ts'
import { bitLength, formatIp, parseIp, parseIpv4 } from './ip-address.ts'

const cidr: fc.Arbitrary<Cidr> = fc
  .constantFrom(4 as const, 6 as const)
  .chain((family) =>
    fc.tuple(fc.constant(family), fc.bigInt(0n, 2n ** BigInt(bitLength(family)) - 1n), fc.nat(bitLength(family))),
  )
  // IPv4-mapped blocks are IPv4 blocks.
  .filter(([family, bits]) => family === 4 || bits >> 32n !== 0xffffn)
  .map(([family, bits, prefix]) => {
    const text = `${formatIp({ family, bits })}/${prefix}`
    return parseCidr(text) as Cidr
  })

/** The slow model: the first and the last address. */
const range = (c: Cidr): readonly [bigint, bigint] => [
  c.base,
  c.base + 2n ** BigInt(bitLength(c.family) - c.prefix) - 1n,
]

describe('addresses', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.000.0.01', '10.0.0.1'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['fd00::', 'fd00::'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['0:0:0:0:0:FFFF:a01:203', '10.1.2.3'],
    ['10.0.0.0000000001', '10.0.0.1'],
    ['0fd00::00000001', 'fd00::1'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ])('writes the address %s as %s', (text, written) => {
    const ip = parseIp(text)
    expect(ip).toBeDefined()
    expect(ip && formatIp(ip)).toBe(written)
  })

  it.each([
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.0.0',
    '1.2.3.-4',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    '1.2.3.4::',
    'fe80::1%eth0',
    'g::',
  ])('rejects %j as an address', (text) => {
    expect(parseIp(text)).toBeUndefined()
  })

  it('parses the text of an address to the same address', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 128n - 1n), (bits) => {
        if (bits >> 32n === 0xffffn) return
        expect(parseIp(formatIp({ family: 6, bits }))).toEqual({ family: 6, bits })
      }),
    )
  })

  it('parses an IPv4 address octet by octet with the same result as the whole text', () => {
    const octet = fc.oneof(
      fc.nat(300).map(String),
      fc.constantFrom('', '007', '0000010', '00000010', '-1', '1e1', ' 1'),
    )
    fc.assert(
      fc.property(fc.array(octet, { minLength: 1, maxLength: 6 }), (octets) => {
        const isAddress = octets.length === 4 && octets.every((one) => /^[0-9]+$/.test(one) && Number(one) <= 255)
        const bits = octets.reduce((sum, one) => sum * 256 + Number(one), 0)
        expect(parseIpv4(octets.join('.'))).toBe(isAddress ? BigInt(bits) : undefined)
      }),
    )
  })
})

describe('blocks', () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['010.1.2.3/32', '10.1.2.3/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['fd00:1:2:3::5/48', 'fd00:1:2::/48'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['10.0.0.0/08', '10.0.0.0/8'],
  ])('writes the CIDR %s as %s', (text, written) => {
    expect(canonicalCidr(text)).toBe(written)
  })

  it.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/8/8', 'x/8'])(
    'rejects %j as a CIDR',
    (text) => {
      expect(parseCidr(text)).toBeUndefined()
    },
  )

  it('parses the text of a CIDR to the same CIDR', () => {
    fc.assert(
      fc.property(cidr, (c) => {
        const again = parseCidr(formatCidr(c)) as Cidr
        expect(sameCidr(again, c)).toBe(true)
        expect([c.base, lastAddress(c).bits]).toEqual([...range(c)])
        expect(addressCount(c)).toBe(range(c)[1] - range(c)[0] + 1n)
      }),
    )
  })

  it('compares CIDRs by containment and overlap as ranges do', () => {
    const near = cidr.chain((a) =>
      fc.tuple(
        fc.constant(a),
        fc.oneof(
          cidr,
          fc.nat(bitLength(a.family)).map((prefix) => parseCidr(`${formatIp(lastAddress(a))}/${prefix}`) as Cidr),
        ),
      ),
    )
    fc.assert(
      fc.property(near, ([a, b]) => {
        const [[aFirst, aLast], [bFirst, bLast]] = [range(a), range(b)]
        const same = a.family === b.family
        expect(containsCidr(a, b)).toBe(same && aFirst <= bFirst && bLast <= aLast)
        expect(cidrsOverlap(a, b)).toBe(same && aFirst <= bLast && bFirst <= aLast)
        expect(containsIp(a, { family: b.family, bits: bLast })).toBe(same && aFirst <= bLast && bLast <= aLast)
      }),
    )
  })

  it('divides a CIDR into subnets and finds each by its address', () => {
    const divided = cidr.chain((c) =>
      fc
        .integer({ min: c.prefix, max: bitLength(c.family) })
        .chain((prefix) => fc.bigInt(0n, 2n ** BigInt(prefix - c.prefix) - 1n).map((index) => ({ c, prefix, index }))),
    )
    fc.assert(
      fc.property(divided, ({ c, prefix, index }) => {
        const subnet = nthSubnet(c, prefix, index)
        expect(containsCidr(c, subnet)).toBe(true)
        expect(subnetIndex(c, prefix, lastAddress(subnet))).toBe(index)
        expect(subnetCount(c, prefix) * addressCount(subnet)).toBe(addressCount(c))
      }),
    )
    const c = parseCidr('10.0.0.0/16') as Cidr
    expect(formatCidr(nthSubnet(c, 24, 3))).toBe('10.0.3.0/24')
    expect(() => nthSubnet(c, 24, 256)).toThrow('no 256th /24')
    expect(() => nthSubnet(c, 8, 0)).toThrow('not a subnet')
    expect(subnetIndex(c, 24, { family: 4, bits: 0n })).toBeUndefined()
  })

  it('checks whether a CIDR contains an address in text form', () => {
    const c = parseCidr('10.0.0.0/16') as Cidr
    expect([containsIp(c, '10.0.5.1'), containsIp(c, '10.1.0.0'), containsIp(c, 'x')]).toEqual([true, false, false])
  })
})
