import {
  checkMinValues,
  type InstanceType,
  offeringsFor,
  orderByPrice,
  worstLaunchPrice,
} from '../catalog/instance-type.ts'
import { capacityTypeLabel } from '../names.ts'
import type { ClaimPlan } from '../scheduling/claim-template.ts'
import type { PlannedClaim } from '../scheduling/planned-claim.ts'
import { Requirement } from '../scheduling/requirement.ts'
import { Requirements } from '../scheduling/requirements.ts'
import type { Situation } from '../situation.ts'
import type { Candidate } from './candidate.ts'
import { type Command, sourcePrice } from './command.ts'
import { simulate } from './simulate.ts'

/** The minimum number of cheaper instance types for the replacement of a spot node by a spot node. */
const leastCheaperSpotTypes = 15

/**
 * A command that removes all candidates, or the reason why there is none (v1.14, consolidation.computeConsolidation).
 */
export function consolidate(situation: Situation, candidates: readonly Candidate[]): Command | string {
  const { wellKnown } = situation.cloud.catalog
  const simulation = simulate(situation, candidates, true)
  if (simulation === undefined) return 'node is deleting or marked for deletion'
  const { results, problem } = simulation
  if (problem !== undefined) return problem
  const [claim] = results.claims
  if (claim === undefined) return { candidates, replacements: [], results }
  if (results.claims.length > 1) return `Can't remove without creating ${results.claims.length} candidates`
  const price = sourcePrice(candidates)
  claim.types = orderByPrice(claim.types, claim.requirements, wellKnown)
  const isSpot = candidates.every(({ capacityType }) => capacityType === 'spot')
  if (isSpot && claim.requirements.get(capacityTypeLabel).has('spot')) {
    const problemOfSpot = narrowToSpot(situation, claim, candidates, price)
    return problemOfSpot ?? { candidates, replacements: [claim], results }
  }
  const filtered = keepCheaper(claim, price, wellKnown)
  if (filtered !== undefined) return filtered
  // If spot capacity is not available, the launch must fail instead of costing more.
  const types = claim.requirements.get(capacityTypeLabel)
  if (types.has('spot') && types.has('on-demand'))
    claim.requirements = claim.requirements.with([Requirement.in(capacityTypeLabel, ['spot'])])
  return { candidates, replacements: [claim], results }
}

function narrowToSpot(
  { options, cloud }: Situation,
  claim: PlannedClaim,
  candidates: readonly Candidate[],
  price: number,
): string | undefined {
  const { wellKnown } = cloud.catalog
  if (!options.gates.SpotToSpotConsolidation)
    return "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node"
  claim.requirements = claim.requirements.with([Requirement.in(capacityTypeLabel, ['spot'])])
  claim.types = claim.types.filter((type) => offeringsFor(type, claim.requirements, wellKnown).length > 0)
  const problem = keepCheaper(claim, price, wellKnown)
  if (problem !== undefined || candidates.length > 1) return problem
  if (claim.types.length < leastCheaperSpotTypes)
    return `SpotToSpotConsolidation requires ${leastCheaperSpotTypes} cheaper instance type options than the current candidate to consolidate, got ${claim.types.length}`
  // The new node is one of the cheapest, so it is not replaced again immediately.
  const needed = claim.requirements.hasMinValues ? checkMinValues(claim.types, claim.requirements).needed : 0
  claim.types = claim.types.slice(0, Math.max(leastCheaperSpotTypes, needed))
  return undefined
}

/** Keeps the instance types that are certainly cheaper. Returns the reason if none is left. */
function keepCheaper(claim: PlannedClaim, price: number, wellKnown: ReadonlySet<string>): string | undefined {
  const problem = filterByPrice(claim, price, wellKnown)
  if (problem !== undefined) return `Filtering by price: ${problem}`
  return claim.types.length === 0 ? "Can't replace with a cheaper node" : undefined
}

function filterByPrice(claim: ClaimPlan, price: number, wellKnown: ReadonlySet<string>): string | undefined {
  claim.types = claim.types.filter((type) => worstLaunchPrice(type, claim.requirements, wellKnown) < price)
  const { unmet } = checkMinValues(claim.types, claim.requirements)
  return unmet.size === 0
    ? undefined
    : `minValues requirement is not met for label(s) (label(s)=[${[...unmet.keys()].join(' ')}])`
}

/**
 * Removes instance types of the candidates: if the replacement had the type of a candidate, it would be better to keep
 * this candidate. Returns whether a type is left (v1.14, filterOutSameInstanceType).
 */
export function dropSameTypes(
  claim: ClaimPlan,
  candidates: readonly Candidate[],
  wellKnown: ReadonlySet<string>,
): boolean {
  const prices = new Map<string, number>()
  for (const { type, state } of candidates) {
    if (type === undefined) continue
    const compatible = Requirements.fromLabels(state.labels)
    const own = type.offerings.filter(({ requirements }) => compatible.isCompatible(requirements, wellKnown))
    const cheapest = Math.min(prices.get(type.name) ?? Number.MAX_VALUE, ...own.map(({ price }) => price))
    // A type without an offering has the price 0, as in upstream.
    prices.set(type.name, own.length === 0 ? (prices.get(type.name) ?? 0) : cheapest)
  }
  let most = Number.MAX_VALUE
  for (const { name } of claim.types as readonly InstanceType[]) most = Math.min(most, prices.get(name) ?? most)
  return filterByPrice(claim, most, wellKnown) === undefined && claim.types.length > 0
}
