import { Alphabet } from './alphabet.ts'
import { isWordRune } from './named-class.ts'
import { assertionBits, opCodes, type Program } from './program.ts'
import { classHas } from './rune-class.ts'

/** A match exceeded its step budget. */
export class MatchBudgetError extends Error {
  override readonly name = 'MatchBudgetError'

  constructor() {
    super('the text takes too long to match against the regular expression')
  }
}

/** Steps of the machine that one call may take. */
export const maxSteps = 3_000_000

/** The context before the current position. */
const contexts = { begin: 0, newline: 1, word: 2, other: 3 } as const

interface State {
  /** The instructions to continue from, before assertions are evaluated. */
  readonly instructions: Int32Array
  readonly context: number
  /** The next state for each letter, followed by the state for the end of the text. */
  readonly next: (State | 'match' | 'dead' | undefined)[]
}

/** Maximum size of the transition table; it is cleared when it is full. */
const maxCells = 1 << 16

/**
 * Whether a program matches anywhere in a text. Sets of instructions are states, created on demand: a text costs one
 * step per character once its states exist.
 */
export class Automaton {
  private readonly program: Program
  private readonly alphabet: Alphabet
  private readonly maxStates: number
  private readonly seen: Int32Array
  private mark = 0
  private states = new Map<string, State>()
  private steps = 0

  constructor(program: Program) {
    this.program = program
    this.alphabet = new Alphabet(program.classes)
    this.maxStates = Math.max(8, Math.floor(maxCells / (this.alphabet.size + 1)))
    this.seen = new Int32Array(program.op.length)
  }

  matches(text: string): boolean {
    this.steps = 0
    const { alphabet } = this
    let state = this.stateOf([this.program.start], contexts.begin)
    for (let i = 0; i < text.length; i++) {
      let rune = text.charCodeAt(i)
      if (rune >= 0xd800 && rune <= 0xdfff) {
        rune = text.codePointAt(i)!
        if (rune > 0xffff) i++
        else rune = 0xfffd
      }
      const letter = alphabet.letterOf(rune)
      const next = state.next[letter] ?? this.follow(state, letter)
      if (next === 'match') return true
      if (next === 'dead') return false
      state = next
    }
    return (state.next[alphabet.size] ?? this.follow(state, alphabet.size)) === 'match'
  }

  private stateOf(instructions: number[], context: number): State {
    const key = `${context}:${instructions.join()}`
    let state = this.states.get(key)
    if (state === undefined) {
      if (this.states.size >= this.maxStates) this.states = new Map()
      state = { instructions: Int32Array.from(instructions), context, next: [] }
      this.states.set(key, state)
    }
    return state
  }

  private follow(state: State, letter: number): State | 'match' | 'dead' {
    const found = this.step(state, letter)
    state.next[letter] = found
    return found
  }

  private step({ instructions, context }: State, letter: number): State | 'match' | 'dead' {
    const { program, alphabet } = this
    const isEnd = letter === alphabet.size
    const rune = isEnd ? -1 : alphabet.samples[letter]!
    const { op, out, arg, classes } = program
    const holds = heldBits(context, rune)
    const reached: number[] = []
    const pending: number[] = []
    this.mark++
    for (const from of instructions) {
      pending.push(from)
      for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
        if (this.seen[at] === this.mark) continue
        this.seen[at] = this.mark
        this.steps++
        switch (op[at]) {
          case opCodes.match:
            return 'match'
          case opCodes.split:
            pending.push(arg[at]!, out[at]!)
            break
          case opCodes.assert:
            if ((holds & arg[at]!) !== 0) pending.push(out[at]!)
            break
          case opCodes.class:
            if (!isEnd && classHas(classes[arg[at]!]!, rune)) reached.push(out[at]!)
            break
          case opCodes.jump:
          case opCodes.capture:
            pending.push(out[at]!)
        }
      }
    }
    if (this.steps > maxSteps) throw new MatchBudgetError()
    if (isEnd || (program.isAnchored && reached.length === 0)) return 'dead'
    if (!program.isAnchored) reached.push(program.start)
    const distinct = [...new Set(reached)].sort((a, b) => a - b)
    return this.stateOf(distinct, contextAfter(rune))
  }
}

function contextAfter(rune: number): number {
  return rune === 0x0a ? contexts.newline : isWordRune(rune) ? contexts.word : contexts.other
}

/** The assertions that hold between a context and the next code point, -1 at the end. */
function heldBits(context: number, rune: number): number {
  const isBoundary = (context === contexts.word) !== (rune >= 0 && isWordRune(rune))
  return (
    (context === contexts.begin ? assertionBits['begin-text'] | assertionBits['begin-line'] : 0) |
    (context === contexts.newline ? assertionBits['begin-line'] : 0) |
    (rune < 0 ? assertionBits['end-text'] | assertionBits['end-line'] : 0) |
    (rune === 0x0a ? assertionBits['end-line'] : 0) |
    (isBoundary ? assertionBits['word-boundary'] : assertionBits['no-word-boundary'])
  )
}

/** The same, for a position in a text. */
export function bitsBetween(before: number, after: number): number {
  return heldBits(before < 0 ? contexts.begin : contextAfter(before), after)
}
