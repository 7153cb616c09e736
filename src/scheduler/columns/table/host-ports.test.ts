import { describe, expect, it } from 'vitest'
import { HostPorts } from './host-ports.ts'

describe('HostPorts', () => {
  const port = (number: number, ip = '0.0.0.0', protocol = 'TCP') => ({ port: number, ip, protocol })

  it.each([
    ['the same port on all addresses conflicts', port(80), port(80), true],
    ['a port on one address and the same port on all addresses conflict', port(80, '10.0.0.1'), port(80), true],
    ['a port on all addresses and the same port on one address conflict', port(80), port(80, '10.0.0.1'), true],
    ['the same port on two addresses does not conflict', port(80, '10.0.0.1'), port(80, '10.0.0.2'), false],
    ['the same port with two protocols does not conflict', port(80), port(80, '0.0.0.0', 'UDP'), false],
    ['two different ports do not conflict', port(80), port(81), false],
  ])('host ports: %s', (_, used, wanted, collides) => {
    const ports = new HostPorts()
    ports.add(used)
    expect(ports.collides(wanted)).toBe(collides)
    expect(ports.free([wanted])).toBe(!collides)
    ports.remove(used)
    expect(ports.collides(wanted)).toBe(false)
  })
})
