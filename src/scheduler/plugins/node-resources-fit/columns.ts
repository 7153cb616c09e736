import { isScalarResource } from '../../../api/resource-names.ts'
import type { ColumnSources } from '../../columns/plugin-columns.ts'
import type { AmountColumn, NodeTable } from '../../columns/table/node-table.ts'
import type { ParsedPod } from '../../contract/contract.ts'
import { unresolvable, unschedulable } from '../../contract/status.ts'
import { type AllocationScorer, balanceScore, evenness, type ResourceWeight } from './allocation.ts'

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
  readonly column: AmountColumn
  /** What counts as in use: requests as they are, or with stand-ins. */
  readonly used: Pick<AmountColumn, 'requested'>
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
    return [{ request, weight, column, used: (nonZero ? nonZeroOf(table, name) : undefined) ?? column }]
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

function nonZeroOf(table: NodeTable, name: string): Pick<AmountColumn, 'requested'> | undefined {
  return name === 'cpu' ? table.nonZeroCpuMilli : name === 'memory' ? table.nonZeroMemoryBytes : undefined
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
      const { request, weight, column, used } = scored[i] as Scored
      const has = column.allocatable[row] as number
      if (has === 0) continue
      const score = scorer.score((used.requested[row] as number) + request, has)
      if (scorer.skipsZero && score <= 0) continue
      sum += score * weight
      weights += weight
    }
    return weights === 0 ? 0 : scorer.combine(sum, weights)
  }
}

export function openBalanceScore(
  table: NodeTable,
  resources: readonly ResourceWeight[],
  requests: readonly number[],
): (row: number) => number {
  const scored = scoredResources(table, resources, requests, false)
  const [first, second] = scored
  const general = openGeneralBalance(scored)
  if (scored.length !== 2 || first === undefined || second === undefined) return general
  // Two resources, as by default, and a node that has both: the same without lists.
  return (row) => {
    const has1 = first.column.allocatable[row] as number
    const has2 = second.column.allocatable[row] as number
    if (has1 === 0 || has2 === 0) return general(row)
    const used1 = first.used.requested[row] as number
    const used2 = second.used.requested[row] as number
    const before = unevenness(Math.min(used1 / has1, 1), Math.min(used2 / has2, 1))
    const after = unevenness(Math.min((used1 + first.request) / has1, 1), Math.min((used2 + second.request) / has2, 1))
    return balanceScore(Math.trunc((1 - after) * 100), Math.trunc((1 - before) * 100))
  }
}

function unevenness(a: number, b: number): number {
  return Math.abs((a - b) / 2)
}

function openGeneralBalance(scored: readonly Scored[]): (row: number) => number {
  return (row) => {
    const before: number[] = []
    const after: number[] = []
    for (const { request, column, used } of scored) {
      const has = column.allocatable[row] as number
      if (has === 0) continue
      const inUse = used.requested[row] as number
      before.push(Math.min(inUse / has, 1))
      after.push(Math.min((inUse + request) / has, 1))
    }
    return balanceScore(evenness(after), evenness(before))
  }
}
