import { type Cidr, parseCidr } from '../../api/cidr.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { AddressPool } from './address-pool.ts'

export interface AddressOptions {
  /** The blocks for nodes without an address: one, or one of each family. */
  readonly nodes: readonly Cidr[]
  /** The block for pods of nodes without a podCIDR, as with a network plugin that ignores podCIDRs. */
  readonly fallback: Cidr
}

export const defaultAddresses: AddressOptions = {
  nodes: [parseCidr('172.16.0.0/12') as Cidr],
  fallback: parseCidr('100.64.0.0/10') as Cidr,
}

/** Every node and every pod has an address of each family. */
export const dualStackAddresses: AddressOptions = {
  ...defaultAddresses,
  nodes: [...defaultAddresses.nodes, parseCidr('fd00:172:16::/64') as Cidr],
}

interface NodePools {
  /** The input from which the pools were created. */
  readonly blocks: readonly string[]
  readonly pools: readonly AddressPool[]
}

interface Taken {
  readonly pool: AddressPool
  readonly ip: string
}

/** The addresses of pods and nodes. Built from the existing objects, and updated as pods are created and deleted. */
export class Addresses {
  private readonly nodeAddresses: readonly AddressPool[]
  private readonly fallback: AddressPool
  private readonly byNode = new Map<string, NodePools>()
  private readonly ofPod = new Map<string, readonly Taken[]>()

  constructor({ nodes, fallback }: AddressOptions = defaultAddresses) {
    this.nodeAddresses = nodes.map((block) => new AddressPool(block))
    this.fallback = new AddressPool(fallback)
  }

  seeNode(node: Node): void {
    for (const { address } of node.status?.addresses ?? []) {
      for (const pool of this.nodeAddresses) pool.occupy(address)
    }
  }

  /** A new address from each block. */
  takeForNode(): readonly string[] {
    return takeOneOfEach(this.nodeAddresses).map(({ ip }) => ip)
  }

  /** The addresses of a pod: its own, or a new one from each block of its node. */
  takeForPod(
    pod: Pod,
    node: Node | undefined,
    hostIps: readonly string[],
    neighbors: () => readonly Pod[],
  ): readonly string[] {
    const present = pod.status?.podIPs?.map(({ ip }) => ip)
    if (present !== undefined && present.length > 0) return present
    if (pod.spec.hostNetwork === true) return hostIps
    const uid = pod.metadata.uid ?? ''
    let taken = this.ofPod.get(uid)
    if (taken === undefined) {
      taken = takeOneOfEach(this.poolsOf(pod.spec.nodeName ?? '', node, neighbors))
      this.ofPod.set(uid, taken)
    }
    return taken.map(({ ip }) => ip)
  }

  podGone(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    const taken = this.ofPod.get(uid)
    if (taken !== undefined) {
      for (const { pool, ip } of taken) pool.release(ip)
      this.ofPod.delete(uid)
      return
    }
    const pools = this.byNode.get(pod.spec.nodeName ?? '')?.pools ?? []
    for (const { ip } of pod.status?.podIPs ?? []) for (const pool of pools) pool.release(ip)
  }

  private poolsOf(name: string, node: Node | undefined, neighbors: () => readonly Pod[]): readonly AddressPool[] {
    const blocks = blocksOf(node)
    const known = this.byNode.get(name)
    if (known !== undefined && sameTexts(known.blocks, blocks)) return known.pools
    const cidrs = blocks.map(parseCidr).filter((cidr) => cidr !== undefined)
    if (cidrs.length === 0) return [this.fallback]
    const pools = cidrs.map((cidr) => new AddressPool(cidr))
    for (const { status } of neighbors()) {
      for (const { ip } of status?.podIPs ?? []) for (const pool of pools) pool.occupy(ip)
    }
    this.byNode.set(name, { blocks, pools })
    return pools
  }
}

function takeOneOfEach(pools: readonly AddressPool[]): readonly Taken[] {
  const taken: Taken[] = []
  for (const pool of pools) {
    const ip = pool.take()
    if (ip !== undefined) taken.push({ pool, ip })
  }
  return taken
}

function blocksOf(node: Node | undefined): readonly string[] {
  const { podCIDRs, podCIDR } = node?.spec ?? {}
  return podCIDRs ?? (podCIDR === undefined ? [] : [podCIDR])
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((text, i) => text === b[i]))
}
