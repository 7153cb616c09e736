import type { DeviceClass, DeviceTaintRule, ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { ResourceName } from '../../api/objects/resources.ts'
import type { ObserveRefusal } from './allocation-search.ts'
import { type Allocation, allocate } from './allocator.ts'
import { ClaimLedger } from './claim-ledger.ts'
import { DeviceCatalog } from './device-catalog.ts'
import type { DeviceFeatures } from './device-features.ts'
import { type DevicePool, gatherPools, NodePools } from './device-pools.ts'
import { DeviceSelectors } from './device-selectors.ts'
import { type SliceChange, TaintedSlices } from './tainted-slices.ts'

export interface AllocationRequest {
  readonly node: Node
  readonly claims: readonly ResourceClaim[]
  readonly features: DeviceFeatures
  readonly maxSteps: number
  readonly observe?: ObserveRefusal
}

const noChanges: readonly SliceChange[] = []

/** Parts that depend on the features. */
interface SelectorEvaluation {
  readonly selectors: DeviceSelectors
  readonly pools: NodePools
}

/**
 * The devices of the cluster and the claims that hold them, as of the last change. It reports which nodes a change
 * concerns, so that results for other nodes are kept.
 */
export class DeviceInventory {
  readonly catalog: DeviceCatalog
  readonly ledger: ClaimLedger
  private readonly tainted = new TaintedSlices()
  /** Increases with changes that may concern every node: devices that are not local to a node. */
  sharedRevision = 0
  /** The wall clock of the current step, in milliseconds since the epoch. */
  wall = 0
  private readonly revisions = new Map<string, number>()
  private readonly evaluations = new Map<DeviceFeatures, SelectorEvaluation>()

  /** @param touch Called with the name of a node whose devices changed. */
  constructor(touch: (node: string) => void) {
    const changed = (node: string): void => {
      this.revisions.set(node, this.revisionFor(node) + 1)
      touch(node)
    }
    this.catalog = new DeviceCatalog((node) => {
      if (node === undefined) this.sharedRevision++
      else changed(node)
    })
    this.ledger = new ClaimLedger((pool) => {
      const node = this.nodeOfPool(pool)
      if (node === undefined) this.sharedRevision++
      else if (node !== '') changed(node)
    })
  }

  /** Increases with every change of the devices that only this node has. */
  revisionFor(node: string): number {
    return this.revisions.get(node) ?? 0
  }

  /** Returns the slices whose devices a rule taints or no longer taints. */
  note(resource: ResourceName, before: KubeObject | undefined, after: KubeObject | undefined): readonly SliceChange[] {
    switch (resource) {
      case 'resourceclaims.resource.k8s.io':
        this.ledger.note(before as ResourceClaim | undefined, after as ResourceClaim | undefined)
        break
      case 'resourceslices.resource.k8s.io':
        this.noteSlice(before as ResourceSlice | undefined, after as ResourceSlice | undefined)
        break
      case 'devicetaintrules.resource.k8s.io': {
        const rules = [before, after] as (DeviceTaintRule | undefined)[]
        const changes = this.tainted.noteRule(rules[0], rules[1], [...this.catalog.allSlices()])
        for (const change of changes) this.catalog.noteSlice(change.before, change.after)
        return changes
      }
      case 'deviceclasses.resource.k8s.io':
        this.catalog.noteClass(before as DeviceClass | undefined, after as DeviceClass | undefined)
    }
    return noChanges
  }

  private noteSlice(before: ResourceSlice | undefined, after: ResourceSlice | undefined): void {
    if (before !== undefined && after === undefined) this.tainted.forget(before)
    this.catalog.noteSlice(before, after && this.tainted.taint(after))
  }

  poolsOf(node: Node, features: DeviceFeatures): readonly DevicePool[] | { readonly error: string } {
    const { catalog } = this
    const version = catalog.versionFor(node.metadata.name)
    return this.evaluationOf(features).pools.of(node, version, () => gatherPools(node, catalog, features))
  }

  /** Finds devices for claims on a node. */
  allocate({ node, claims, features, maxSteps, observe }: AllocationRequest): Allocation {
    return allocate({
      node,
      claims,
      pools: this.poolsOf(node, features),
      usage: this.ledger,
      classOf: (name) => this.catalog.class(name),
      selectors: this.evaluationOf(features).selectors,
      features,
      maxSteps,
      ...(observe === undefined ? {} : { observe }),
    })
  }

  selectorsOf(features: DeviceFeatures): DeviceSelectors {
    return this.evaluationOf(features).selectors
  }

  private evaluationOf(features: DeviceFeatures): SelectorEvaluation {
    let found = this.evaluations.get(features)
    if (found === undefined) {
      found = { selectors: new DeviceSelectors(features), pools: new NodePools() }
      this.evaluations.set(features, found)
    }
    return found
  }

  /** The only node that has the devices of a pool; undefined for other pools, '' for a pool without slices. */
  private nodeOfPool(pool: string): string | undefined {
    const slices = this.catalog.ofPool(pool)
    const [first] = slices
    if (first === undefined) return ''
    const node = first.spec.nodeName
    if (node === undefined || node === '') return undefined
    return slices.every(({ spec }) => spec.nodeName === node) ? node : undefined
  }
}
