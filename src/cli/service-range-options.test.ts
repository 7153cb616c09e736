import { describe, expect, it } from 'vitest'
import { formatCidr } from '../api/cidr.ts'
import { parseServiceRanges } from './service-range-options.ts'

describe('--service-cluster-ip-range', () => {
  it.each([
    ['10.96.0.0/16', ['10.96.0.0/16']],
    ['10.96.0.0/16,fd00:10:96::/112', ['10.96.0.0/16', 'fd00:10:96::/112']],
    ['fd00:10:96::/112, 10.96.0.0/16', ['fd00:10:96::/112', '10.96.0.0/16']],
  ])('accepts %s', (text, ranges) => {
    expect(parseServiceRanges(text).map(formatCidr)).toEqual(ranges)
  })

  it.each([
    ['10.96.0.0', '"10.96.0.0" is not a range such as 10.96.0.0/16'],
    ['10.96.0.0/16,10.97.0.0/16', 'must be of different IP family'],
    ['10.96.0.0/16,fd00::/112,fd01::/112', 'must not contain more than two entries'],
    ['10.96.0.0/30', 'at least 8 addresses'],
    ['fd00::/48', 'the shortest prefix length is 64'],
  ])('rejects %s', (text, why) => {
    expect(() => parseServiceRanges(text)).toThrow(why)
  })
})
