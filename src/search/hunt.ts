import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import { type Certificate, certificateOf } from './certificate.ts'
import { type Explored, Explorer, type PhaseProgress } from './explorer.ts'
import { type FaultKind, faultKinds } from './fault-kinds.ts'
import type { FaultModel } from './fault-model.ts'
import { possibleFaults } from './fault-model.ts'
import { type ProposedFix, possibleFixes } from './fixes.ts'
import type { Moments } from './moments.ts'
import { faultsText, storyText } from './phrases.ts'
import { type ReducedCluster, reduceCluster } from './reduce-cluster.ts'
import { type CaseViolation, runCase } from './run-case.ts'
import { type CaseEvaluator, type SearchBudget, type SearchOutcome, search } from './search.ts'
import { createSearchBase, ignoredBy, type SearchBase, type SearchInput } from './search-base.ts'
import { settle } from './settle.ts'
import { isSameViolation, shrink } from './shrink.ts'
import { stepsOfCase } from './steps-of-case.ts'

export interface HuntOptions {
  readonly model: FaultModel
  readonly moments: Moments
  readonly budget: SearchBudget
  /** Runs only cases that are part of a proof. */
  readonly certify: boolean
  readonly wants: { readonly fix: boolean; readonly reduce: boolean }
  /** Opens the evaluator of a cluster. It replaces the previous one. */
  readonly open: (input: SearchInput) => Promise<CaseEvaluator>
  readonly onProgress?: (progress: HuntProgress) => void
}

export interface HuntProgress {
  readonly doing: 'exploring' | 'shrinking' | 'reducing' | 'fixing'
  readonly explored: number
  readonly margin: number
  readonly coverage: number
}

/** The result of a search with a violation. */
export interface Finding {
  /** `losing a and b at once leaves …` */
  readonly story: string
  readonly faults: string
  readonly violation: CaseViolation
  readonly steps: readonly JsonObject[]
  /** The number of cases that shrinking ran. */
  readonly shrunkWith: number
  /** A small set of objects for which the violation also occurs. */
  readonly reduced?: ReducedCluster
  /** Absent: no fix was searched for. */
  readonly fix?: ProvenFix
  /** Set if a fix was searched for and none was proven. */
  readonly noFix?: NoFix
}

/** The reason why there is no fix. */
export interface NoFix {
  /** `complete`: every known change was tried. */
  readonly end: Exclude<SearchOutcome['end'], 'violation'>
  /** Tried changes that did not help. */
  readonly rejected: readonly string[]
}

/** A change with which the same search finds no violation. */
export interface ProvenFix {
  readonly text: string
  readonly steps: readonly JsonObject[]
  readonly explored: number
  readonly end: SearchOutcome['end']
  /** Changes that were tried before and did not help. */
  readonly rejected: readonly string[]
}

export interface Hunt {
  readonly base: SearchBase
  readonly explored: number
  readonly end: SearchOutcome['end']
  readonly margin: number
  readonly coverage: number
  readonly progress: readonly PhaseProgress[]
  readonly finding?: Finding
  readonly certificate?: Certificate
}

/** Searches for violations, shrinks them, and searches for a fix. */
export async function hunt(input: SearchInput, options: HuntOptions): Promise<Hunt> {
  const base = await createSearchBase(input)
  checkTargets(base, options.model)
  const explorer = explorerOf(base, options)
  const tell = (doing: HuntProgress['doing'], explored: number): void =>
    options.onProgress?.({ doing, explored, margin: explorer.margin, coverage: explorer.coverage })
  const evaluator = await options.open(input)
  const outcome = await search(explorer, base.scope, evaluator, options.budget, (explored) =>
    tell('exploring', explored),
  )
  tell('shrinking', outcome.explored)
  const shrunk = outcome.found === undefined ? undefined : await shrink(outcome.found, base.scope, evaluator)
  const common = {
    base,
    explored: outcome.explored,
    end: outcome.end,
    margin: explorer.margin,
    coverage: explorer.coverage,
    progress: explorer.progress,
  }
  if (shrunk === undefined) return { ...common, certificate: certificateFor(base, explorer, options) }
  const found = findingOf(base, shrunk)
  tell('reducing', outcome.explored)
  const reduced = options.wants.reduce ? await reducedOf(base, found) : undefined
  tell('fixing', outcome.explored)
  const fixes = options.wants.fix ? await provenFix(base, shrunk, outcome.explored, options) : undefined
  return { ...common, finding: { ...found, ...(reduced && { reduced }), ...fixes } }
}

/** The cluster has no target for any fault of the model. */
export class NoTargetError extends Error {
  override readonly name = 'NoTargetError'
}

function checkTargets({ scope }: SearchBase, model: FaultModel): void {
  if (possibleFaults(model, scope).length > 0) return
  const lacking = model.faults.map(({ fault }) => {
    const { needs } = faultKinds[fault] as FaultKind
    return needs === undefined ? fault : `${fault} needs ${needs}`
  })
  throw new NoTargetError(`the cluster has no target for any fault of the model: ${lacking.join('; ')}`)
}

function explorerOf(base: SearchBase, { model, moments, certify }: HuntOptions): Explorer {
  return new Explorer({
    model,
    possible: possibleFaults(model, base.scope),
    workloads: base.workloads.all,
    untilMs: base.plan.untilMs,
    moments,
    seed: base.input.seed,
    exhaustiveOnly: certify,
  })
}

function findingOf(base: SearchBase, { faults, result, tried }: Explored & { readonly tried: number }): Finding {
  const violation = result.violation as CaseViolation
  return {
    story: storyText(faults, violation),
    faults: faultsText(faults),
    violation,
    steps: stepsOfCase(faults, base.scope),
    shrunkWith: tried,
  }
}

function certificateFor(base: SearchBase, explorer: Explorer, { model, moments }: HuntOptions): Certificate {
  const possible = possibleFaults(model, base.scope)
  return certificateOf({
    progress: explorer.progress,
    model,
    pairedFaults: explorer.pairedFaults,
    possibleFaults: [...new Set(possible.map(({ rule }) => rule.fault))],
    moments,
    untilMs: base.plan.untilMs,
    expectations: base.plan.expect.filter(({ path }) => !base.baseline.broken.has(path)).map(({ kind }) => kind),
    ignored: ignoredBy(base),
    seed: base.input.seed,
  })
}

function reducedOf(base: SearchBase, { steps, violation }: Finding): Promise<ReducedCluster | undefined> {
  const { input } = base
  return reduceCluster(input.objects, steps, {
    violation,
    tryOn: async (objects: readonly KubeObject[], tried) => {
      if (!objects.some(({ kind }) => kind === 'Node')) return undefined
      return runCase(await createSearchBase({ ...input, objects }), tried)
    },
  })
}

// The maximum number of changes of one fix.
const mostChanges = 3

/**
 * A change with which the same search finds no violation. If every change leaves another violation, the first change
 * that removes this violation is kept, and the next change is added to it.
 */
async function provenFix(
  base: SearchBase,
  found: Explored,
  explored: number,
  options: HuntOptions,
): Promise<Pick<Finding, 'fix' | 'noFix'>> {
  const rejected: string[] = []
  const texts: string[] = []
  const steps: JsonObject[] = []
  let current = { base, found }
  for (let change = 0; change < mostChanges; change++) {
    let next: { readonly fix: ProposedFix; readonly base: SearchBase; readonly found: Explored } | undefined
    for (const fix of possibleFixes(current.base, current.found)) {
      if (options.budget.isOver()) return { noFix: { end: 'budget', rejected } }
      const tried = await searchWith(fix, current.base, options)
      if (tried === undefined) {
        rejected.push(fix.text)
        continue
      }
      const { outcome } = tried
      if (outcome.end === 'complete' || (outcome.end === 'budget' && outcome.explored >= explored)) {
        const { end } = outcome
        const text = [...texts, fix.text].join(', and ')
        return {
          fix: { text, steps: [...steps, ...fix.steps], explored: outcome.explored, end, rejected },
        }
      }
      // The search ended before it had a result.
      if (outcome.end === 'budget' && options.budget.isOver()) return { noFix: { end: 'budget', rejected } }
      const isOther = outcome.found !== undefined && !isSameViolation(outcome.found.result, current.found.result)
      if (isOther && next === undefined) next = { fix, base: tried.base, found: outcome.found }
      else rejected.push(fix.text)
    }
    if (next === undefined) return { noFix: { end: 'complete', rejected } }
    texts.push(next.fix.text)
    steps.push(...next.fix.steps)
    current = next
  }
  return { noFix: { end: 'complete', rejected } }
}

/** Runs single faults and pairs on the changed cluster. Undefined: the cluster does not settle. */
async function searchWith(
  { steps, document }: ProposedFix,
  { input }: SearchBase,
  options: HuntOptions,
): Promise<{ readonly base: SearchBase; readonly outcome: SearchOutcome } | undefined> {
  const changed = document === undefined ? input : { ...input, document }
  const { objects, isWell } = await settle(changed, steps)
  if (!isWell) return undefined
  const base = await createSearchBase({ ...changed, objects })
  const evaluator = await options.open(base.input)
  const explorer = explorerOf(base, { ...options, certify: true })
  return { base, outcome: await search(explorer, base.scope, evaluator, options.budget) }
}
