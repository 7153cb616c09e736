import { labels } from '../../../api/well-known.ts'
import { capacityTypeLabel } from '../names.ts'
import { type Amounts, subtract } from '../scheduling/amounts.ts'
import type { Requirements } from '../scheduling/requirements.ts'

export type CapacityType = 'on-demand' | 'spot' | 'reserved'

/** The zone and capacity type in which an instance type is available, with its price. */
export interface Offering {
  readonly requirements: Requirements
  readonly zone: string
  readonly capacityType: string
  /** The price per hour; 0 if unknown. */
  readonly price: number
  readonly isAvailable: boolean
  /** Reserved capacity: the reservation and the number of remaining instances. */
  readonly reservation?: { readonly id: string; readonly left: number }
}

export interface InstanceType {
  readonly name: string
  readonly requirements: Requirements
  readonly offerings: readonly Offering[]
  readonly capacity: Amounts
  readonly allocatable: Amounts
}

/** The label of a reserved offering that names its reservation. */
export const reservationLabel = 'karpenter.kwok.sh/reservation-id'

/** The offerings of the cloud. */
export interface Catalog {
  readonly types: readonly InstanceType[]
  readonly byName: ReadonlyMap<string, InstanceType>
  /** Labels of instance types and offerings that a pod may require although no pool defines them. */
  readonly wellKnown: ReadonlySet<string>
  /** False if prices were not given; all prices are then 0. */
  readonly hasPrices: boolean
}

export function createInstanceType(of: {
  readonly name: string
  readonly requirements: Requirements
  readonly offerings: readonly Offering[]
  readonly capacity: Amounts
  readonly overhead: Amounts
}): InstanceType {
  const { name, requirements, offerings, capacity, overhead } = of
  const allocatable = subtract(capacity, overhead)
  // Huge pages are subtracted from the memory.
  for (const [resource, amount] of capacity) {
    if (!resource.startsWith('hugepages-')) continue
    allocatable.set('memory', Math.max(0, (allocatable.get('memory') ?? 0) - amount))
  }
  return { name, requirements, offerings, capacity, allocatable }
}

/** The currently available offerings that match these requirements. */
export function offeringsFor(
  { offerings }: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): readonly Offering[] {
  return offerings.filter(
    (offering) => offering.isAvailable && requirements.isCompatible(offering.requirements, wellKnown),
  )
}

/** The lowest available price under these requirements; infinite if no offering is available. */
export function cheapestPrice(type: InstanceType, requirements: Requirements, wellKnown: ReadonlySet<string>): number {
  let price = Number.MAX_VALUE
  for (const offering of type.offerings) {
    if (offering.price >= price || !offering.isAvailable) continue
    if (requirements.isCompatible(offering.requirements, wellKnown)) price = offering.price
  }
  return price
}

export function orderByPrice(
  types: readonly InstanceType[],
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): readonly InstanceType[] {
  const priced = types.map((type) => ({ type, price: cheapestPrice(type, requirements, wellKnown) }))
  return priced.sort((a, b) => a.price - b.price).map(({ type }) => type)
}

// A launch uses reserved capacity first, then spot, then on-demand.
const launchOrder: readonly string[] = ['reserved', 'spot', 'on-demand']

/** The highest price that a launch under these requirements may have. */
export function worstLaunchPrice(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): number {
  const offerings = offeringsFor(type, requirements, wellKnown)
  for (const capacityType of launchOrder) {
    const prices = offerings.filter((offering) => offering.capacityType === capacityType).map(({ price }) => price)
    if (prices.length > 0) return Math.max(...prices)
  }
  return Number.MAX_VALUE
}

/** The offering of a running instance; undefined if it is not in the catalog. */
export function offeringOf(
  type: InstanceType | undefined,
  nodeLabels: Readonly<Record<string, string>>,
): Offering | undefined {
  const zone = nodeLabels[labels.zone]
  const capacityType = nodeLabels[capacityTypeLabel]
  return type?.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)
}

/** The price of a running instance; 0 if its offering is not in the catalog. */
export function priceOf(type: InstanceType | undefined, nodeLabels: Readonly<Record<string, string>>): number {
  return offeringOf(type, nodeLabels)?.price ?? 0
}

/**
 * Reports whether the types have at least as many values of each label as `minValues` requires. `needed`: the number of
 * first types that is enough.
 */
export function checkMinValues(
  types: readonly InstanceType[],
  requirements: Requirements,
): { readonly needed: number; readonly unmet: ReadonlyMap<string, number> } {
  const unmet = new Map<string, number>()
  if (!requirements.hasMinValues) return { needed: 0, unmet }
  const wanted = [...requirements.all].filter(({ minValues }) => minValues !== undefined)
  const seen = new Map(wanted.map(({ key }) => [key, new Set<string>()]))
  for (const [at, type] of types.entries()) {
    for (const { key, minValues = 0 } of wanted) {
      const values = seen.get(key) as Set<string>
      for (const value of type.requirements.get(key).values) values.add(value)
      if (values.size < minValues) unmet.set(key, values.size)
      else unmet.delete(key)
    }
    if (unmet.size === 0) return { needed: at + 1, unmet }
  }
  return { needed: types.length, unmet }
}
