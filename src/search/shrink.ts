import type { Explored } from './explorer.ts'
import type { Case, Fault, FaultTarget } from './fault.ts'
import type { FaultScope } from './fault-scope.ts'
import type { CaseResult } from './run-case.ts'
import type { CaseEvaluator } from './search.ts'
import { stepsOfCase } from './steps-of-case.ts'

export interface Shrunk extends Explored {
  /** The number of cases that shrinking ran. */
  readonly tried: number
}

// Each round makes the case smaller. This limits the time for a case with many nodes.
const mostRounds = 60

/** Makes a case as small as possible with the same violation: fewer steps, fewer nodes, simpler times, shorter faults. */
export async function shrink(found: Explored, scope: FaultScope, evaluator: CaseEvaluator): Promise<Shrunk> {
  let best = found
  let tried = 0
  for (let round = 0; round < mostRounds; round++) {
    const candidates = smallerCases(best.faults).filter((faults) => sizeOf(faults, scope) < sizeOf(best.faults, scope))
    const results = await evaluator.evaluate(candidates.map((faults) => stepsOfCase(faults, scope)))
    tried += candidates.length
    const at = results.findIndex((result) => isSameViolation(result, found.result))
    if (at < 0) break
    best = { faults: candidates[at] as Case, result: results[at] as CaseResult }
  }
  return { ...best, tried }
}

/** Reports whether the same expectation is violated for the same workload. */
export function isSameViolation({ violation: a }: CaseResult, { violation: b }: CaseResult): boolean {
  return a !== undefined && a.expectation === b?.expectation && a.subject === b.subject
}

/** The number of steps counts most, then the number of nodes, then the duration of the case. */
function sizeOf(faults: Case, scope: FaultScope): number {
  const steps = stepsOfCase(faults, scope).length
  const nodes = faults.reduce((sum, { target }) => sum + target.nodes.length, 0)
  const timeMs = faults.reduce((sum, { atMs, forMs = 0 }) => sum + atMs + roundness(atMs) + forMs / 2, 0)
  return steps * 1e14 + nodes * 1e11 + timeMs
}

/** A time in full minutes is simpler than a time with seconds. */
function roundness(ms: number): number {
  return ms % 60_000 === 0 ? 0 : 20_000
}

/** Cases that differ in one property, the largest difference first. */
function smallerCases(faults: Case): readonly Case[] {
  return [
    ...faults.map((_, at) => fromZero(faults.filter((_, index) => index !== at))).filter(({ length }) => length > 0),
    ...faults.flatMap((fault, at) => fewerNodes(fault).map((smaller) => replaced(faults, at, smaller))),
    ...faults.flatMap((fault, at) => otherTimes(faults, at).map((atMs) => replaced(faults, at, { ...fault, atMs }))),
    ...faults.flatMap((fault, at) => shorter(fault).map((smaller) => replaced(faults, at, smaller))),
  ]
}

function replaced(faults: Case, at: number, fault: Fault): Case {
  return fromZero(faults.map((one, index) => (index === at ? fault : one)))
}

function fromZero(faults: Case): Case {
  const sorted = [...faults].sort((a, b) => a.atMs - b.atMs)
  const firstMs = sorted[0]?.atMs ?? 0
  return firstMs === 0 ? sorted : sorted.map((fault) => ({ ...fault, atMs: fault.atMs - firstMs }))
}

function fewerNodes(fault: Fault): readonly Fault[] {
  const { nodes } = fault.target
  if (nodes.length < 2) return []
  const half = Math.ceil(nodes.length / 2)
  const parts = [nodes.slice(0, half), nodes.slice(half)]
  if (nodes.length > 2 && nodes.length <= 12)
    parts.push(...nodes.map((_, at) => nodes.filter((_, index) => index !== at)))
  return parts.map((part) => ({ ...fault, target: targetOf(part, fault.target) }))
}

function targetOf(nodes: readonly string[], { name }: FaultTarget): FaultTarget {
  const [first = ''] = nodes
  const text =
    nodes.length === 1
      ? first
      : nodes.length <= 4
        ? nodes.join(', ')
        : `${nodes.length} nodes of ${name.replace(/^\d+ (of \d+ )?nodes of /, '')}`
  return { name: text, className: nodes.join(','), nodes }
}

function otherTimes(faults: Case, at: number): readonly number[] {
  const { atMs } = faults[at] as Fault
  if (atMs === 0) return []
  const minutes = Math.floor(atMs / 60_000) * 60_000
  return [...new Set([0, Math.floor(atMs / 2 / 60_000) * 60_000, minutes, Math.round(atMs / 60_000) * 60_000])]
}

function shorter(fault: Fault): readonly Fault[] {
  const { forMs } = fault
  if (forMs === undefined || forMs <= 60_000) return []
  return [{ ...fault, forMs: Math.max(60_000, Math.floor(forMs / 2 / 60_000) * 60_000) }]
}
