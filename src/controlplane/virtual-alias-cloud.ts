import { cidrsOverlap, formatCidr, parseCidr } from '../api/cidr.ts'
import type { Node } from '../api/objects/node.ts'
import { CidrSet } from '../controllers/node-ipam/cidr-set.ts'
import type { CloudRequest } from '../controllers/node-ipam/cloud-request.ts'
import { podCidrsOf } from '../controllers/node-ipam/node-blocks.ts'
import { type NodeIpamSettings, rangesOf } from '../controllers/node-ipam/options.ts'
import type { Answer, Ask } from '../runtime/controller.ts'
import type { Store } from '../store/contract.ts'

type StoreView = Pick<Store, 'get' | 'list'>

interface Instance {
  /** The uid of its node. A different uid means that the node was removed with its instance, and both are new. */
  readonly node: string | undefined
  readonly aliases: readonly string[]
}

interface AliasState {
  readonly sets: readonly CidrSet[]
  /** By providerID. */
  readonly instances: Map<string, Instance>
}

/**
 * The cloud of the cloud allocators in virtual time. The podCIDRs of a node are the alias ranges of its instance. A new
 * instance gets the next free blocks of cluster-cidr, unless the allocator selects them itself (IPAMFromCluster).
 */
export class VirtualAliasCloud {
  private readonly settings: NodeIpamSettings
  private readonly store: StoreView
  private state: AliasState | undefined

  constructor(settings: NodeIpamSettings, store: StoreView) {
    this.settings = settings
    this.store = store
  }

  /** Undefined: the request is not a request to the cloud. */
  answer({ request }: Ask): Answer['outcome'] | undefined {
    if (request.kind !== 'cloud') return undefined
    const asked = request.request as CloudRequest
    switch (asked.kind) {
      case 'alias-ranges':
        return { kind: 'ok', value: this.aliasRanges(asked.providerId) }
      case 'add-alias':
        this.keep(asked.providerId, [asked.cidr])
        return { kind: 'ok', value: undefined }
    }
  }

  private aliasRanges(providerId: string): readonly string[] {
    const known = this.current().instances.get(providerId)
    if (known !== undefined && known.node === this.nodeOf(providerId)) return known.aliases
    if (this.settings.allocatorType === 'IPAMFromCluster') return []
    const given = this.assign(providerId)
    if (given.length > 0) return given
    // The blocks of removed instances are free again.
    this.state = undefined
    return this.assign(providerId)
  }

  private assign(providerId: string): readonly string[] {
    const blocks = this.current().sets.flatMap((set) => {
      const cidr = set.allocateNext()?.cidr
      return cidr === undefined ? [] : [formatCidr(cidr)]
    })
    if (blocks.length > 0) this.keep(providerId, blocks)
    return blocks
  }

  private keep(providerId: string, aliases: readonly string[]): void {
    this.current().instances.set(providerId, { node: this.nodeOf(providerId), aliases })
  }

  /** The uid of the node with the name of the instance, as on Compute Engine. */
  private nodeOf(providerId: string): string | undefined {
    return this.store.get('nodes', providerId.slice(providerId.lastIndexOf('/') + 1))?.metadata.uid
  }

  private current(): AliasState {
    this.state ??= this.read()
    return this.state
  }

  private read(): AliasState {
    const ranges = rangesOf(this.settings)
    const sets = (ranges.ok ? ranges.value : []).flatMap(({ range, maskSize }) => {
      const set = CidrSet.create(range, maskSize)
      return set.ok ? [set.value] : []
    })
    const occupy = (text: string): void => {
      const cidr = parseCidr(text)
      if (cidr === undefined) return
      for (const set of sets) {
        if (!cidrsOverlap(set.range, cidr)) continue
        const span = set.spanOf(cidr)
        if (span.ok) for (let place = span.value.first; place <= span.value.last; place++) set.mark(place)
      }
    }
    for (const range of this.settings.serviceRanges) occupy(formatCidr(range))
    const instances = new Map<string, Instance>()
    for (const node of this.store.list('nodes') as readonly Node[]) {
      const cidrs = podCidrsOf(node)
      const { providerID = '' } = node.spec ?? {}
      if (cidrs.length === 0) continue
      for (const cidr of cidrs) occupy(cidr)
      if (providerID !== '') instances.set(providerID, { node: this.nodeOf(providerID), aliases: cidrs })
    }
    return { sets, instances }
  }
}
