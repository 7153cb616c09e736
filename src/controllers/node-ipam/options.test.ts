import { describe, expect, it } from 'vitest'
import { formatCidr } from '../../api/cidr.ts'
import { must } from '../../base/result.ts'
import { rangesOf, readNodeIpamFlags } from './options.ts'

const shown = (flags: Readonly<Record<string, unknown>>) =>
  must(rangesOf(must(readNodeIpamFlags(flags)))).map(({ range, maskSize }) => `${formatCidr(range)} in /${maskSize}`)

describe('flags of node IPAM', () => {
  it.each([
    [{}, []],
    [{ 'cluster-cidr': '10.244.0.0/16' }, ['10.244.0.0/16 in /24']],
    [{ 'cluster-cidr': 'fd00::/48' }, ['fd00::/48 in /64']],
    [{ 'cluster-cidr': '10.244.0.0/16', 'node-cidr-mask-size': '26' }, ['10.244.0.0/16 in /26']],
    [
      { 'cluster-cidr': '10.244.0.0/16', 'node-cidr-mask-size': 0, 'node-cidr-mask-size-ipv4': 25 },
      ['10.244.0.0/16 in /25'],
    ],
    [{ 'cluster-cidr': ' fd00::/48, 10.244.0.0/16' }, ['fd00::/48 in /64', '10.244.0.0/16 in /24']],
    [
      { 'cluster-cidr': '10.0.0.0/8,fd00::/48', 'node-cidr-mask-size-ipv4': '26', 'node-cidr-mask-size-ipv6': '60' },
      ['10.0.0.0/8 in /26', 'fd00::/48 in /60'],
    ],
    [{ 'cluster-cidr': '10.1.2.3/16' }, ['10.1.0.0/16 in /24']],
  ])('parses the ranges of the flags %j', (flags, ranges) => {
    expect(shown(flags)).toEqual(ranges)
  })

  it.each([
    [{ 'cluster-cidr': '10.244.0.0' }, 'cluster-cidr: "10.244.0.0" is not a range such as 10.244.0.0/16'],
    [{ 'cluster-cidr': '10.0.0.0/8,11.0.0.0/8' }, 'cluster-cidr: two ranges must be one of each IP family'],
    [{ 'cluster-cidr': '10.0.0.0/8,fd00::/48,fd01::/48' }, 'cluster-cidr: length is:3 more than max allowed of 2'],
    [
      { 'cluster-cidr': '10.0.0.0/8,fd00::/48', 'node-cidr-mask-size': 24 },
      'usage of --node-cidr-mask-size is not allowed with dual-stack clusters',
    ],
    [
      { 'cluster-cidr': '10.0.0.0/8', 'node-cidr-mask-size': 24, 'node-cidr-mask-size-ipv4': 25 },
      'usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set',
    ],
    [
      { 'cluster-cidr': '10.0.0.0/8', 'node-cidr-mask-size-ipv6': 64 },
      'usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster',
    ],
    [
      { 'cluster-cidr': 'fd00::/48', 'node-cidr-mask-size-ipv4': 24 },
      'usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster',
    ],
    [
      { 'cluster-cidr': '10.0.0.0/25' },
      'cluster-cidr: 10.0.0.0/25: mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size',
    ],
    [
      { 'service-cluster-ip-range': '10.96.0.0/12', 'secondary-service-cluster-ip-range': '10.0.0.0/24' },
      'serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)',
    ],
    [{ 'node-cidr-mask-size': 'big' }, 'node-cidr-mask-size: "big" is not a mask size such as 24'],
    [{ 'allocate-node-cidrs': 'yes' }, 'allocate-node-cidrs: "yes" must be true or false'],
    [
      { 'cidr-allocator-type': 'Magic' },
      'cidr-allocator-type: invalid CIDR allocator type: Magic; must be one of RangeAllocator',
    ],
    [{ 'cluster-cidr': 16 }, 'cluster-cidr: 16 is not a range such as "10.244.0.0/16"'],
  ])('rejects the flags %j', (flags, message) => {
    const read = readNodeIpamFlags(flags)
    expect(read.ok ? '' : read.message).toContain(message)
  })

  it('accepts two service ranges in one flag or in two', () => {
    const inOne = must(readNodeIpamFlags({ 'service-cluster-ip-range': '10.96.0.0/12,fd00::/112' }))
    const inTwo = must(
      readNodeIpamFlags({
        'service-cluster-ip-range': '10.96.0.0/12',
        'secondary-service-cluster-ip-range': 'fd00::/112',
      }),
    )
    expect(inOne.serviceRanges.map(formatCidr)).toEqual(['10.96.0.0/12', 'fd00::/112'])
    expect(inTwo).toEqual(inOne)
  })
})
