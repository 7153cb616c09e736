import { assert } from '../../base/assert.ts'
import type { Diagnosis } from '../contract/contract.ts'
import { isRejected, ok, type PluginStatus } from '../contract/status.ts'
import { notEvaluated } from '../framework/plain-diagnosis.ts'
import type { Plan } from './plan.ts'
import type { StatusTable } from './status-table.ts'
import type { NodeTable } from './table/node-table.ts'

/** Reads the status of each node from a plan on request. */
export class ColumnarDiagnosis implements Diagnosis {
  readonly totalNodes: number
  readonly unschedulablePlugins: ReadonlySet<string>
  readonly pendingPlugins: ReadonlySet<string>
  readonly absent: PluginStatus = notEvaluated
  private readonly plan: Plan
  private readonly table: NodeTable
  private readonly statuses: StatusTable
  private readonly counts: ReadonlyMap<number, number>
  private readonly madeAt: number

  constructor(plan: Plan, statuses: StatusTable) {
    this.plan = plan
    this.table = plan.table
    this.statuses = statuses
    this.totalNodes = this.table.nodeCount
    this.counts = plan.histogram()
    this.madeAt = this.table.log.end
    const unschedulable = new Set<string>()
    const pending = new Set<string>()
    for (const id of this.counts.keys()) {
      const { code, plugin } = statuses.get(id)
      if (plugin === undefined) continue
      unschedulable.add(plugin)
      if (code === 'Pending') pending.add(plugin)
    }
    this.unschedulablePlugins = unschedulable
    this.pendingPlugins = pending
  }

  statusOf(node: string): PluginStatus {
    const row = this.table.node(node)
    return row === undefined ? this.absent : this.statusOfRow(row.row)
  }

  rejected(): ReadonlyMap<string, PluginStatus> {
    assert(this.madeAt === this.table.log.end, 'the nodes have changed since this diagnosis was made')
    const rejected = new Map<string, PluginStatus>()
    for (const { name, row } of this.table.nodes()) {
      const status = this.statusOfRow(row)
      if (isRejected(status)) rejected.set(name, status)
    }
    return rejected
  }

  histogram(): readonly { readonly status: PluginStatus; readonly nodes: number }[] {
    return [...this.counts].map(([id, nodes]) => ({ status: this.statuses.get(id), nodes }))
  }

  private statusOfRow(row: number): PluginStatus {
    const id = this.plan.statusOf(row)
    return id > 0 ? this.statuses.get(id) : ok
  }
}
