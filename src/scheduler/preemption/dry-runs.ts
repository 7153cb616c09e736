import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { Plan } from '../columns/plan.ts'
import type { StatusTable } from '../columns/status-table.ts'
import type { NodeRow } from '../columns/table/node-row.ts'
import type { NodeState, ParsedPod, Status, Trial } from '../contract/contract.ts'
import { isRejected } from '../contract/status.ts'
import type { Candidate } from './pick-node.ts'
import { judgeNode, type Verdict } from './select-victims.ts'

/** Who asks, and how a node is tried. */
export interface Trier {
  readonly pod: ParsedPod
  readonly tryOn: (node: NodeState) => Trial
  readonly budgets: readonly PodDisruptionBudget[]
  readonly keepsBudgets: boolean
}

/**
 * Who would have to leave each node, kept from preemptor to preemptor of one plan. What a node's pods are and who is
 * nominated to it is all that such an answer hangs on, as long as no filter looks beyond the node; so a row is tried
 * again only when something happened to it.
 */
export class DryRuns {
  private readonly plan: Plan
  private readonly statuses: StatusTable
  /** By row. Undefined: not tried since the row last changed. */
  private verdicts: (Verdict | undefined)[] = []
  /** By row: whether removing pods may help there at all. */
  private potential: (boolean | undefined)[] = []
  private readonly stale: number[] = []
  private readonly refusals = new Map<Status, number>()
  private potentials = 0
  private untried = 0
  private found = 0
  private budgetsVersion = -1

  constructor(plan: Plan, statuses: StatusTable) {
    this.plan = plan
    this.statuses = statuses
    for (const { row } of plan.table.nodes()) this.stale.push(row)
    plan.onRow = (row) => this.forget(row)
  }

  /** Brings up to date what hangs on rows. */
  refresh(budgetsVersion: number): void {
    if (budgetsVersion !== this.budgetsVersion) {
      this.budgetsVersion = budgetsVersion
      this.verdicts.forEach((verdict, row) => {
        if (verdict !== undefined) this.forget(row)
      })
    }
    for (const row of this.stale) this.assess(row)
    this.stale.length = 0
  }

  /** Whether all potential nodes were tried, and none will do. */
  get isHopeless(): boolean {
    return this.found === 0 && this.untried === 0
  }

  /** What potential nodes that will not do said, with how many said it. */
  refused(): readonly { readonly status: Status; readonly nodes: number }[] {
    return [...this.refusals].map(([status, nodes]) => ({ status, nodes }))
  }

  /** How many nodes removing pods may help on. */
  get potentialCount(): number {
    return this.potentials
  }

  /** The candidate of a row; undefined when the row will not do, or nothing can be gained there. */
  tryRow(row: number, trier: Trier): Candidate | undefined {
    const verdict = this.verdicts[row]
    if (verdict !== undefined) return verdict.kind === 'candidate' ? verdict.candidate : undefined
    return this.potential[row] === true ? this.judge(row, trier) : undefined
  }

  private judge(row: number, { pod, tryOn, budgets, keepsBudgets }: Trier): Candidate | undefined {
    const verdict = judgeNode(pod, this.plan.table.rows[row] as NodeRow, tryOn, budgets, keepsBudgets)
    this.untried--
    if (verdict.kind === 'candidate') {
      this.verdicts[row] = verdict
      this.found++
      return verdict.candidate
    }
    const status = this.shared(verdict.status)
    this.verdicts[row] = { kind: 'refused', status }
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1)
    return undefined
  }

  /** One object for equal answers, so that many nodes are few refusals. Errors are few, and each is its own. */
  private shared(status: Status): Status {
    return isRejected(status) ? this.statuses.get(this.statuses.idOf(status.plugin ?? '', status)) : status
  }

  private assess(row: number): void {
    if (this.potential[row] !== undefined) return
    const status = this.plan.table.exists[row] === 1 ? this.plan.statusOf(row) : 0
    const potential = status > 0 && this.statuses.get(status).code === 'Unschedulable'
    this.potential[row] = potential
    if (!potential) return
    this.potentials++
    this.untried++
  }

  private forget(row: number): void {
    const verdict = this.verdicts[row]
    if (verdict?.kind === 'candidate') this.found--
    else if (verdict !== undefined) {
      const left = (this.refusals.get(verdict.status) as number) - 1
      if (left === 0) this.refusals.delete(verdict.status)
      else this.refusals.set(verdict.status, left)
    } else if (this.potential[row] === true) this.untried--
    if (this.potential[row] === true) this.potentials--
    this.verdicts[row] = undefined
    this.potential[row] = undefined
    this.stale.push(row)
  }
}

const kept = new WeakMap<Plan, DryRuns>()

export function dryRunsOf(plan: Plan, statuses: StatusTable): DryRuns {
  let runs = kept.get(plan)
  if (runs === undefined) {
    runs = new DryRuns(plan, statuses)
    kept.set(plan, runs)
  }
  return runs
}
