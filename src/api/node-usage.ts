import type { KubeObject } from './objects/meta.ts'
import { milliValue, parseQuantity, quantityInt } from './quantity.ts'

/** The resource of metrics.k8s.io for the usage of nodes. */
export const nodeMetrics = 'nodes.metrics.k8s.io'

/** The usage of a node, as metrics-server measured it. */
export interface NodeUsage {
  readonly cpuMilli: number
  readonly memoryBytes: number
}

/** The usage in a NodeMetrics object; undefined for other objects and without usage. */
export function usageIn(object: KubeObject): NodeUsage | undefined {
  const { usage } = object as unknown as { readonly usage?: { readonly cpu?: unknown; readonly memory?: unknown } }
  if (typeof usage !== 'object' || usage === null) return undefined
  const [cpu, memory] = [usage.cpu, usage.memory].map(String)
  const used = parseQuantity(memory as string)
  if (!parseQuantity(cpu as string).ok || !used.ok) return undefined
  return { cpuMilli: milliValue(cpu), memoryBytes: quantityInt(used.value) }
}
