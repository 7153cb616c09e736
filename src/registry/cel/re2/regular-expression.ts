import { type CharacterSet, isWordPoint } from './character-set.ts'
import { type Assertion, type Node, PatternError, parsePattern } from './pattern.ts'

type Instruction =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'match' }

const maxInstructions = 20_000

interface Span {
  readonly begin: number
  readonly end: number
}

/** A thread of the machine: where it is in the program, and where its match began. */
interface Thread {
  readonly at: number
  readonly begin: number
}

/**
 * RE2 by simulating its automaton: the time is the product of the lengths of pattern and text, whatever the pattern.
 * JavaScript's own engine tries alternatives one after the other, and may take forever.
 */
export class RegularExpression {
  private readonly program: Instruction[] = []

  constructor(pattern: string) {
    this.compile(parsePattern(pattern))
    this.program.push({ kind: 'match' })
  }

  /** Whether it matches anywhere in the text. */
  test(text: string): boolean {
    return this.search([...text].map(pointOf), 0, true) !== undefined
  }

  /** The first match, or undefined. */
  find(text: string): string | undefined {
    return this.findAll(text, 1)[0]
  }

  /** Matches that do not overlap, from left to right; at most `limit`, or all. */
  findAll(text: string, limit = Number.POSITIVE_INFINITY): readonly string[] {
    const chars = [...text]
    const points = chars.map(pointOf)
    const found: string[] = []
    let from = 0
    let lastEnd = -1
    while (found.length < limit && from <= points.length) {
      const span = this.search(points, from, false)
      if (span === undefined) break
      // An empty match right after another one is none.
      if (span.end > span.begin || span.begin !== lastEnd) {
        found.push(chars.slice(span.begin, span.end).join(''))
      }
      lastEnd = span.end
      from = span.end > span.begin ? span.end : span.end + 1
    }
    return found
  }

  private search(points: readonly number[], from: number, isTest: boolean): Span | undefined {
    let threads: Thread[] = []
    let best: Span | undefined
    const seen = new Int32Array(this.program.length).fill(-1)
    for (let i = from; i <= points.length; i++) {
      const next: Thread[] = []
      if (best === undefined) this.follow(threads, seen, points, i, { at: 0, begin: i })
      if (threads.length === 0 && best !== undefined) break
      for (const { at, begin } of threads) {
        const instruction = this.program[at] as Instruction
        if (instruction.kind === 'match') {
          best = { begin, end: i }
          if (isTest) return best
          break
        }
        const point = points[i]
        if (instruction.kind === 'set' && point !== undefined && instruction.set.has(point)) {
          this.follow(next, seen, points, i + 1, { at: at + 1, begin })
        }
      }
      threads = next
    }
    return best
  }

  /** Adds a thread, and those it splits into, in the order of preference; each instruction once per position. */
  private follow(threads: Thread[], seen: Int32Array, points: readonly number[], i: number, from: Thread): void {
    const pending: Thread[] = [from]
    for (let thread = pending.pop(); thread !== undefined; thread = pending.pop()) {
      const { at, begin } = thread
      if (seen[at] === i) continue
      seen[at] = i
      const instruction = this.program[at] as Instruction
      switch (instruction.kind) {
        case 'jump':
          pending.push({ at: instruction.to, begin })
          break
        case 'split':
          pending.push({ at: instruction.second, begin }, { at: instruction.first, begin })
          break
        case 'assert':
          if (holds(instruction.assertion, points, i)) pending.push({ at: at + 1, begin })
          break
        default:
          threads.push(thread)
      }
    }
  }

  private emit(instruction: Instruction): number {
    if (this.program.length >= maxInstructions) {
      throw new PatternError('error parsing regexp: expression too large')
    }
    this.program.push(instruction)
    return this.program.length - 1
  }

  private compile(node: Node): void {
    switch (node.kind) {
      case 'empty':
        return
      case 'set':
        this.emit({ kind: 'set', set: node.set })
        return
      case 'assert':
        this.emit({ kind: 'assert', assertion: node.assertion })
        return
      case 'sequence':
        for (const part of node.parts) this.compile(part)
        return
      case 'choice':
        this.compileChoice(node.options)
        return
      case 'repeat':
        this.compileRepeat(node)
    }
  }

  private compileChoice(options: readonly Node[]): void {
    const jumps: { to: number }[] = []
    options.forEach((option, i) => {
      if (i === options.length - 1) {
        this.compile(option)
        return
      }
      const split = { kind: 'split', first: 0, second: 0 } as const as { kind: 'split'; first: number; second: number }
      split.first = this.emit(split) + 1
      this.compile(option)
      const jump = { kind: 'jump', to: 0 } as { kind: 'jump'; to: number }
      this.emit(jump)
      jumps.push(jump)
      split.second = this.program.length
    })
    for (const jump of jumps) jump.to = this.program.length
  }

  private compileRepeat({ part, min, max, isGreedy }: Extract<Node, { readonly kind: 'repeat' }>): void {
    for (let i = 0; i < min; i++) this.compile(part)
    const fork = (): { point: (inner: number, after: number) => void } => {
      const split = { kind: 'split', first: 0, second: 0 } as { kind: 'split'; first: number; second: number }
      this.emit(split)
      return {
        point: (inner, after) => {
          split.first = isGreedy ? inner : after
          split.second = isGreedy ? after : inner
        },
      }
    }
    if (max === undefined) {
      const begin = this.program.length
      const { point } = fork()
      this.compile(part)
      this.emit({ kind: 'jump', to: begin })
      point(begin + 1, this.program.length)
      return
    }
    const forks: [number, ReturnType<typeof fork>][] = []
    for (let i = min; i < max; i++) {
      forks.push([this.program.length + 1, fork()])
      this.compile(part)
    }
    for (const [inner, { point }] of forks) point(inner, this.program.length)
  }
}

const pointOf = (char: string): number => char.codePointAt(0) as number

function holds(assertion: Assertion, points: readonly number[], i: number): boolean {
  switch (assertion) {
    case 'text-begin':
      return i === 0
    case 'text-end':
      return i === points.length
    case 'line-begin':
      return i === 0 || points[i - 1] === 0x0a
    case 'line-end':
      return i === points.length || points[i] === 0x0a
    case 'word-boundary':
      return isWordPoint(points[i - 1]) !== isWordPoint(points[i])
    case 'no-word-boundary':
      return isWordPoint(points[i - 1]) === isWordPoint(points[i])
  }
}

const compiled = new Map<string, RegularExpression | PatternError>()
const maxKept = 1000

/** The compiled pattern, kept for the next time; throws PatternError when it is none. */
export function regularExpression(pattern: string): RegularExpression {
  let found = compiled.get(pattern)
  if (found === undefined) {
    if (compiled.size >= maxKept) compiled.clear()
    found = compileOrError(pattern)
    compiled.set(pattern, found)
  }
  if (found instanceof PatternError) throw found
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
