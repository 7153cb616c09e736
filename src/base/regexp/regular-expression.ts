import { Automaton } from './automaton.ts'
import { Machine } from './machine.ts'
import { parsePattern } from './parser.ts'
import { compile, type Program } from './program.ts'
import { PatternError } from './syntax.ts'

/**
 * A regular expression in RE2's syntax with the semantics of Go's regexp package, in linear time: JavaScript's engine
 * may take exponential time. Throws PatternError with Go's message, and MatchBudgetError if a pattern of thousands of
 * instructions runs on a long text.
 */
export class RegularExpression {
  /** The number of instructions of its program. */
  readonly size: number
  private readonly program: Program
  private readonly groups: number
  private automaton: Automaton | undefined
  private machine: Machine | undefined

  constructor(pattern: string) {
    const { node, groups } = parsePattern(pattern)
    this.program = compile(node)
    this.groups = groups
    this.size = this.program.op.length
  }

  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean {
    this.automaton ??= new Automaton(this.program)
    return this.automaton.matches(text)
  }

  /** The first match, or undefined. */
  find(text: string): string | undefined {
    const found = this.findIndexes(text)
    return found === undefined ? undefined : text.slice(found[0], found[1])
  }

  /**
   * The positions at which the first match and its groups begin and end: Go's FindStringSubmatchIndex, in UTF-16 units.
   */
  findIndexes(text: string): readonly number[] | undefined {
    const machine = this.machineWithBudget()
    const found = machine.find(text, 0)
    return found === undefined ? undefined : [...found]
  }

  /** Non-overlapping matches, from left to right; at most `limit`, or all. */
  findAll(text: string, limit = Number.POSITIVE_INFINITY): readonly string[] {
    const machine = this.machineWithBudget()
    const found: string[] = []
    let lastEnd = -1
    for (let from = 0; found.length < limit && from <= text.length; ) {
      const match = machine.find(text, from)
      if (match === undefined) break
      const [begin = 0, end = 0] = match
      // An empty match directly after another match does not count.
      if (end !== from || begin !== lastEnd) found.push(text.slice(begin, end))
      lastEnd = end
      from = end === from ? from + (text.codePointAt(from)! > 0xffff ? 2 : 1) : end
    }
    return found
  }

  private machineWithBudget(): Machine {
    this.machine ??= new Machine(this.program, this.groups)
    this.machine.resetBudget()
    return this.machine
  }
}

const compiled = new Map<string, RegularExpression | PatternError>()
const maxKept = 250
const maxKeptInstructions = 200_000
const maxKeptPattern = 10_000
let keptInstructions = 0

/** The compiled pattern, cached. Throws PatternError. */
export function regularExpression(pattern: string): RegularExpression {
  const found = compiled.get(pattern) ?? keep(pattern, compileOrError(pattern))
  if (found instanceof PatternError) throw found
  return found
}

function keep(pattern: string, found: RegularExpression | PatternError): RegularExpression | PatternError {
  const size = found instanceof PatternError ? 1 : found.size
  if (pattern.length > maxKeptPattern || size > maxKeptInstructions / 10) return found
  if (compiled.size >= maxKept || keptInstructions + size > maxKeptInstructions) {
    compiled.clear()
    keptInstructions = 0
  }
  compiled.set(pattern, found)
  keptInstructions += size
  return found
}

function compileOrError(pattern: string): RegularExpression | PatternError {
  try {
    return new RegularExpression(pattern)
  } catch (error) {
    if (error instanceof PatternError) return error
    throw error
  }
}
