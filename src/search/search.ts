import type { JsonObject } from '../api/objects/meta.ts'
import type { Explored, Explorer } from './explorer.ts'
import type { Case } from './fault.ts'
import type { FaultScope } from './fault-scope.ts'
import type { CaseResult } from './run-case.ts'
import { stepsOfCase } from './steps-of-case.ts'

/** Runs cases, on one thread or several. Results are in the order of the cases. */
export interface CaseEvaluator {
  evaluate(cases: readonly (readonly JsonObject[])[]): Promise<readonly CaseResult[]>
}

export interface SearchBudget {
  /** The most cases that may run. */
  readonly cases: number
  /** Asked between batches: whether time is up, or the user interrupts. */
  readonly isOver: () => boolean
}

export interface SearchOutcome {
  /** The first case with a violation. */
  readonly found?: Explored
  /** Cases that ran: with the seed, they identify the search. */
  readonly explored: number
  /** Why it ended. */
  readonly end: 'violation' | 'complete' | 'budget'
}

// Enough for several threads, few enough for a quick answer to Ctrl-C.
const batchSize = 32

/** Runs cases until one violates an expectation, no case is left, or the budget is spent. */
export async function search(
  explorer: Explorer,
  scope: FaultScope,
  evaluator: CaseEvaluator,
  budget: SearchBudget,
  onProgress: (explored: number) => void = () => {},
): Promise<SearchOutcome> {
  let explored = 0
  while (explored < budget.cases && !budget.isOver()) {
    const cases = explorer.next(Math.min(batchSize, budget.cases - explored))
    if (cases.length === 0) return { explored, end: 'complete' }
    const results = await evaluator.evaluate(cases.map((faults) => stepsOfCase(faults, scope)))
    for (const [at, result] of results.entries()) {
      explored++
      const one: Explored = { faults: cases[at] as Case, result }
      explorer.take(one)
      if (result.violation !== undefined) return { found: one, explored, end: 'violation' }
    }
    onProgress(explored)
  }
  return { explored, end: 'budget' }
}
