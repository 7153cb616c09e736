import type { ResourceClaim, ResourceClaimSpec } from '../../../api/objects/devices.ts'
import type { Node } from '../../../api/objects/node.ts'
import { encodeJson } from '../../../base/exact-json.ts'
import type { DeviceInventory } from '../../devices/device-inventory.ts'
import type { ClaimState, NodeAllocation } from './claim-state.ts'

/** All ids are dropped when this number is reached. */
const maxSpecs = 10_000

interface KeptAllocation {
  readonly node: Node
  readonly specs: string
  readonly revision: string
  readonly allocation: NodeAllocation
}

/**
 * The last devices that Filter found on each node. Reserve uses them for a pod whose claims have equal specs, unless
 * something that the search reads has changed.
 */
export class KeptAllocations {
  private readonly specs = new SpecIds()
  private readonly byNode = new Map<string, KeptAllocation>()

  specId(claim: ResourceClaim): number {
    return this.specs.of(claim.spec)
  }

  keep(node: Node, state: ClaimState, allocation: NodeAllocation): void {
    if (!isKept(state)) return
    const revision = revisionOf(node, state.devices)
    this.byNode.set(node.metadata.name, { node, specs: this.specsOf(state), revision, allocation })
  }

  find(node: Node, state: ClaimState): NodeAllocation | undefined {
    const known = this.byNode.get(node.metadata.name)
    if (known === undefined || known.node !== node || !isKept(state)) return undefined
    if (known.revision !== revisionOf(node, state.devices) || known.specs !== this.specsOf(state)) return undefined
    return known.allocation
  }

  private specsOf({ claims }: ClaimState): string {
    return claims.map((claim) => this.specId(claim)).join()
  }
}

/** Claims that are allocated, shared in a cycle or made for a node depend on more than their specs. */
function isKept({ claims, extended, shared }: ClaimState): boolean {
  if (extended !== undefined || shared.some((one) => one !== undefined)) return false
  return claims.every(({ status }) => status?.allocation === undefined)
}

function revisionOf({ metadata }: Node, devices: DeviceInventory): string {
  return `${devices.revisionFor(metadata.name)}:${devices.sharedRevision}:${devices.catalog.classesVersion}`
}

/** Ids of equal specs. Stores keep the unchanged parts of an object, so most specs are known by identity. */
class SpecIds {
  private readonly known = new WeakMap<ResourceClaimSpec, number>()
  private readonly byText = new Map<string, number>()
  private next = 0

  of(spec: ResourceClaimSpec): number {
    let id = this.known.get(spec)
    if (id !== undefined) return id
    const text = encodeJson(spec)
    id = this.byText.get(text)
    if (id === undefined) {
      if (this.byText.size >= maxSpecs) this.byText.clear()
      id = this.next++
      this.byText.set(text, id)
    }
    this.known.set(spec, id)
    return id
  }
}
