import type { NodeMemory, PluginStatus } from '../contract/contract.ts'
import { ok } from '../contract/status.ts'
import type { Plan } from './plan.ts'
import type { ColumnSources } from './plugin-columns.ts'

/** Lets preemption keep an answer per row for all pods of a plan. */
export class PlanMemory implements NodeMemory {
  private readonly plan: Plan
  private readonly sources: ColumnSources

  constructor(plan: Plan, sources: ColumnSources) {
    this.plan = plan
    this.sources = sources
  }

  get budgetsVersion(): number {
    return this.sources.versionOf('poddisruptionbudgets.policy')
  }

  *rows(): Iterable<number> {
    for (const { row } of this.plan.table.nodes()) yield row
  }

  statusOf(row: number): PluginStatus {
    const id = this.plan.table.exists[row] === 1 ? this.plan.statusOf(row) : 0
    return id > 0 ? this.sources.statuses.get(id) : ok
  }

  lowestPriority(row: number): number {
    return this.plan.table.lowestPriority(row)
  }

  intern(status: PluginStatus): PluginStatus {
    const { statuses } = this.sources
    return statuses.get(statuses.idOf(status.plugin ?? '', status))
  }

  onChange(listener: (row: number) => void): void {
    this.plan.onRow = listener
  }
}
