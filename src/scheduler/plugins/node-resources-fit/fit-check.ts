import type { ColumnSources } from '../../columns/plugin-columns.ts'
import type { NodeState, PluginStatus, PodShape } from '../../contract/contract.ts'
import { ok, unresolvable, unschedulable } from '../../contract/status.ts'
import { AmountReader, type ResourceColumn } from './amount-reader.ts'

/** Compares the requests of a pod with the free resources of nodes (v1.36, plugins/noderesources fitsRequest). */
export class FitCheck {
  private readonly resources: readonly string[]
  private readonly requests: readonly number[]
  private readonly bits: readonly number[]
  /** A device class provides the resource on nodes that do not have it. */
  private readonly fromDevices: readonly boolean[]
  private readonly amounts: AmountReader
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
    this.amounts = new AmountReader(this.resources, false)
  }

  onNode(node: NodeState): PluginStatus {
    const shortage = this.shortage(this.amounts.onNode(node), 0, node.pods.length, node.allocatable.pods)
    return shortage === 0 ? ok : this.statusOf(shortage)
  }

  openColumn({ table, statuses }: ColumnSources): (row: number) => number {
    const columns = this.amounts.in(table)
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

  /**
   * The kernel of both forms. Returns a bit set: bit 0 for the number of pods, bit i + 1 for resource i. It is negative
   * when the pod does not fit on the empty node. Arithmetic instead of shifts allows more than 31 resources.
   */
  private shortage(columns: readonly ResourceColumn[], row: number, pods: number, maxPods: number): number {
    const { requests, bits, fromDevices } = this
    let shortage = pods + 1 > maxPods ? 1 : 0
    let fitsEmpty = true
    for (let i = 0; i < requests.length; i++) {
      const request = requests[i] as number
      const { allocatable, requested } = columns[i] as ResourceColumn
      const total = allocatable.allocatable[row] as number
      if (request <= total - (requested.requested[row] as number)) continue
      if (total === 0 && fromDevices[i] === true) continue
      shortage += bits[i] as number
      if (request > total) fitsEmpty = false
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
