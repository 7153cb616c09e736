import type { Node } from '../../api/objects/node.ts'
import { intValue } from '../../api/quantity.ts'
import type { AutoscalerOptions } from './options.ts'

const gib = 2 ** 30

/** The limits --cores-total and --memory-total (1.36, resourcequotas). */
export class ResourceLimits {
  private readonly options: AutoscalerOptions
  private cores = 0
  private memoryBytes = 0

  /** Counts the existing nodes. */
  constructor(options: AutoscalerOptions, nodes: readonly Node[]) {
    this.options = options
    for (const node of nodes) this.add(node, 1)
  }

  add(node: Node, count: number): void {
    const { cores, memoryBytes } = sizeOf(node)
    this.cores += cores * count
    this.memoryBytes += memoryBytes * count
  }

  /** The number of additional nodes like this one that are allowed, at most `count`. */
  allowed(node: Node, count: number): number {
    const { cores, memoryBytes } = sizeOf(node)
    const { options } = this
    const byCores = cores > 0 ? Math.floor((options['cores-total'].max - this.cores) / cores) : count
    const byMemory =
      memoryBytes > 0 ? Math.floor((options['memory-total'].max * gib - this.memoryBytes) / memoryBytes) : count
    return Math.max(0, Math.min(count, byCores, byMemory))
  }

  /** The resources whose limit another node like this one would exceed. */
  exceeded(node: Node): readonly string[] {
    const { cores, memoryBytes } = sizeOf(node)
    const { options } = this
    return [
      ...(cores > 0 && this.cores + cores > options['cores-total'].max ? ['cpu'] : []),
      ...(memoryBytes > 0 && this.memoryBytes + memoryBytes > options['memory-total'].max * gib ? ['memory'] : []),
    ]
  }

  /** Reports whether the cluster stays above its minimum without the node. */
  canRemove(node: Node): boolean {
    const { cores, memoryBytes } = sizeOf(node)
    const { options } = this
    return (
      this.cores - cores >= options['cores-total'].min &&
      this.memoryBytes - memoryBytes >= options['memory-total'].min * gib
    )
  }
}

function sizeOf({ status }: Node): { readonly cores: number; readonly memoryBytes: number } {
  return { cores: intValue(status?.capacity?.['cpu']), memoryBytes: intValue(status?.capacity?.['memory']) }
}
