import { isScalarResource } from '../../../api/resource-names.ts'
import type { AmountColumn, NodeTable } from '../../cache/node-table.ts'
import type { ColumnSources } from '../../framework/columnar/column.ts'
import type { ParsedPod } from '../../framework/contract.ts'
import { unresolvable, unschedulable } from '../../framework/status.ts'
import type { AllocationScorer, ResourceWeight } from './allocation.ts'

/** One resource the pod asks for. Bit n of a shortage is the nth of these; bit 0 is the number of pods. */
interface Wanted {
  readonly name: string
  readonly amount: number
  readonly column: AmountColumn
}

export function openFit(
  { shape }: ParsedPod,
  { table, statuses }: ColumnSources,
  isIgnored: (resource: string) => boolean,
): (row: number) => number {
  const { requests } = shape
  const wanted: Wanted[] = []
  const want = (name: string, amount: number, column: AmountColumn): void => {
    if (amount > 0) wanted.push({ name, amount, column })
  }
  want('cpu', requests.cpuMilli, table.cpuMilli)
  want('memory', requests.memoryBytes, table.memoryBytes)
  want('ephemeral-storage', requests.ephemeralStorageBytes, table.ephemeralStorageBytes)
  for (const [name, amount] of requests.scalars) if (!isIgnored(name)) want(name, amount, table.scalar(name))

  const known = new Map<number, number>()
  const statusOf = (short: number, never: boolean): number => {
    const key = short * 2 + (never ? 1 : 0)
    let id = known.get(key)
    if (id === undefined) {
      const reasons = wanted.flatMap(({ name }, i) => ((short >> (i + 1)) & 1 ? [`Insufficient ${name}`] : []))
      if (short & 1) reasons.unshift('Too many pods')
      id = statuses.idOf('NodeResourcesFit', never ? unresolvable(...reasons) : unschedulable(...reasons))
      known.set(key, id)
    }
    return id
  }
  return (row) => {
    let short = (table.pods.requested[row] as number) + 1 > (table.pods.allocatable[row] as number) ? 1 : 0
    let never = false
    for (let i = 0; i < wanted.length; i++) {
      const { amount, column } = wanted[i] as Wanted
      const has = column.allocatable[row] as number
      if (amount <= has - (column.requested[row] as number)) continue
      short |= 2 << i
      if (amount > has) never = true
    }
    return short === 0 ? 0 : statusOf(short, never)
  }
}

/** A resource that counts for a score, with what the pod adds to it. */
interface Scored {
  readonly request: number
  readonly weight: number
  readonly allocatable: (row: number) => number
  readonly allocated: (row: number) => number
}

function scoredResources(
  table: NodeTable,
  resources: readonly ResourceWeight[],
  requests: readonly number[],
  nonZero: boolean,
): readonly Scored[] {
  return resources.flatMap(({ name, weight }, i) => {
    const request = requests[i] as number
    if (request === 0 && isScalarResource(name)) return []
    const column = columnOf(table, name)
    return [
      {
        request,
        weight,
        allocatable: (row: number) => column.allocatable[row] as number,
        allocated: allocatedOf(table, name, column, nonZero),
      },
    ]
  })
}

function columnOf(table: NodeTable, name: string): AmountColumn {
  switch (name) {
    case 'cpu':
      return table.cpuMilli
    case 'memory':
      return table.memoryBytes
    case 'ephemeral-storage':
      return table.ephemeralStorageBytes
    default:
      return table.scalar(name)
  }
}

function allocatedOf(table: NodeTable, name: string, column: AmountColumn, nonZero: boolean): (row: number) => number {
  if (nonZero && name === 'cpu') return (row) => table.nonZeroCpuMilli[row] as number
  if (nonZero && name === 'memory') return (row) => table.nonZeroMemoryBytes[row] as number
  return (row) => column.requested[row] as number
}

export function openAllocationScore(
  table: NodeTable,
  resources: readonly ResourceWeight[],
  requests: readonly number[],
  scorer: AllocationScorer,
): (row: number) => number {
  const scored = scoredResources(table, resources, requests, true)
  return (row) => {
    let sum = 0
    let weights = 0
    for (let i = 0; i < scored.length; i++) {
      const { request, weight, allocatable, allocated } = scored[i] as Scored
      const has = allocatable(row)
      if (has === 0) continue
      const score = scorer.score(allocated(row) + request, has)
      if (scorer.skipsZero && score <= 0) continue
      sum += score * weight
      weights += weight
    }
    return weights === 0 ? 0 : scorer.combine(sum, weights)
  }
}

/** `evenness` of the fractions with and without the pod, made into a score by `combine`. */
export function openBalanceScore(
  table: NodeTable,
  resources: readonly ResourceWeight[],
  requests: readonly number[],
  evenness: (fractions: readonly number[]) => number,
  combine: (withPod: number, without: number) => number,
): (row: number) => number {
  const scored = scoredResources(table, resources, requests, false)
  const before: number[] = []
  const after: number[] = []
  return (row) => {
    before.length = 0
    after.length = 0
    for (let i = 0; i < scored.length; i++) {
      const { request, allocatable, allocated } = scored[i] as Scored
      const has = allocatable(row)
      if (has === 0) continue
      const used = allocated(row)
      before.push(Math.min(used / has, 1))
      after.push(Math.min((used + request) / has, 1))
    }
    return combine(evenness(after), evenness(before))
  }
}
