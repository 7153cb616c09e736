import { type Cidr, formatCidr, parseCidr } from '../api/cidr.ts'
import type { ApiProcessOptions } from '../controlplane/api-process.ts'
import { parsed, wrongQuestion } from './command.ts'

const flag = '--service-cluster-ip-range'

/** The ranges of cluster IPs. The name is that of kube-apiserver's flag. */
export const serviceRangeOptions = {
  serviceClusterIpRange: parsed({
    summary: 'CIDR range for cluster IPs of services, or two of different IP families for dual stack',
    value: 'RANGES',
    shown: '10.0.0.0/24',
    parse: parseServiceRanges,
  }),
} as const

/** One range, or one range of each IP family. */
export function parseServiceRanges(text: string): readonly Cidr[] {
  return checkServiceRanges(
    text.split(',').map((part) => {
      const range = parseCidr(part.trim())
      if (range === undefined)
        throw wrongQuestion(`${flag}: ${JSON.stringify(part)} is not a range such as 10.96.0.0/16`)
      return range
    }),
  )
}

/** As kube-apiserver v1.36 checks them, and with the limits of its allocators. */
export function checkServiceRanges(ranges: readonly Cidr[]): readonly Cidr[] {
  if (ranges.length > 2) throw wrongQuestion(`${flag} must not contain more than two entries`)
  if (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family)
    throw wrongQuestion(`${flag}[0] and ${flag}[1] must be of different IP family`)
  for (const range of ranges) {
    const [shortest, longest] = range.family === 4 ? [0, 29] : [64, 125]
    if (range.prefix > longest)
      throw wrongQuestion(`${flag}: ${formatCidr(range)}: the range must have at least 8 addresses`)
    if (range.prefix < shortest)
      throw wrongQuestion(`${flag}: ${formatCidr(range)}: the shortest prefix length is ${shortest}`)
  }
  return ranges
}

/** Default: the ranges of the data directory, or upstream's default. */
export function serviceRangesOf(ranges: readonly Cidr[] | undefined): Pick<ApiProcessOptions, 'serviceRanges'> {
  return ranges === undefined || ranges.length === 0 ? {} : { serviceRanges: checkServiceRanges(ranges) }
}
