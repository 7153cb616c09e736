import { isScalarResource } from '../../../api/resource-names.ts'
import type { NodeState, PodShape } from '../../contract/contract.ts'
import { quotient, scaledQuotient } from '../../framework/quotient.ts'

export interface ResourceWeight {
  readonly name: string
  readonly weight: number
}

/** What one resource of a node would look like with the pod on it; undefined: the resource does not count there. */
export interface Allocation {
  readonly allocated: number
  readonly requested: number
  readonly allocatable: number
}

/** A pod's request of one resource, for scores. Explicit requests, or with the stand-ins for containers without. */
export type RequestOf = (shape: PodShape, resource: string) => number

export function plainRequest({ requests }: PodShape, resource: string): number {
  switch (resource) {
    case 'cpu':
      return requests.cpuMilli
    case 'memory':
      return requests.memoryBytes
    case 'ephemeral-storage':
      return requests.ephemeralStorageBytes
    default:
      return requests.scalars.get(resource) ?? 0
  }
}

/**
 * (v1.36, plugins/noderesources resourceAllocationScorer.calculateNodeAllocatableRequest) An extended resource that the
 * pod does not ask for, and any that the node does not have, is left out of the score.
 */
export function allocationOn(
  node: NodeState,
  resource: string,
  request: number,
  nonZero: boolean,
): Allocation | undefined {
  if (request === 0 && isScalarResource(resource)) return undefined
  const allocatable = amountOf(node.allocatable, resource)
  if (allocatable === 0) return undefined
  const allocated =
    nonZero && resource === 'cpu'
      ? node.nonZeroRequested.cpuMilli
      : nonZero && resource === 'memory'
        ? node.nonZeroRequested.memoryBytes
        : amountOf(node.requested, resource)
  return { allocated, requested: allocated + request, allocatable }
}

function amountOf(amounts: NodeState['requested'], resource: string): number {
  switch (resource) {
    case 'cpu':
      return amounts.cpuMilli
    case 'memory':
      return amounts.memoryBytes
    case 'ephemeral-storage':
      return amounts.ephemeralStorageBytes
    default:
      return amounts.scalars.get(resource) ?? 0
  }
}

export interface ShapePoint {
  readonly utilization: number
  /** 0 to 10. */
  readonly score: number
}

export type ScoringStrategy =
  | { readonly type: 'LeastAllocated' | 'MostAllocated'; readonly resources: readonly ResourceWeight[] }
  | {
      readonly type: 'RequestedToCapacityRatio'
      readonly resources: readonly ResourceWeight[]
      readonly requestedToCapacityRatio: { readonly shape: readonly ShapePoint[] }
    }

/** How one resource is scored, and how the scores of all of them become one. */
export interface AllocationScorer {
  score(requested: number, allocatable: number): number
  combine(weightedSum: number, weights: number): number
  /** Whether a resource that scores nothing is left out of the average. */
  readonly skipsZero: boolean
}

export function scorerOf(strategy: ScoringStrategy): AllocationScorer {
  switch (strategy.type) {
    case 'LeastAllocated':
      return { score: leastAllocated, combine: quotient, skipsZero: false }
    case 'MostAllocated':
      return { score: mostAllocated, combine: quotient, skipsZero: false }
    case 'RequestedToCapacityRatio':
      return {
        score: ratioScorer(strategy.requestedToCapacityRatio.shape),
        combine: (sum, weights) => Math.round(sum / weights),
        skipsZero: true,
      }
  }
}

export function leastAllocated(requested: number, allocatable: number): number {
  return requested > allocatable ? 0 : scaledQuotient(allocatable - requested, 100, allocatable)
}

function mostAllocated(requested: number, allocatable: number): number {
  // Pods without requests are counted with stand-ins, which may add up to more than there is.
  return scaledQuotient(Math.min(requested, allocatable), 100, allocatable)
}

function ratioScorer(shape: readonly ShapePoint[]): (requested: number, allocatable: number) => number {
  const points = shape.map(({ utilization, score }) => ({ at: utilization, score: score * 10 }))
  return (requested, allocatable) => {
    const utilization = requested > allocatable ? 100 : scaledQuotient(requested, 100, allocatable)
    for (const [i, point] of points.entries()) {
      if (utilization > point.at) continue
      const before = points[i - 1]
      if (before === undefined) return point.score
      return before.score + quotient((point.score - before.score) * (utilization - before.at), point.at - before.at)
    }
    return points[points.length - 1]?.score ?? 0
  }
}

/** 75 when the pod changes nothing, up to 100 when it evens the node out, down to 50 when it does the opposite. */
export function balanceScore(withPod: number, without: number): number {
  return 50 + quotient(50 + withPod - without, 2)
}

/** 100 less the standard deviation of the fractions in use. */
export function evenness(fractions: readonly number[]): number {
  let deviation = 0
  if (fractions.length === 2) deviation = Math.abs(((fractions[0] as number) - (fractions[1] as number)) / 2)
  else if (fractions.length > 2) {
    let total = 0
    for (const fraction of fractions) total += fraction
    const mean = total / fractions.length
    let squares = 0
    for (const fraction of fractions) squares += (fraction - mean) * (fraction - mean)
    deviation = Math.sqrt(squares / fractions.length)
  }
  return Math.trunc((1 - deviation) * 100)
}
