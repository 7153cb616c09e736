import type { AmountColumn, NodeTable } from '../../columns/table/node-table.ts'
import type { NodeState } from '../../contract/contract.ts'

/** A resource of all nodes of a table, or of one node in row 0: the input of the kernels. */
export interface ResourceColumn {
  readonly allocatable: Pick<AmountColumn, 'allocatable'>
  readonly requested: Pick<AmountColumn, 'requested'>
}

/**
 * The amounts of some resources. The plain form copies a node into row 0 of private columns, and the columnar form reads
 * the columns of the node table, so both forms share a kernel over columns and a row.
 */
export class AmountReader {
  private readonly resources: readonly string[]
  /** Pods without requests count with upstream's default requests. */
  private readonly nonZero: boolean
  private ofNode: readonly AmountColumn[] | undefined
  private views: readonly ResourceColumn[] | undefined

  constructor(resources: readonly string[], nonZero: boolean) {
    this.resources = resources
    this.nonZero = nonZero
  }

  /** The amounts of one node in row 0; valid until the next call. */
  onNode(node: NodeState): readonly ResourceColumn[] {
    this.ofNode ??= this.resources.map(() => ({ allocatable: new Float64Array(1), requested: new Float64Array(1) }))
    const columns = this.ofNode
    for (let i = 0; i < columns.length; i++) {
      const resource = this.resources[i] as string
      const { allocatable, requested } = columns[i] as AmountColumn
      allocatable[0] = amountOf(node.allocatable, resource)
      requested[0] = this.nonZero ? nonZeroRequested(node, resource) : amountOf(node.requested, resource)
    }
    this.views ??= columns.map((column) => ({ allocatable: column, requested: column }))
    return this.views
  }

  in(table: NodeTable): readonly ResourceColumn[] {
    return this.resources.map((resource) => {
      const column = columnOf(table, resource)
      return { allocatable: column, requested: (this.nonZero ? nonZeroColumn(table, resource) : undefined) ?? column }
    })
  }
}

/** The amount of one resource of a node or pod. */
export function amountOf(amounts: NodeState['requested'], resource: string): number {
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

function nonZeroRequested({ nonZeroRequested, requested }: NodeState, resource: string): number {
  if (resource === 'cpu') return nonZeroRequested.cpuMilli
  return resource === 'memory' ? nonZeroRequested.memoryBytes : amountOf(requested, resource)
}

function columnOf(table: NodeTable, resource: string): AmountColumn {
  switch (resource) {
    case 'cpu':
      return table.cpuMilli
    case 'memory':
      return table.memoryBytes
    case 'ephemeral-storage':
      return table.ephemeralStorageBytes
    default:
      return table.scalar(resource)
  }
}

function nonZeroColumn(table: NodeTable, resource: string): Pick<AmountColumn, 'requested'> | undefined {
  return resource === 'cpu' ? table.nonZeroCpuMilli : resource === 'memory' ? table.nonZeroMemoryBytes : undefined
}
