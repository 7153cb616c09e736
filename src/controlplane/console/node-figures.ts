import type { NodeUsage } from '../../api/node-usage.ts'
import type { Node } from '../../api/objects/node.ts'
import type { NodeFigureRow } from '../../wire/console-tables.ts'

/** Facts about nodes that their objects do not contain. */
export interface NodeFigures {
  /** The price per hour; undefined if it is unknown. */
  readonly priceOf?: (node: Node) => number | undefined
  /** The last measured usage of nodes. */
  readonly usage?: () => ReadonlyMap<string, NodeUsage>
}

const unknown = -1

/** One row for each node with a known price or usage. */
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
