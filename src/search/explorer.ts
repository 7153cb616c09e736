import { createRandom, type RandomStream } from '../base/random.ts'
import type { RequiredWorkload } from '../whatif/facts/workload-availability.ts'
import { type Case, classKeyOf, type Fault } from './fault.ts'
import { type FaultKind, faultKinds } from './fault-kinds.ts'
import type { FaultModel, PossibleFault } from './fault-model.ts'
import { type Moments, momentsAfter } from './moments.ts'
import type { CaseResult } from './run-case.ts'

/** A case that ran. */
export interface Explored {
  readonly faults: Case
  readonly result: CaseResult
}

/** A part of the search: all single faults, all pairs, or random cases. */
export type Phase = 'single' | 'pairs' | 'guided'

/** The progress of a phase. */
export interface PhaseProgress {
  readonly phase: Phase
  /** The number of cases, including equivalent ones. */
  readonly cases: number
  /** The number of distinct cases, which must run. */
  readonly distinct: number
  readonly explored: number
  readonly moments: readonly number[]
}

export interface ExplorerOptions {
  readonly model: FaultModel
  readonly possible: readonly PossibleFault[]
  readonly workloads: readonly RequiredWorkload[]
  readonly untilMs: number
  readonly moments: Moments
  readonly seed: string
  /** Skips random cases after the exhaustive ones. */
  readonly exhaustiveOnly: boolean
}

// Independent of the number of threads, so that every machine runs the same cases.
const generationSize = 16

/**
 * Decides which cases to run. Single faults come first, then pairs, the most promising pairs first, then mutations of
 * the best cases so far. The order depends only on results and the seed.
 */
export class Explorer {
  readonly progress: PhaseProgress[] = []
  private readonly options: ExplorerOptions
  private readonly random: RandomStream
  private readonly seen = new Set<string>()
  private readonly singles: Explored[] = []
  /** The cases with new coverage or a smaller distance to a violation, smallest distance first. */
  private corpus: Explored[] = []
  private readonly features = new Set<string>()
  private queue: Case[] = []
  private phase: Phase | undefined
  private closest = 1
  private paired: readonly string[] = []

  constructor(options: ExplorerOptions) {
    this.options = options
    this.random = createRandom(options.seed).stream('search')
  }

  /** The smallest distance of a case to a violation. */
  get margin(): number {
    return this.closest
  }

  /** The number of distinct features that cases have reached. */
  get coverage(): number {
    return this.features.size
  }

  /** The kinds of faults whose pairs are explored exhaustively. */
  get pairedFaults(): readonly string[] {
    return this.paired
  }

  get currentPhase(): Phase | undefined {
    return this.phase
  }

  /** The next cases, at most `most`. Empty: the search is complete. The results must be taken before the next call. */
  next(most: number): readonly Case[] {
    if (this.queue.length === 0) this.advance()
    const size = this.phase === 'guided' ? Math.min(most, generationSize) : most
    return this.queue.splice(0, size)
  }

  take({ faults, result }: Explored): void {
    const current = this.progress.at(-1) as { -readonly [Name in keyof PhaseProgress]: PhaseProgress[Name] }
    current.explored++
    if (result.impossible !== undefined) return
    if (this.phase === 'single') this.singles.push({ faults, result })
    const before = this.features.size
    for (const feature of result.features) this.features.add(feature)
    const isCloser = result.margin < this.closest
    this.closest = Math.min(this.closest, result.margin)
    if (isCloser || this.features.size > before) this.keep({ faults, result })
  }

  private keep(explored: Explored): void {
    this.corpus.push(explored)
    this.corpus.sort((a, b) => a.result.margin - b.result.margin)
    if (this.corpus.length > 64) this.corpus.length = 64
  }

  private advance(): void {
    const { exhaustiveOnly, model } = this.options
    if (this.phase === undefined) this.begin('single', this.allSingles())
    else if (this.phase === 'single' && model.most > 1) this.begin('pairs', this.allPairs())
    else if (!exhaustiveOnly && model.most > 1) this.mutate()
  }

  private begin(
    phase: Phase,
    { cases, all, moments }: { cases: Case[]; all: number; moments: readonly number[] },
  ): void {
    this.phase = phase
    this.queue = cases
    this.progress.push({ phase, cases: all, distinct: cases.length, explored: 0, moments })
    // A phase without cases is complete.
    if (cases.length === 0) this.advance()
  }

  private allSingles(): { cases: Case[]; all: number; moments: readonly number[] } {
    const all = this.options.possible.map((fault) => [faultAt(fault, 0)])
    return { cases: this.fresh(all), all: all.length, moments: [0] }
  }

  /** All pairs of faults, at every moment. The first fault of a pair is a fault that ran alone. */
  private allPairs(): { cases: Case[]; all: number; moments: readonly number[] } {
    const { untilMs, moments } = this.options
    const known = new Map(this.singles.map(({ faults, result }) => [classKeyOf(faults), result]))
    const resultOf = (fault: PossibleFault) => known.get(classKeyOf([faultAt(fault, 0)]))
    const ranked: { readonly faults: Case; readonly promise: number }[] = []
    const used = new Set<number>()
    let all = 0
    const classes = pairedClasses(this.options.possible)
    this.paired = [...new Set(classes.map(({ members: [first] }) => first.rule.fault))]
    for (const one of classes) {
      const before = resultOf(one.members[0])
      if (before === undefined) continue
      for (const atMs of momentsAfter(moments, before.changedAt, untilMs)) {
        used.add(atMs)
        for (const other of classes) {
          const [first] = one.members
          const second = one === other ? one.members[1] : other.members[0]
          const after = second && resultOf(second)
          if (second === undefined || after === undefined || !canFollow(first, second, atMs)) continue
          all += one === other ? (one.count * (one.count - 1)) / (atMs === 0 ? 2 : 1) : one.count * other.count
          const [fresh] = this.fresh([[faultAt(first, 0), faultAt(second, atMs)]])
          if (fresh !== undefined) ranked.push({ faults: fresh, promise: this.promiseOf(before, after, atMs) })
        }
      }
    }
    ranked.sort((a, b) => a.promise - b.promise)
    return { cases: ranked.map(({ faults }) => faults), all, moments: [...used].sort((a, b) => a - b) }
  }

  /**
   * The remaining ready pods of the most affected workload if the losses of both faults add up. Losses add up more if
   * the second fault comes sooner.
   */
  private promiseOf(first: CaseResult, second: CaseResult, afterMs: number): number {
    const lost = new Map(first.losses)
    for (const [at, count] of second.losses) lost.set(at, (lost.get(at) ?? 0) + count)
    let left = 1
    for (const [at, count] of lost) {
      const { required, ready } = this.options.workloads[at] as RequiredWorkload
      if (required > 0) left = Math.min(left, (ready - count - required + 1) / (ready - required + 1))
    }
    return left + 0.01 * (first.margin + second.margin) + 1e-9 * afterMs
  }

  /** Creates a generation of cases. Each case mutates one of the best cases so far. */
  private mutate(): void {
    const cases: Case[] = []
    for (let tries = 0; cases.length < generationSize && tries < 50 * generationSize; tries++) {
      cases.push(...this.fresh([this.mutated()]))
    }
    if (this.phase !== 'guided') {
      this.phase = 'guided'
      this.progress.push({ phase: 'guided', cases: 0, distinct: 0, explored: 0, moments: [] })
    }
    const current = this.progress.at(-1) as { -readonly [Name in keyof PhaseProgress]: PhaseProgress[Name] }
    current.cases += cases.length
    current.distinct += cases.length
    this.queue = cases
  }

  private mutated(): Case {
    const { model, untilMs } = this.options
    const { random } = this
    // Small exponents prefer the cases with the smallest distance to a violation.
    const parent = this.corpus[Math.floor(this.corpus.length * random.next() ** 2)]?.faults ?? []
    const changedAt = this.corpus.find(({ faults }) => faults === parent)?.result.changedAt ?? []
    const atMs = random.pick(momentsAfter({ kind: 'changes' }, changedAt, untilMs))
    const added = faultAt(this.chosen(), atMs)
    const kept = [...parent]
    if (kept.length >= model.most || (kept.length > 0 && random.next() < 0.3)) kept.splice(random.int(kept.length), 1)
    const faults = [...kept, added].sort((a, b) => a.atMs - b.atMs)
    const firstMs = faults[0]?.atMs ?? 0
    return withinLimits(faults, model) ? faults.map((fault) => ({ ...fault, atMs: fault.atMs - firstMs })) : [added]
  }

  private chosen(): PossibleFault {
    const { possible } = this.options
    const total = possible.reduce((sum, { rule }) => sum + rule.weight, 0)
    let left = this.random.next() * total
    for (const fault of possible) {
      left -= fault.rule.weight
      if (left <= 0) return fault
    }
    return possible.at(-1) as PossibleFault
  }

  /** The cases that are not equivalent to an earlier case. */
  private fresh(cases: readonly Case[]): Case[] {
    return cases.filter((faults) => {
      const key = classKeyOf(faults)
      if (this.seen.has(key)) return false
      this.seen.add(key)
      return true
    })
  }
}

/** Faults of one kind and duration on targets of one class. Two of them represent all. */
interface FaultClass {
  readonly members: readonly [PossibleFault, ...PossibleFault[]]
  readonly count: number
}

// The maximum number of classes for exhaustive pairs. With more classes, only the first kinds of the model are paired.
const mostClasses = 400

/** The classes whose pairs can be run exhaustively: as many kinds of the model as possible, in its order. */
function pairedClasses(possible: readonly PossibleFault[]): readonly FaultClass[] {
  const byKind = new Map<string, Map<string, PossibleFault[]>>()
  for (const fault of possible) {
    const { rule, target, forMs } = fault
    if ((faultKinds[rule.fault] as FaultKind).isPaired === false) continue
    const classes = byKind.get(rule.fault) ?? new Map<string, PossibleFault[]>()
    byKind.set(rule.fault, classes)
    const key = `${target.className} ${forMs ?? ''}`
    const members = classes.get(key)
    if (members === undefined) classes.set(key, [fault])
    else members.push(fault)
  }
  const found: FaultClass[] = []
  for (const classes of byKind.values()) {
    if (found.length > 0 && found.length + classes.size > mostClasses) continue
    for (const members of classes.values())
      found.push({ members: members as unknown as FaultClass['members'], count: members.length })
  }
  return found
}

function faultAt({ rule, target, forMs }: PossibleFault, atMs: number): Fault {
  return { kind: rule.fault, target, atMs, ...(forMs === undefined ? {} : { forMs }) }
}

/** A fault does not affect the same target twice. If the faults occur at the same time, their order does not matter. */
function canFollow(first: PossibleFault, second: PossibleFault, atMs: number): boolean {
  if (first.target.name === second.target.name && first.target.name !== '') return false
  if (first.rule === second.rule && first.rule.limit < 2) return false
  if (atMs > 0) return true
  const order = (fault: PossibleFault) => `${fault.rule.fault} ${fault.target.className} ${fault.forMs ?? ''}`
  return order(first) <= order(second)
}

function withinLimits(faults: Case, { faults: rules }: FaultModel): boolean {
  return rules.every(({ fault, limit }) => faults.filter(({ kind }) => kind === fault).length <= limit)
}
