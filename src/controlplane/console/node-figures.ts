import type { NodeUsage } from '../../api/node-usage.ts'
import type { Node } from '../../api/objects/node.ts'
import type { NodeFigureRow } from '../../wire/console-tables.ts'

/** What is known about nodes besides their objects. Absent: nothing. */
export interface NodeFigures {
  /** The price per hour; undefined if it is not known. */
  readonly priceOf?: (node: Node) => number | undefined
  /** What nodes use, as last measured. */
  readonly usage?: () => ReadonlyMap<string, NodeUsage>
}

const unknown = -1

/** One row for each node of which a price or its usage is known. */
export function nodeFigureRows(nodes: readonly Node[], { priceOf, usage }: NodeFigures): readonly NodeFigureRow[] {
  const used = usage?.()
  if (priceOf === undefined && (used === undefined || used.size === 0)) return []
  return nodes.flatMap((node): readonly NodeFigureRow[] => {
    const { name } = node.metadata
    const price = priceOf?.(node)
    const { cpuMilli, memoryBytes } = used?.get(name) ?? { cpuMilli: unknown, memoryBytes: unknown }
    return price === undefined && cpuMilli === unknown ? [] : [[name, price ?? unknown, cpuMilli, memoryBytes]]
  })
}
