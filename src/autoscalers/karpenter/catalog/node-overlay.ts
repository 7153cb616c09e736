import type { NodeOverlay } from '../../../api/objects/karpenter.ts'
import { amountsOf, subtract } from '../scheduling/amounts.ts'
import { Requirements } from '../scheduling/requirements.ts'
import type { Catalog, InstanceType, Offering } from './instance-type.ts'

/** The catalog with prices and capacities changed by NodeOverlays: of several that match, the heaviest counts. */
export function applyOverlays(catalog: Catalog, overlays: readonly NodeOverlay[]): Catalog {
  if (overlays.length === 0) return catalog
  const ordered = overlays
    .toSorted((a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || (a.metadata.name > b.metadata.name ? -1 : 1))
    .map(({ spec }) => ({ spec, requirements: Requirements.fromFields(spec.requirements) }))
  const types = catalog.types.map((type) => {
    const own = ordered.filter(({ requirements }) => type.requirements.conflict(requirements) === undefined)
    return own.length === 0 ? type : overlaid(type, own)
  })
  return { ...catalog, types, byName: new Map(types.map((type) => [type.name, type])) }
}

type Overlay = { readonly spec: NodeOverlay['spec']; readonly requirements: Requirements }

function overlaid(type: InstanceType, overlays: readonly Overlay[]): InstanceType {
  const capacity = new Map(type.capacity)
  const used = subtract(type.capacity, type.allocatable)
  for (const { spec } of overlays.toReversed())
    for (const [name, amount] of amountsOf(spec.capacity)) capacity.set(name, amount)
  const offerings = type.offerings.map((offering) => priced(type, offering, overlays))
  return { ...type, capacity, allocatable: subtract(capacity, used), offerings }
}

function priced(type: InstanceType, offering: Offering, overlays: readonly Overlay[]): Offering {
  const all = type.requirements.and(offering.requirements)
  const overlay = overlays.find(
    ({ spec, requirements }) =>
      (spec.price !== undefined || spec.priceAdjustment !== undefined) && all.conflict(requirements) === undefined,
  )
  if (overlay === undefined) return offering
  return { ...offering, price: adjusted(offering.price, overlay.spec.price ?? overlay.spec.priceAdjustment ?? '') }
}

/** `+10%`, `-0.05` or a price. */
function adjusted(price: number, change: string): number {
  if (!change.startsWith('+') && !change.startsWith('-')) return Number(change)
  const amount = Number(change.endsWith('%') ? change.slice(0, -1) : change)
  return Math.max(0, change.endsWith('%') ? price * (1 + amount / 100) : price + amount)
}
