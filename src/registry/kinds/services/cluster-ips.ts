import type { Failure } from '../../../api/call.ts'
import { type Cidr, formatCidr } from '../../../api/cidr.ts'
import { canonicalIp, formatIp, type IpAddress, parseIp } from '../../../api/ip-address.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import { atLeast } from '../../../api/releases/at-least.ts'
import { failure } from '../../../api/status.ts'
import type { RandomStream } from '../../../base/random.ts'
import { invalid } from '../../errors/field-error.ts'
import type { WriteContext } from '../kind.ts'
import { ipAddresses } from './address-objects.ts'
import {
  familyOfRange,
  isUsable,
  reservedCount,
  type ServiceFamily,
  type ServiceRanges,
  usableAddresses,
} from './address-ranges.ts'
import { keepsPreferredFamilies } from './families.ts'
import { isHeadless, otherSpecs, refuse, type ServiceSpec, texts } from './service-spec.ts'

/** The service with its cluster IPs, or why they cannot be allocated (allocClusterIPs and updateClusterIPs). */
export function withClusterIps(
  service: Service,
  before: Service | undefined,
  ranges: ServiceRanges,
  context: WriteContext,
): Service | Failure {
  const spec = service.spec as ServiceSpec
  if (spec.type === 'ExternalName') return service
  const families = texts(spec, 'ipFamilies') as readonly ServiceFamily[]
  const isNew = before === undefined || before.spec?.type === 'ExternalName'
  if (isNew) {
    if (isHeadless(spec)) return service
  } else {
    // An address is allocated once; validation checks that a service keeps its address. Only a second address may be
    // added.
    const old = before.spec as ServiceSpec
    const isUpgraded = texts(old, 'ipFamilies').length === 1 && families.length === 2
    if (keepsPreferredFamilies(spec, old) || isHeadless(old) || !isUpgraded) return service
  }
  const ips = [...texts(spec, 'clusterIPs')]
  const isTaken = takenBy(before, context)
  for (const [i, family] of families.entries()) {
    if (!isNew && i === 0) continue
    const asked = ips[i] ?? ''
    const allocated = asked === '' ? next(service, family, ranges, isTaken, context) : asked
    if (typeof allocated !== 'string') return allocated
    const problem = asked === '' ? undefined : addressProblem(asked, family, ranges, isTaken, context.dryRun)
    if (problem !== undefined) {
      const why = `failed to allocate IP ${asked}: ${problem}`
      const shown = families.map((_, at) => texts(spec, 'clusterIPs')[at] ?? '')
      return refuse(service, [invalid('spec.clusterIPs', shown, why)])
    }
    ips[i] = allocated
  }
  const [clusterIP = ''] = ips
  return { ...service, spec: { ...spec, clusterIP, clusterIPs: ips } }
}

/** Whether an address is in use: by an IPAddress object, or by a service of a cluster without such objects. */
function takenBy(before: Service | undefined, context: WriteContext): (ip: string) => boolean {
  const used = new Set(otherSpecs(context, before).flatMap((spec) => texts(spec, 'clusterIPs').map(canonicalIp)))
  return (ip) => used.has(ip) || context.store.get(ipAddresses, ip) !== undefined
}

function addressProblem(
  ip: string,
  family: ServiceFamily,
  { ready }: ServiceRanges,
  isTaken: (ip: string) => boolean,
  isDryRun: boolean,
): string | undefined {
  const address = parseIp(ip) as IpAddress
  const ranges = ready.filter((range) => familyOfRange(range) === family)
  if (isDryRun) {
    // A dry run uses one range, and does not check which addresses are allocated.
    const [range] = ranges
    if (range === undefined) return 'allocator not ready'
    if (isUsable(range, address)) return undefined
    return `the provided IP (${formatIp(address)}) is not in the valid range. The range of valid IPs is ${formatCidr(range)}`
  }
  if (!ranges.some((range) => isUsable(range, address))) {
    return 'the provided network does not match the current range'
  }
  return isTaken(formatIp(address)) ? 'provided IP is already allocated' : undefined
}

function next(
  service: Service,
  family: ServiceFamily,
  { ready }: ServiceRanges,
  isTaken: (ip: string) => boolean,
  { dryRun, random, release }: WriteContext,
): string | Failure {
  for (const range of ready) {
    if (familyOfRange(range) !== family) continue
    // A dry run does not search for a free address.
    if (dryRun) return formatIp({ family: range.family, bits: range.base })
    const free = freeAddress(range, isTaken, random.stream('service-address'))
    if (free !== undefined) return free
  }
  const forService = atLeast(release, '1.36') ? ` for Service ${JSON.stringify(service.metadata.name)}` : ''
  const why = `failed to allocate a serviceIP${forService}: range is full`
  return failure('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] })
}

/** A random address of the upper part of the range, or of the lower part if that is full (v1.36, ipallocator). */
function freeAddress(range: Cidr, isTaken: (ip: string) => boolean, random: RandomStream): string | undefined {
  const { first, last } = usableAddresses(range)
  const middle = first + reservedCount(range)
  return firstFree(range, middle, last, isTaken, random) ?? firstFree(range, first, middle - 1n, isTaken, random)
}

function firstFree(
  { family }: Cidr,
  first: bigint,
  last: bigint,
  isTaken: (ip: string) => boolean,
  random: RandomStream,
): string | undefined {
  const count = last - first + 1n
  if (count <= 0n) return undefined
  const start = offsetBelow(count, random)
  for (let i = 0n; i < count; i++) {
    const ip = formatIp({ family, bits: first + ((start + i) % count) })
    if (!isTaken(ip)) return ip
  }
  return undefined
}

const maxDraw = 2n ** 32n

function offsetBelow(count: bigint, random: RandomStream): bigint {
  if (count <= maxDraw) return BigInt(random.int(Number(count)))
  return ((BigInt(random.int(2 ** 32)) << 32n) | BigInt(random.int(2 ** 32))) % count
}
