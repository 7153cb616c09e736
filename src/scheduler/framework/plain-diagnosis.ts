import type { Diagnosis } from '../contract/contract.ts'
import { isRejected, type PluginStatus } from '../contract/status.ts'

/** Nodes that were not evaluated count as unresolvable, without a reason. */
export const notEvaluated: PluginStatus = { code: 'UnschedulableAndUnresolvable', reasons: [] }

/** Records the status of each node during the evaluation. */
export class PlainDiagnosis implements Diagnosis {
  readonly totalNodes: number
  readonly unschedulablePlugins = new Set<string>()
  readonly pendingPlugins = new Set<string>()
  preFilter?: PluginStatus
  preFilterNodes?: ReadonlySet<string>
  absent: PluginStatus = notEvaluated
  private readonly statuses = new Map<string, PluginStatus>()

  constructor(totalNodes: number) {
    this.totalNodes = totalNodes
  }

  set(node: string, status: PluginStatus): void {
    this.statuses.set(node, status)
    this.blame(status)
  }

  blame(status: PluginStatus): void {
    if (status.plugin === undefined || !isRejected(status)) return
    this.unschedulablePlugins.add(status.plugin)
    if (status.code === 'Pending') this.pendingPlugins.add(status.plugin)
  }

  statusOf(node: string): PluginStatus {
    return this.statuses.get(node) ?? this.absent
  }

  rejected(): ReadonlyMap<string, PluginStatus> {
    return this.statuses
  }

  histogram(): readonly { readonly status: PluginStatus; readonly nodes: number }[] {
    return [...this.statuses.values()].map((status) => ({ status, nodes: 1 }))
  }
}
