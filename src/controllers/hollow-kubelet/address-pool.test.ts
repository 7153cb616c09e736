import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cidr, parseCidr } from '../../api/cidr.ts'
import { AddressPool } from './address-pool.ts'

const pool = (text: string) => new AddressPool(parseCidr(text) as Cidr)

describe('a pool of addresses', () => {
  it('assigns the lowest free address, never the first two, and no address when all are in use', () => {
    const small = pool('10.0.0.0/29')
    small.occupy('10.0.0.3')
    expect([small.take(), small.take(), small.take(), small.take(), small.take(), small.take()]).toEqual([
      '10.0.0.2',
      '10.0.0.4',
      '10.0.0.5',
      '10.0.0.6',
      '10.0.0.7',
      undefined,
    ])
    small.release('10.0.0.5')
    small.release('192.168.0.1')
    expect([small.take(), small.take()]).toEqual(['10.0.0.5', undefined])
  })

  it('never assigns an address twice, in any order of assignments and releases', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 20 }), { maxLength: 200 }), (script) => {
        const tested = pool('10.0.0.0/28')
        const held: string[] = []
        for (const step of script) {
          if (step < 0 || held.length === 0) {
            const address = tested.take()
            expect(address === undefined).toBe(held.length === 14)
            if (address === undefined) continue
            expect(held).not.toContain(address)
            held.push(address)
          } else {
            const [address = ''] = held.splice(step % held.length, 1)
            tested.release(address)
          }
        }
      }),
    )
  })
})
