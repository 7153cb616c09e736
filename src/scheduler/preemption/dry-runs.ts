import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { NodeMemory, NodeState, ParsedPod, PluginStatus, Trial } from '../contract/contract.ts'
import { isRejected } from '../contract/status.ts'
import { breaksBudget, type DryRunVerdict, judgeNode } from './judge-node.ts'
import type { PreemptionCandidate } from './pick-node.ts'
import { noVictims, type VictimRules } from './select-victims.ts'

/** The preemptor and how to try a node. */
export interface DryRunInput {
  readonly pod: ParsedPod
  readonly tryOn: (node: NodeState) => Trial
  readonly budgets: readonly PodDisruptionBudget[]
  readonly rules: VictimRules
}

/**
 * The victims on each node, kept for all preemptors that share a node memory. The victims depend only on the pods on
 * the node and the pods nominated to it, so a node is tried again only when its row changes.
 */
export class DryRuns {
  private readonly memory: NodeMemory
  /** By row. Undefined: not tried since the last change of the row. */
  private readonly verdicts: (DryRunVerdict | undefined)[] = []
  /** By row: whether removing pods may help, and whether there are any to remove. */
  private readonly potential: ('victims' | 'none' | 'no' | undefined)[] = []
  private readonly stale: number[]
  private readonly refusals = new Map<PluginStatus, number>()
  private potentials = 0
  private withVictims = 0
  private untried = 0
  private found = 0
  private budgetsVersion = -1

  constructor(memory: NodeMemory) {
    this.memory = memory
    this.stale = [...memory.rows()]
    memory.onChange((row) => this.forget(row))
  }

  /** Applies the changes of rows and budgets. All preemptors that share the memory have this priority. */
  refresh(priority: number): void {
    const { budgetsVersion } = this.memory
    if (budgetsVersion !== this.budgetsVersion) {
      this.budgetsVersion = budgetsVersion
      const violating = this.memory.intern(breaksBudget)
      // Budgets do not matter for a node without possible victims.
      this.verdicts.forEach((verdict, row) => {
        if (verdict?.kind === 'candidate' || verdict?.status === violating) this.forget(row)
      })
    }
    for (const row of this.stale) this.assess(row, priority)
    this.stale.length = 0
  }

  /** All potential nodes were tried, and none is a candidate. */
  get isHopeless(): boolean {
    return this.found === 0 && this.untried === 0
  }

  /** A potential node has a pod of a lower priority. */
  get hasVictims(): boolean {
    return this.withVictims > 0
  }

  /** The statuses of potential nodes that are not candidates, with the number of nodes. */
  refused(): readonly { readonly status: PluginStatus; readonly nodes: number }[] {
    return [...this.refusals].map(([status, nodes]) => ({ status, nodes }))
  }

  /** The number of nodes on which removing pods may help. */
  get potentialCount(): number {
    return this.potentials
  }

  /** The candidate of a node; undefined when the node is not a candidate. */
  tryNode(node: NodeState, input: DryRunInput): PreemptionCandidate | undefined {
    const verdict = this.verdicts[node.row]
    if (verdict !== undefined) return verdict.kind === 'candidate' ? verdict.candidate : undefined
    return this.potential[node.row] === 'victims' ? this.judge(node, input) : undefined
  }

  private judge(node: NodeState, { pod, tryOn, budgets, rules }: DryRunInput): PreemptionCandidate | undefined {
    const verdict = judgeNode(pod, node, tryOn, budgets, rules)
    this.untried--
    if (verdict.kind === 'candidate') {
      this.verdicts[node.row] = verdict
      this.found++
      return verdict.candidate
    }
    // Equal rejections are one object, so they are counted together. Errors are rare and are not shared.
    this.refuse(node.row, isRejected(verdict.status) ? this.memory.intern(verdict.status) : verdict.status)
    return undefined
  }

  private refuse(row: number, status: PluginStatus): void {
    this.verdicts[row] = { kind: 'refused', status }
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1)
  }

  private assess(row: number, priority: number): void {
    if (this.potential[row] !== undefined) return
    if (this.memory.statusOf(row).code !== 'Unschedulable') {
      this.potential[row] = 'no'
      return
    }
    this.potentials++
    // Most nodes of a full cluster have no pod of a lower priority: they need no dry run.
    if (this.memory.lowestPriority(row) >= priority) {
      this.potential[row] = 'none'
      this.refuse(row, this.memory.intern(noVictims))
    } else {
      this.potential[row] = 'victims'
      this.withVictims++
      this.untried++
    }
  }

  private forget(row: number): void {
    const verdict = this.verdicts[row]
    const potential = this.potential[row]
    if (verdict?.kind === 'candidate') this.found--
    else if (verdict !== undefined) {
      const left = (this.refusals.get(verdict.status) as number) - 1
      if (left === 0) this.refusals.delete(verdict.status)
      else this.refusals.set(verdict.status, left)
    } else if (potential === 'victims') this.untried--
    if (potential === 'victims') this.withVictims--
    if (potential === 'victims' || potential === 'none') this.potentials--
    this.verdicts[row] = undefined
    this.potential[row] = undefined
    this.stale.push(row)
  }
}

const runsByMemory = new WeakMap<NodeMemory, DryRuns>()

export function dryRunsOf(memory: NodeMemory): DryRuns {
  let runs = runsByMemory.get(memory)
  if (runs === undefined) {
    runs = new DryRuns(memory)
    runsByMemory.set(memory, runs)
  }
  return runs
}
