import type { JsonObject } from '../api/objects/meta.ts'
import { type Case, type Fault, stepAt } from './fault.ts'
import { type FaultKind, faultKinds } from './fault-kinds.ts'
import type { FaultScope } from './fault-scope.ts'

/** The steps of a case in the form of a scenario file, in order of time. */
export function stepsOfCase(faults: Case, scope: FaultScope): readonly JsonObject[] {
  return faults
    .flatMap((fault) => stepsOfFault(fault, scope))
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ atMs, content }) => stepAt(atMs, content))
}

function stepsOfFault({ kind, target, atMs, forMs }: Fault, scope: FaultScope) {
  const steps = (faultKinds[kind] as FaultKind).steps(target, forMs, scope)
  return steps.map(({ afterMs, content }) => ({ atMs: atMs + afterMs, content }))
}
