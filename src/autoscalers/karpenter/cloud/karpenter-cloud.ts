import type { NodeClaim, NodeOverlay, NodePool } from '../../../api/objects/karpenter.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { Node } from '../../../api/objects/node.ts'
import { labels } from '../../../api/well-known.ts'
import { DeadlineQueue } from '../../../base/deadline-queue.ts'
import type { RandomStream } from '../../../base/random.ts'
import { type Catalog, type InstanceType, type Offering, offeringsFor } from '../catalog/instance-type.ts'
import { overlaidTypes } from '../catalog/node-overlay.ts'
import { kwokGroup, unregisteredTaint } from '../names.ts'
import { toResourceList } from '../scheduling/amounts.ts'
import { Requirements } from '../scheduling/requirements.ts'

/** A selection of unavailable capacity: every field that is set must match. */
export interface Stockout {
  readonly instanceType?: string
  readonly zone?: string
  readonly capacityType?: string
}

// Machines that are launched together do not become nodes in the same instant, so pods fill them one after the other.
// The value was measured in recordings of three nodes.
const lagMs = 35
const mostLagMs = 700

export interface Launched {
  readonly node: Node
  readonly type: InstanceType
  readonly price: number
}

/** The cloud of Karpenter: the catalog, stock-outs, and machines that are starting. It does no I/O. */
export class KarpenterCloud {
  private readonly given: Catalog
  private current: Catalog
  private overlays: readonly NodeOverlay[] = []
  private pools: readonly NodePool[] = []
  private byPool: ReadonlyMap<string, readonly InstanceType[]> = new Map()
  private stockouts: readonly Stockout[] = []
  private readonly booting = new Map<string, Node>()
  private readonly dueAt = new DeadlineQueue<string>()
  private readonly gone = new Set<string>()
  private lastLaunch = { at: Number.NEGATIVE_INFINITY, count: 0 }

  constructor(catalog: Catalog) {
    this.given = catalog
    this.current = catalog
  }

  get catalog(): Catalog {
    return this.current
  }

  /** Replaces the stock-outs. */
  setStockouts(stockouts: readonly Stockout[]): void {
    this.stockouts = stockouts
    this.rebuild()
  }

  addStockout(stockout: Stockout): void {
    this.setStockouts([...this.stockouts, stockout])
  }

  removeStockout(stockout: Stockout): void {
    this.setStockouts(this.stockouts.filter((each) => each !== stockout))
  }

  /** Reclaims a machine. */
  takeBack(providerID: string): void {
    this.gone.add(providerID)
  }

  isGone(providerID: string): boolean {
    return this.gone.has(providerID)
  }

  setOverlays(overlays: readonly NodeOverlay[], pools: readonly NodePool[]): void {
    if (overlays.length === 0 && this.overlays.length === 0) return
    this.overlays = overlays
    this.pools = pools
    this.byPool = overlaidTypes(this.current, overlays, pools)
  }

  /**
   * The instance types that a pool may launch, as decisions see them. Overlays do not change the resources and the
   * price of a machine.
   */
  typesFor(pool: string): readonly InstanceType[] {
    return this.byPool.get(pool) ?? this.current.types
  }

  typeFor(pool: string, name: string): InstanceType | undefined {
    const own = this.byPool.get(pool)
    return own === undefined ? this.current.byName.get(name) : own.find((type) => type.name === name)
  }

  /** Launches the cheapest offering that the claim allows; undefined if there is none. */
  launch(claim: NodeClaim, bootMs: number, now: number, random: RandomStream): Launched | undefined {
    const requirements = Requirements.fromFields(claim.spec.requirements)
    const { wellKnown, byName } = this.current
    let best: { readonly type: InstanceType; readonly offering: Offering } | undefined
    const named = requirements.get(labels.instanceType)
    // For claims of static pools, the cloud chooses the instance type.
    const types =
      named.operator === 'In'
        ? [...named.values].sort().flatMap((name) => byName.get(name) ?? [])
        : this.current.types.filter((type) => type.requirements.conflict(requirements) === undefined)
    for (const type of types) {
      for (const offering of offeringsFor(type, requirements, wellKnown)) {
        if (best === undefined || offering.price < best.offering.price) best = { type, offering }
      }
    }
    if (best === undefined) return undefined
    const { type, offering } = best
    const node = nodeOf(claim, type, offering, random)
    this.booting.set(claim.metadata.name, node)
    this.dueAt.set(claim.metadata.name, now + bootMs + this.lag(now))
    return { node, type, price: offering.price }
  }

  /** Cancels the machine of a claim before it became a node. */
  cancel(claim: string): void {
    this.booting.delete(claim)
    this.dueAt.delete(claim)
  }

  takeDue(now: number): readonly Node[] {
    return this.dueAt.popDue(now).flatMap((claim) => {
      const node = this.booting.get(claim)
      this.booting.delete(claim)
      return node ?? []
    })
  }

  nextDueAt(): number {
    return this.dueAt.nextAt() ?? Number.POSITIVE_INFINITY
  }

  private lag(now: number): number {
    const { at, count } = this.lastLaunch
    this.lastLaunch = { at: now, count: at === now ? count + 1 : 0 }
    return Math.min(mostLagMs, lagMs * this.lastLaunch.count)
  }

  private rebuild(): void {
    const isOut = (type: string, { zone, capacityType }: Offering) =>
      this.stockouts.some(
        (out) =>
          (out.instanceType === undefined || out.instanceType === type) &&
          (out.zone === undefined || out.zone === zone) &&
          (out.capacityType === undefined || out.capacityType === capacityType),
      )
    const types = this.given.types.map((type) => ({
      ...type,
      offerings: type.offerings.map((each) => (isOut(type.name, each) ? { ...each, isAvailable: false } : each)),
    }))
    this.current = { ...this.given, types, byName: new Map(types.map((type) => [type.name, type])) }
    if (this.overlays.length > 0) this.byPool = overlaidTypes(this.current, this.overlays, this.pools)
  }
}

/** The Node object of a new machine. Nodes of the kwok provider have the requests of their pods as capacity. */
function nodeOf(claim: NodeClaim, type: InstanceType, offering: Offering, random: RandomStream): Node {
  const isKwok = claim.spec.nodeClassRef.group === kwokGroup
  const name = `${isKwok ? 'kwok-' : ''}${claim.metadata.name}-${random.alphanumeric(5)}`
  const requests = claim.spec.resources?.requests ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: labelsOf(claim, type, offering),
      annotations: { ...claim.metadata.annotations, 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: { providerID: `kwok://${name}`, taints: [unregisteredTaint] },
    status: {
      capacity: isKwok ? requests : toResourceList(type.capacity),
      allocatable: { ...requests, ...toResourceList(type.allocatable) },
    },
  }
}

function labelsOf(claim: NodeClaim, type: InstanceType, offering: Offering): StringMap {
  const own: Record<string, string> = { ...claim.metadata.labels }
  for (const { key, operator, values = [] } of claim.spec.requirements ?? []) {
    if (operator === 'In' && values.length === 1) own[key] = values[0] as string
  }
  for (const requirements of [type.requirements, offering.requirements]) {
    for (const { key, operator, values } of requirements.all) {
      if (operator === 'In' && values.size === 1) own[key] = [...values][0] as string
    }
  }
  return { ...own, [labels.instanceType]: type.name, [labels.hostname]: claim.metadata.name }
}
