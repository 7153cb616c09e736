import type { JsonObject } from '../api/objects/meta.ts'
import type { Explored, Explorer } from './explorer.ts'
import type { Case } from './fault.ts'
import type { FaultScope } from './fault-scope.ts'
import type { CaseResult } from './run-case.ts'
import { stepsOfCase } from './steps-of-case.ts'

/** Runs cases, in one thread or several. Results are in the order of the cases. */
export interface CaseEvaluator {
  evaluate(cases: readonly (readonly JsonObject[])[]): Promise<readonly CaseResult[]>
}

export interface SearchBudget {
  /** The maximum number of cases. */
  readonly cases: number
  /** Called between batches: reports whether the time has expired, or the user has interrupted the search. */
  readonly isOver: () => boolean
}

export interface SearchOutcome {
  /** The first case with a violation. */
  readonly found?: Explored
  /** The number of cases that ran. With the seed, it identifies the search. */
  readonly explored: number
  /** The reason why the search ended. */
  readonly end: 'violation' | 'complete' | 'budget'
}

// Enough cases for several threads, but few enough for a quick response to Ctrl-C.
const batchSize = 32

/** Runs cases until a case violates an expectation, no case is left, or the budget is used up. */
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
