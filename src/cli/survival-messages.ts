// The messages between the threads that compute the survivability table.
import type { BaselineFacts } from '../whatif/report/baseline-facts.ts'
import type { FailureCase } from '../whatif/scenario/question.ts'
import type { SurvivalPlan, SurvivalRow } from '../whatif/survival/survival.ts'
import type { ClusterMoment, ThreadSetup } from './console/worker.ts'

export type SurvivalSetup = ThreadSetup & Pick<SurvivalPlan, 'hollow' | 'create' | 'untilMs' | 'without' | 'isWhole'>

/**
 * The cluster comes first: in a message, or from a file with the plan in `setup`. Then comes `baseline`, if the thread
 * runs it, then lists of cases.
 */
export type SurvivalMessage =
  | {
      readonly kind: 'cluster'
      readonly moment: ClusterMoment
      readonly takenAtMs: number
      readonly setup: SurvivalSetup
      readonly seed: string
    }
  | { readonly kind: 'read'; readonly file: string }
  | { readonly kind: 'setup'; readonly setup: SurvivalSetup; readonly seed: string }
  | { readonly kind: 'baseline' }
  /** `next`: the number of cases that the threads have taken so far. */
  | { readonly kind: 'cases'; readonly cases: readonly FailureCase[]; readonly next: SharedArrayBuffer }

export type SurvivalReply =
  | { readonly kind: 'baseline'; readonly facts: BaselineFacts }
  | { readonly kind: 'row'; readonly at: number; readonly row: SurvivalRow }
  /** No case is left. */
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly message: string }

/** The next case that no thread has taken. */
export function* takeCases(cases: readonly FailureCase[], next: SharedArrayBuffer): Generator<[number, FailureCase]> {
  const counter = new Int32Array(next)
  for (;;) {
    const at = Atomics.add(counter, 0, 1)
    const failure = cases[at]
    if (failure === undefined) return
    yield [at, failure]
  }
}
