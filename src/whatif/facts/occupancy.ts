import { isNodeReady } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { PodState } from '../../api/pod-state.ts'
import { intValue, milliValue } from '../../api/quantity.ts'
import { formatTaint } from '../../api/taints.ts'
import { labels } from '../../api/well-known.ts'
import type { Store } from '../../store/contract.ts'
import type { ClusterCount, NodeEntry } from '../report/forecast.ts'
import type { PodTally } from './pod-tally.ts'

interface NodeOccupancy {
  readonly node: Node
  readonly pods: number
  readonly cpuMilli: number
  readonly memoryBytes: number
}

export interface PodSize {
  readonly cpuMilli: number
  readonly memoryBytes: number
}

/** Requested and allocatable resources per node at one time. */
export class Occupancy {
  readonly rows = new Map<string, NodeOccupancy>()
  private readonly states: Readonly<Record<PodState, number>>

  /** `tally` must have the pods of the same time. */
  constructor(store: Store, tally: PodTally) {
    this.states = { ...tally.states }
    for (const node of store.list('nodes') as readonly Node[]) {
      const { name } = node.metadata
      this.rows.set(name, { node, ...tally.on(name) })
    }
  }

  /** The mean requests of the pods on nodes; undefined without requests. */
  meanSize(): PodSize | undefined {
    const rows = [...this.rows.values()]
    const pods = sum(rows, (row) => row.pods)
    const size = {
      cpuMilli: pods === 0 ? 0 : sum(rows, (row) => row.cpuMilli) / pods,
      memoryBytes: pods === 0 ? 0 : sum(rows, (row) => row.memoryBytes) / pods,
    }
    return size.cpuMilli === 0 && size.memoryBytes === 0 ? undefined : size
  }

  /** `size`: the size of the pods that `room` counts. Compared counts must use the same size. */
  count(size: PodSize | undefined): ClusterCount {
    const rows = [...this.rows.values()]
    return {
      nodes: rows.length,
      nodesReady: rows.filter(({ node }) => isNodeReady(node)).length,
      pods: this.states,
      cpu: {
        requested: sum(rows, (row) => row.cpuMilli),
        allocatable: sum(rows, (row) => allocatable(row.node).cpuMilli),
      },
      memory: {
        requested: sum(rows, (row) => row.memoryBytes),
        allocatable: sum(rows, (row) => allocatable(row.node).memoryBytes),
      },
      ...roomIn(rows, size),
    }
  }

  /** The state of a node, for comparison. */
  condition(name: string): NodeEntry['before'] {
    const node = this.rows.get(name)?.node
    if (node === undefined) return undefined
    const { pods, cpuMilli, memoryBytes } = this.rows.get(name) as NodeOccupancy
    return {
      isReady: isNodeReady(node),
      isCordoned: isCordoned(node),
      taints: taintsOf(node),
      pods,
      cpuMilli,
      memoryBytes,
    }
  }

  entry(name: string, state: NodeEntry['state']): NodeEntry | undefined {
    const row = this.rows.get(name)
    if (row === undefined) return undefined
    const { node } = row
    const zone = node.metadata.labels?.[labels.zone]
    const { cpuMilli, memoryBytes } = allocatable(node)
    return {
      node: name,
      ...(zone === undefined ? {} : { zone }),
      isReady: isNodeReady(node),
      isCordoned: isCordoned(node),
      taints: taintsOf(node),
      ...(node.spec?.podCIDR === undefined ? {} : { podCIDR: node.spec.podCIDR }),
      pods: row.pods,
      cpu: { requested: row.cpuMilli, allocatable: cpuMilli },
      memory: { requested: row.memoryBytes, allocatable: memoryBytes },
      state,
    }
  }
}

function isCordoned({ spec }: Node): boolean {
  return spec?.unschedulable === true
}

function taintsOf({ spec }: Node): readonly string[] {
  return (spec?.taints ?? []).map(formatTaint)
}

/** Reports whether the node rejects pods without tolerations. */
function isClosed({ spec }: Node): boolean {
  return spec?.taints?.some(({ effect }) => effect !== 'PreferNoSchedule') === true
}

function allocatable(node: Node): { readonly cpuMilli: number; readonly memoryBytes: number; readonly pods: number } {
  const list = node.status?.allocatable
  return {
    cpuMilli: milliValue(list?.['cpu']),
    memoryBytes: intValue(list?.['memory']),
    pods: intValue(list?.['pods']),
  }
}

function sum(rows: readonly NodeOccupancy[], of: (row: NodeOccupancy) => number): number {
  let total = 0
  for (const row of rows) total += of(row)
  return total
}

function roomIn(
  rows: readonly NodeOccupancy[],
  size: PodSize | undefined,
): { readonly room: number; readonly fragmentation: number } {
  if (size === undefined) return { room: 0, fragmentation: 0 }
  const { cpuMilli: meanCpu, memoryBytes: meanMemory } = size
  const fits = (cpuMilli: number, memoryBytes: number): number =>
    Math.min(
      meanCpu === 0 ? Number.POSITIVE_INFINITY : Math.floor(Math.max(0, cpuMilli) / meanCpu),
      meanMemory === 0 ? Number.POSITIVE_INFINITY : Math.floor(Math.max(0, memoryBytes) / meanMemory),
    )
  let room = 0
  let freeCpu = 0
  let freeMemory = 0
  for (const { node, pods, cpuMilli, memoryBytes } of rows) {
    if (!isNodeReady(node) || node.spec?.unschedulable === true || isClosed(node)) continue
    const total = allocatable(node)
    room += Math.min(fits(total.cpuMilli - cpuMilli, total.memoryBytes - memoryBytes), Math.max(0, total.pods - pods))
    freeCpu += Math.max(0, total.cpuMilli - cpuMilli)
    freeMemory += Math.max(0, total.memoryBytes - memoryBytes)
  }
  const ideal = fits(freeCpu, freeMemory)
  return { room, fragmentation: ideal === 0 ? 0 : Math.round((1 - room / ideal) * 1000) / 1000 }
}
