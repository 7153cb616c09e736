import type { NodeOverlay, NodePool } from '../../../api/objects/karpenter.ts'
import { nodePoolLabel } from '../names.ts'
import { type Amounts, amountsOf, subtract } from '../scheduling/amounts.ts'
import { Requirement } from '../scheduling/requirement.ts'
import { Requirements } from '../scheduling/requirements.ts'
import type { Catalog, InstanceType, Offering } from './instance-type.ts'

/** The changes of an instance type by overlays for one pool. */
interface TypeUpdate {
  readonly prices: Map<Offering, { readonly change: string; lowestWeight: number }>
  readonly capacity: Map<string, number>
  /** The weight and capacity of the last overlay that changed the capacity. */
  lowest: { readonly weight: number; readonly capacity: Amounts } | undefined
}

/** The instance types of each pool, with prices and capacities changed by NodeOverlays. */
export function overlaidTypes(
  { types, wellKnown }: Catalog,
  overlays: readonly NodeOverlay[],
  pools: readonly NodePool[],
): ReadonlyMap<string, readonly InstanceType[]> {
  const updates = new Map<string, Map<InstanceType, TypeUpdate>>()
  for (const overlay of byWeight(overlays)) {
    const matches = pools.map((pool) => ({
      name: pool.metadata.name,
      found: matching(pool, types, overlay, wellKnown),
    }))
    const isConflicting = matches.some(({ name, found }) =>
      found.some(({ type, offerings }) => conflicts(updates.get(name)?.get(type), offerings, overlay)),
    )
    // An overlay that conflicts with another one of the same weight has no effect.
    if (isConflicting) continue
    for (const { name, found } of matches) {
      const own = updates.get(name) ?? new Map<InstanceType, TypeUpdate>()
      updates.set(name, own)
      for (const { type, offerings } of found) own.set(type, updated(own.get(type), offerings, overlay))
    }
  }
  return new Map(
    [...updates].map(([name, own]) => [name, types.map((type) => changedType(type, own.get(type)))] as const),
  )
}

function byWeight(overlays: readonly NodeOverlay[]): readonly NodeOverlay[] {
  return overlays.toSorted((a, b) => weightOf(b) - weightOf(a) || (a.metadata.name > b.metadata.name ? -1 : 1))
}

const weightOf = ({ spec }: NodeOverlay): number => spec.weight ?? 0
const changeOf = ({ spec }: NodeOverlay): string | undefined => spec.price ?? spec.priceAdjustment

interface Match {
  readonly type: InstanceType
  readonly offerings: readonly Offering[]
}

/** The instance types with an offering that the overlay selects; labels of the pool's template count too. */
function matching(
  { metadata, spec }: NodePool,
  types: readonly InstanceType[],
  overlay: NodeOverlay,
  wellKnown: ReadonlySet<string>,
): readonly Match[] {
  const wanted = Requirements.fromFields(overlay.spec.requirements)
  const labeled = Requirements.fromLabels(spec.template.metadata?.labels)
  const pool = Requirements.of([Requirement.in(nodePoolLabel, [metadata.name])]).and(labeled)
  return types.flatMap((type) => {
    if (!pool.and(type.requirements).isCompatible(wanted)) return []
    const offerings = type.offerings.filter(({ requirements }) => wanted.isCompatible(requirements, wellKnown))
    return offerings.length === 0 ? [] : [{ type, offerings }]
  })
}

function conflicts(update: TypeUpdate | undefined, offerings: readonly Offering[], overlay: NodeOverlay): boolean {
  if (update === undefined) return false
  const weight = weightOf(overlay)
  const isPriceTaken =
    changeOf(overlay) !== undefined && offerings.some((each) => update.prices.get(each)?.lowestWeight === weight)
  const { lowest } = update
  if (isPriceTaken || lowest?.weight !== weight) return isPriceTaken
  return Object.keys(overlay.spec.capacity ?? {}).some((name) => lowest.capacity.has(name))
}

/** Values that an overlay with a higher weight changed are kept. */
function updated(before: TypeUpdate | undefined, offerings: readonly Offering[], overlay: NodeOverlay): TypeUpdate {
  const update = before ?? { prices: new Map(), capacity: new Map(), lowest: undefined }
  const change = changeOf(overlay)
  const weight = weightOf(overlay)
  for (const offering of change === undefined ? [] : offerings) {
    const known = update.prices.get(offering)
    if (known === undefined) update.prices.set(offering, { change: change as string, lowestWeight: weight })
    else known.lowestWeight = weight
  }
  if (overlay.spec.capacity === undefined) return update
  const capacity = amountsOf(overlay.spec.capacity)
  for (const [name, amount] of capacity) if (!update.capacity.has(name)) update.capacity.set(name, amount)
  update.lowest = { weight, capacity }
  return update
}

function changedType(type: InstanceType, update: TypeUpdate | undefined): InstanceType {
  if (update === undefined) return type
  const used = subtract(type.capacity, type.allocatable)
  const capacity = new Map([...type.capacity, ...update.capacity])
  const offerings = type.offerings.map((offering) => {
    const change = update.prices.get(offering)?.change
    return change === undefined ? offering : { ...offering, price: adjusted(offering.price, change) }
  })
  return { ...type, capacity, allocatable: subtract(capacity, used), offerings }
}

/** `+10%`, `-0.05` or a price. */
function adjusted(price: number, change: string): number {
  if (!change.startsWith('+') && !change.startsWith('-')) return Number(change)
  const amount = Number(change.endsWith('%') ? change.slice(0, -1) : change)
  return Math.max(0, change.endsWith('%') ? price * (1 + amount / 100) : price + amount)
}
