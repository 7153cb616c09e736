import { type Cidr, formatCidr, parseCidr } from '../../api/cidr.ts'
import type { IpFamily } from '../../api/ip-address.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { done, failed, type Result } from '../../base/result.ts'

/**
 * RangeAllocator exists in all releases, the three cloud allocators until v1.30, MultiCIDRRangeAllocator until v1.28.
 */
export const allocatorTypes = [
  'RangeAllocator',
  'MultiCIDRRangeAllocator',
  'CloudAllocator',
  'IPAMFromCluster',
  'IPAMFromCloud',
] as const

export type AllocatorType = (typeof allocatorTypes)[number]

/** The settings from the flags of kube-controller-manager. */
export interface NodeIpamSettings {
  /** Absent: not set. Upstream's default is false. */
  readonly allocateNodeCidrs?: boolean
  readonly allocatorType: AllocatorType
  readonly clusterCidrs: readonly Cidr[]
  readonly maskSize?: number
  readonly maskSizeIpv4?: number
  readonly maskSizeIpv6?: number
  readonly serviceRanges: readonly Cidr[]
  readonly cloudProvider?: string
  /** The content of this file is input of the cloud provider. */
  readonly cloudConfig?: string
}

export const defaultSettings: NodeIpamSettings = {
  allocatorType: 'RangeAllocator',
  clusterCidrs: [],
  serviceRanges: [],
}

/** A range and the mask size of its blocks. */
export interface RangeSetting {
  readonly range: Cidr
  readonly maskSize: number
  readonly startAt?: Cidr
}

/** The flags of kube-controller-manager that this controller reads. */
export const nodeIpamFlags = lookupTable<{ readonly help: string; readonly value: string }>({
  'allocate-node-cidrs': { help: 'Allocate pod CIDRs to nodes', value: 'true|false' },
  'cluster-cidr': { help: 'CIDR range for pods, or two for dual stack', value: 'CIDR' },
  'node-cidr-mask-size': { help: 'Mask size of a node CIDR (24, or 64 for IPv6) in single-stack clusters', value: 'N' },
  'node-cidr-mask-size-ipv4': { help: 'Mask size of an IPv4 node CIDR (24)', value: 'N' },
  'node-cidr-mask-size-ipv6': { help: 'Mask size of an IPv6 node CIDR (64)', value: 'N' },
  'service-cluster-ip-range': {
    help: 'CIDR range for services, or two for dual stack; excluded from allocation',
    value: 'CIDR',
  },
  'secondary-service-cluster-ip-range': { help: 'Second CIDR range for services', value: 'CIDR' },
  'cidr-allocator-type': { help: `Allocator of pod CIDRs: ${allocatorTypes.join(', ')}`, value: 'TYPE' },
  'cloud-provider': { help: 'Cloud provider of the cloud allocators: gce or file', value: 'NAME' },
  'cloud-config': { help: 'Configuration file of the cloud provider', value: 'FILE' },
})

// v1.36, kube-controller-manager, defaultNodeMaskCIDRIPv4 and defaultNodeMaskCIDRIPv6.
const defaultMask: Readonly<Record<IpFamily, number>> = { 4: 24, 6: 64 }

/** Parses flags; flags of other controllers are ignored. */
export function readNodeIpamFlags(flags: Readonly<Record<string, unknown>>): Result<NodeIpamSettings> {
  const allocate = readBoolean(flags, 'allocate-node-cidrs')
  if (!allocate.ok) return allocate
  const type = flags['cidr-allocator-type'] ?? defaultSettings.allocatorType
  if (!isAllocatorType(type)) {
    return failed(
      `cidr-allocator-type: invalid CIDR allocator type: ${String(type)}; must be one of ${allocatorTypes.join(', ')}`,
    )
  }
  const clusterCidrs = readRanges(flags, 'cluster-cidr')
  if (!clusterCidrs.ok) return clusterCidrs
  const services = readServices(flags)
  if (!services.ok) return services
  const masks = readMasks(flags)
  if (!masks.ok) return masks
  const settings: NodeIpamSettings = {
    ...(allocate.value === undefined ? {} : { allocateNodeCidrs: allocate.value }),
    allocatorType: type,
    clusterCidrs: clusterCidrs.value,
    ...masks.value,
    serviceRanges: services.value,
    ...text(flags, 'cloud-provider', 'cloudProvider'),
    ...text(flags, 'cloud-config', 'cloudConfig'),
  }
  const checked = rangesOf(settings)
  return checked.ok ? done(settings) : checked
}

/** The ranges with their mask sizes (v1.36, setNodeCIDRMaskSizes). */
export function rangesOf(settings: NodeIpamSettings): Result<readonly RangeSetting[]> {
  const { clusterCidrs, maskSize, maskSizeIpv4, maskSizeIpv6 } = settings
  if (clusterCidrs.length > 1 && maskSize !== undefined) {
    return failed('usage of --node-cidr-mask-size is not allowed with dual-stack clusters')
  }
  if (maskSize !== undefined && (maskSizeIpv4 !== undefined || maskSizeIpv6 !== undefined)) {
    return failed(
      'usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. ' +
        'For dual-stack clusters please unset it and use IPFamily specific flags',
    )
  }
  const only = clusterCidrs.length === 1 ? clusterCidrs[0]?.family : undefined
  if (only === 6 && maskSizeIpv4 !== undefined) {
    return failed('usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster')
  }
  if (only === 4 && maskSizeIpv6 !== undefined) {
    return failed('usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster')
  }
  const ranges: RangeSetting[] = []
  for (const range of clusterCidrs) {
    const own = range.family === 4 ? maskSizeIpv4 : maskSizeIpv6
    const size = maskSize ?? own ?? defaultMask[range.family]
    if (size < range.prefix) {
      return failed(
        `cluster-cidr: ${formatCidr(range)}: mask size of cluster CIDR must be less than or equal to ` +
          `--node-cidr-mask-size configured for CIDR family, which is ${size}`,
      )
    }
    ranges.push({ range, maskSize: size })
  }
  return done(ranges)
}

function isAllocatorType(value: unknown): value is AllocatorType {
  return (allocatorTypes as readonly unknown[]).includes(value)
}

function readBoolean(flags: Readonly<Record<string, unknown>>, name: string): Result<boolean | undefined> {
  const value = flags[name]
  if (value === undefined || typeof value === 'boolean') return done(value)
  if (value === 'true' || value === '') return done(true)
  return value === 'false' ? done(false) : failed(`${name}: ${JSON.stringify(value)} must be true or false`)
}

/** One range, or two of different families. */
function readRanges(flags: Readonly<Record<string, unknown>>, name: string): Result<readonly Cidr[]> {
  const given = flags[name]
  if (given === undefined || given === '') return done([])
  if (typeof given !== 'string')
    return failed(`${name}: ${JSON.stringify(given)} is not a range such as "10.244.0.0/16"`)
  const ranges: Cidr[] = []
  for (const part of given.trim().split(',')) {
    const range = parseCidr(part.trim())
    if (range === undefined) return failed(`${name}: ${JSON.stringify(part)} is not a range such as 10.244.0.0/16`)
    ranges.push(range)
  }
  if (ranges.length > 2) return failed(`${name}: length is:${ranges.length} more than max allowed of 2`)
  if (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family) {
    return failed(`${name}: two ranges must be one of each IP family`)
  }
  return done(ranges)
}

function readServices(flags: Readonly<Record<string, unknown>>): Result<readonly Cidr[]> {
  const first = readRanges(flags, 'service-cluster-ip-range')
  if (!first.ok) return first
  const second = readRanges(flags, 'secondary-service-cluster-ip-range')
  if (!second.ok) return second
  const all = [...first.value, ...second.value]
  if (all.length > 2) return failed('service-cluster-ip-range: can not contain more than two entries')
  if (all.length === 2 && all[0]?.family === all[1]?.family) {
    return failed('serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)')
  }
  return done(all)
}

type Masks = Pick<NodeIpamSettings, 'maskSize' | 'maskSizeIpv4' | 'maskSizeIpv6'>

function readMasks(flags: Readonly<Record<string, unknown>>): Result<Masks> {
  const names = { maskSize: '', maskSizeIpv4: '-ipv4', maskSizeIpv6: '-ipv6' } as const
  const masks: { -readonly [N in keyof Masks]: number } = {}
  for (const [key, ending] of Object.entries(names) as [keyof Masks, string][]) {
    const name = `node-cidr-mask-size${ending}`
    const given = flags[name]
    if (given === undefined) continue
    const size = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
    if (typeof size !== 'number' || !Number.isInteger(size) || size < 0 || size > 128) {
      return failed(`${name}: ${JSON.stringify(given)} is not a mask size such as 24`)
    }
    // Zero means unset, as in upstream's flags.
    if (size !== 0) masks[key] = size
  }
  return done(masks)
}

function text<K extends string>(
  flags: Readonly<Record<string, unknown>>,
  name: string,
  key: K,
): { readonly [N in K]?: string } {
  const value = flags[name]
  return typeof value === 'string' && value !== '' ? ({ [key]: value } as { readonly [N in K]?: string }) : {}
}
