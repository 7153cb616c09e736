import type { ColumnSources } from '../../columns/plugin-columns.ts'
import type { NodeState, PluginStatus, PodShape } from '../../contract/contract.ts'
import { ok, unresolvable, unschedulable } from '../../contract/status.ts'
import { AmountReader, amountOf, type ResourceColumn } from './amount-reader.ts'

// The answers for a resource: sufficient, insufficient with the present pods, or insufficient even on the empty node.
const enough = 0
const now = 1
const never = 2
type Lack = typeof enough | typeof now | typeof never

/** Compares the requests of a pod with the free resources of nodes (v1.36, plugins/noderesources fitsRequest). */
export class FitCheck {
  private readonly resources: readonly string[]
  private readonly requests: readonly number[]
  private readonly bits: readonly number[]
  /** A device class provides the resource on nodes that do not have it. */
  private readonly fromDevices: readonly boolean[]
  private readonly statuses = new Map<number, PluginStatus>()

  constructor(
    { requests }: PodShape,
    isIgnored: (resource: string) => boolean,
    isFromDevices: (resource: string) => boolean = () => false,
  ) {
    const all: readonly (readonly [string, number])[] = [
      ['cpu', requests.cpuMilli],
      ['memory', requests.memoryBytes],
      ['ephemeral-storage', requests.ephemeralStorageBytes],
      ...[...requests.scalars].filter(([name]) => !isIgnored(name)),
    ]
    const requested = all.filter(([, amount]) => amount > 0)
    this.resources = requested.map(([name]) => name)
    this.requests = requested.map(([, amount]) => amount)
    this.fromDevices = requested.map(([name]) => isFromDevices(name))
    this.bits = requested.map((_, i) => 2 ** (i + 1))
  }

  /** Reads the node itself and not the columns of an `AmountReader`: a trial of preemption checks each node once. */
  onNode({ pods, allocatable, requested }: NodeState): PluginStatus {
    const { resources, bits } = this
    let shortage = pods.length + 1 > allocatable.pods ? 1 : 0
    let fitsEmpty = true
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i] as string
      const lack = this.lackOf(i, amountOf(allocatable, resource), amountOf(requested, resource))
      if (lack === enough) continue
      shortage += bits[i] as number
      if (lack === never) fitsEmpty = false
    }
    return shortage === 0 ? ok : this.statusOf(fitsEmpty ? shortage : -shortage)
  }

  openColumn({ table, statuses }: ColumnSources): (row: number) => number {
    const columns = new AmountReader(this.resources, false).in(table)
    const { pods } = table
    const ids = new Map<number, number>()
    return (row) => {
      const shortage = this.shortage(columns, row, pods.requested[row] as number, pods.allocatable[row] as number)
      if (shortage === 0) return 0
      let id = ids.get(shortage)
      if (id === undefined) {
        id = statuses.idOf('NodeResourcesFit', this.statusOf(shortage))
        ids.set(shortage, id)
      }
      return id
    }
  }

  /** The kernel of both forms: whether a node has enough of resource i. */
  private lackOf(i: number, total: number, used: number): Lack {
    const request = this.requests[i] as number
    if (request <= total - used || (total === 0 && this.fromDevices[i] === true)) return enough
    return request > total ? never : now
  }

  /**
   * Returns a bit set: bit 0 for the number of pods, bit i + 1 for resource i. It is negative when the pod does not fit on
   * the empty node. Arithmetic instead of shifts allows more than 31 resources.
   */
  private shortage(columns: readonly ResourceColumn[], row: number, pods: number, maxPods: number): number {
    const { bits } = this
    let shortage = pods + 1 > maxPods ? 1 : 0
    let fitsEmpty = true
    for (let i = 0; i < columns.length; i++) {
      const { allocatable, requested } = columns[i] as ResourceColumn
      const lack = this.lackOf(i, allocatable.allocatable[row] as number, requested.requested[row] as number)
      if (lack === enough) continue
      shortage += bits[i] as number
      if (lack === never) fitsEmpty = false
    }
    return fitsEmpty ? shortage : -shortage
  }

  private statusOf(shortage: number): PluginStatus {
    let status = this.statuses.get(shortage)
    if (status === undefined) {
      status = this.describe(shortage)
      this.statuses.set(shortage, status)
    }
    return status
  }

  /** Lists all insufficient resources. Unresolvable when preemption cannot help. */
  private describe(shortage: number): PluginStatus {
    const set = Math.abs(shortage)
    const reasons = this.resources.flatMap((name, i) =>
      Math.floor(set / (this.bits[i] as number)) % 2 === 1 ? [`Insufficient ${name}`] : [],
    )
    if (set % 2 === 1) reasons.unshift('Too many pods')
    return shortage < 0 ? unresolvable(...reasons) : unschedulable(...reasons)
  }
}
