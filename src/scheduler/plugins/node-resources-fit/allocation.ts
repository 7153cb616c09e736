import { isScalarResource } from '../../../api/resource-names.ts'
import type { AmountColumn, NodeTable } from '../../columns/table/node-table.ts'
import type { NodeState } from '../../contract/contract.ts'
import { quotient, scaledQuotient } from '../../framework/quotient.ts'
import { AmountReader, type ResourceColumn } from './amount-reader.ts'

export interface ResourceWeight {
  readonly name: string
  readonly weight: number
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

/** Scores one resource, and combines the scores of all resources. */
export interface AllocationScorer {
  score(requested: number, allocatable: number): number
  combine(weightedSum: number, weights: number): number
  /** A resource with score 0 does not count in the average. */
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
  // Default requests of pods without requests can add up to more than the allocatable amount.
  return scaledQuotient(Math.min(requested, allocatable), 100, allocatable)
}

function ratioScorer(shape: readonly ShapePoint[]): (requested: number, allocatable: number) => number {
  const scoreOf = brokenLinear(shape)
  return (requested, allocatable) =>
    scoreOf(requested > allocatable ? 100 : scaledQuotient(requested, 100, allocatable))
}

/** The score of a utilization in percent, linear between the points (v1.36, helper BuildBrokenLinearFunction). */
export function brokenLinear(shape: readonly ShapePoint[]): (utilization: number) => number {
  const points = shape.map(({ utilization, score }) => ({ at: utilization, score: score * 10 }))
  return (utilization) => {
    for (const [i, point] of points.entries()) {
      if (utilization > point.at) continue
      const before = points[i - 1]
      if (before === undefined) return point.score
      return before.score + quotient((point.score - before.score) * (utilization - before.at), point.at - before.at)
    }
    return points[points.length - 1]?.score ?? 0
  }
}

/**
 * A score of the resources of a node with the pod on it. The plain and the columnar form share the kernel. Extended
 * resources that the pod does not request, and resources that the node does not have, do not count (v1.36,
 * plugins/noderesources calculateNodeAllocatableRequest).
 */
abstract class ResourceScore {
  protected readonly weights: readonly number[]
  protected readonly requests: readonly number[]
  protected readonly amounts: AmountReader

  constructor(resources: readonly ResourceWeight[], requests: readonly number[], nonZero: boolean) {
    const counted = resources
      .map(({ name, weight }, i) => ({ name, weight, request: requests[i] as number }))
      .filter(({ name, request }) => request !== 0 || !isScalarResource(name))
    this.weights = counted.map(({ weight }) => weight)
    this.requests = counted.map(({ request }) => request)
    this.amounts = new AmountReader(
      counted.map(({ name }) => name),
      nonZero,
    )
  }

  onNode(node: NodeState): number {
    return this.compute(this.amounts.onNode(node), 0)
  }

  /** Scores nodes as if they were one node. */
  onNodes(nodes: readonly NodeState[]): number {
    const sums = this.weights.map(() => ({ allocatable: new Float64Array(1), requested: new Float64Array(1) }))
    for (const node of nodes) {
      this.amounts.onNode(node).forEach(({ allocatable, requested }, i) => {
        // The used amount of a resource counts only on nodes that have the resource.
        if (allocatable.allocatable[0] === 0) return
        const sum = sums[i] as AmountColumn
        sum.allocatable[0] = (sum.allocatable[0] as number) + (allocatable.allocatable[0] as number)
        sum.requested[0] = (sum.requested[0] as number) + (requested.requested[0] as number)
      })
    }
    return this.compute(
      sums.map((column) => ({ allocatable: column, requested: column })),
      0,
    )
  }

  /** Implemented by each score, so that the call of its kernel can be inlined. */
  abstract openColumn(table: NodeTable): (row: number) => number

  /** The kernel. */
  protected abstract compute(columns: readonly ResourceColumn[], row: number): number
}

/** The score of NodeResourcesFit: the weighted average of the scores of the resources. */
export class AllocationScore extends ResourceScore {
  private readonly scorer: AllocationScorer

  constructor(resources: readonly ResourceWeight[], requests: readonly number[], scorer: AllocationScorer) {
    super(resources, requests, true)
    this.scorer = scorer
  }

  openColumn(table: NodeTable): (row: number) => number {
    const columns = this.amounts.in(table)
    return (row) => this.compute(columns, row)
  }

  protected compute(columns: readonly ResourceColumn[], row: number): number {
    const { scorer, requests, weights } = this
    let sum = 0
    let totalWeight = 0
    for (let i = 0; i < columns.length; i++) {
      const { allocatable, requested } = columns[i] as ResourceColumn
      const total = allocatable.allocatable[row] as number
      if (total === 0) continue
      const score = scorer.score((requested.requested[row] as number) + (requests[i] as number), total)
      if (scorer.skipsZero && score <= 0) continue
      sum += score * (weights[i] as number)
      totalWeight += weights[i] as number
    }
    return totalWeight === 0 ? 0 : scorer.combine(sum, totalWeight)
  }
}

/**
 * The score of NodeResourcesBalancedAllocation: 75 when the pod does not change the balance, up to 100 when it improves
 * the balance, down to 50 when it worsens the balance. Up to v1.35, the balance with the pod.
 */
export class BalanceScore extends ResourceScore {
  private readonly byChange: boolean
  private readonly before: Float64Array
  private readonly after: Float64Array

  constructor(resources: readonly ResourceWeight[], requests: readonly number[], byChange: boolean) {
    super(resources, requests, false)
    this.byChange = byChange
    this.before = new Float64Array(this.requests.length)
    this.after = new Float64Array(this.requests.length)
  }

  openColumn(table: NodeTable): (row: number) => number {
    const columns = this.amounts.in(table)
    return (row) => this.compute(columns, row)
  }

  protected compute(columns: readonly ResourceColumn[], row: number): number {
    const { before, after, requests } = this
    let count = 0
    for (let i = 0; i < columns.length; i++) {
      const { allocatable, requested } = columns[i] as ResourceColumn
      const total = allocatable.allocatable[row] as number
      if (total === 0) continue
      const used = requested.requested[row] as number
      before[count] = Math.min(used / total, 1)
      after[count] = Math.min((used + (requests[i] as number)) / total, 1)
      count++
    }
    const balance = evenness(after, count)
    return this.byChange ? 50 + quotient(50 + balance - evenness(before, count), 2) : balance
  }
}

/** 100 minus the standard deviation of the used fractions, in percent. */
function evenness(fractions: Float64Array, count: number): number {
  let deviation = 0
  if (count === 2) deviation = Math.abs(((fractions[0] as number) - (fractions[1] as number)) / 2)
  else if (count > 2) {
    let total = 0
    for (let i = 0; i < count; i++) total += fractions[i] as number
    const mean = total / count
    let squares = 0
    for (let i = 0; i < count; i++) squares += ((fractions[i] as number) - mean) * ((fractions[i] as number) - mean)
    deviation = Math.sqrt(squares / count)
  }
  return Math.trunc((1 - deviation) * 100)
}
