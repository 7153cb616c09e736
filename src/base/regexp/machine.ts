import { bitsBetween, MatchBudgetError, maxSteps } from './automaton.ts'
import { opCodes, type Program } from './program.ts'
import { classHas } from './rune-class.ts'

/** Threads in order of preference, each with its captured positions. */
class Threads {
  readonly at: Int32Array
  readonly captures: Int32Array[] = []
  readonly position: Int32Array
  size = 0

  constructor(length: number) {
    this.at = new Int32Array(length)
    this.position = new Int32Array(length)
  }

  has(instruction: number): boolean {
    const place = this.position[instruction]!
    return place < this.size && this.at[place] === instruction
  }

  add(instruction: number, captures: Int32Array): void {
    this.position[instruction] = this.size
    this.at[this.size] = instruction
    this.captures[this.size++] = captures
  }
}

const none = new Int32Array(0)

/**
 * Finds the leftmost match, with its groups, by running all threads of a program in parallel; of several matches at one
 * position it returns the preferred one (Thompson and Pike). The cost is the product of the lengths of text and
 * program, up to a budget.
 */
export class Machine {
  private readonly program: Program
  private readonly slots: number
  private now: Threads
  private next: Threads
  private steps = 0

  constructor(program: Program, groups: number) {
    this.program = program
    this.slots = 2 * (groups + 1)
    this.now = new Threads(program.op.length)
    this.next = new Threads(program.op.length)
  }

  /** All calls of `find` share one budget until it is reset. */
  resetBudget(): void {
    this.steps = 0
  }

  /** Pairs of begin and end, of the whole match and of each group; -1 for a group that is not part of the match. */
  find(text: string, from: number): Int32Array | undefined {
    const { program } = this
    let best: Int32Array | undefined
    let before = from === 0 ? -1 : runeBefore(text, from)
    this.now.size = 0
    for (let i = from; ; ) {
      const rune = runeAt(text, i)
      if (best === undefined && (i === 0 || !program.isAnchored)) {
        const captures = new Int32Array(this.slots).fill(-1)
        captures[0] = i
        this.follow(this.now, program.start, i, bitsBetween(before, rune), captures)
      }
      if (this.now.size === 0 && (best !== undefined || program.isAnchored)) return best
      const width = rune > 0xffff ? 2 : 1
      best = this.step(text, i, rune, width) ?? best
      if (rune < 0) return best
      const { now } = this
      this.now = this.next
      this.next = now
      before = rune
      i += width
    }
  }

  /** Moves every thread over a code point; threads after a matching thread are dropped. */
  private step(text: string, i: number, rune: number, width: number): Int32Array | undefined {
    const { now, next } = this
    const { op, out, arg, classes } = this.program
    next.size = 0
    const bits = rune < 0 ? 0 : bitsBetween(rune, runeAt(text, i + width))
    for (let t = 0; t < now.size; t++) {
      const at = now.at[t]!
      if (op[at] === opCodes.match) {
        const match = now.captures[t]!.slice()
        match[1] = i
        return match
      }
      if (op[at] === opCodes.class && rune >= 0 && classHas(classes[arg[at]!]!, rune)) {
        this.follow(next, out[at]!, i + width, bits, now.captures[t]!)
      }
    }
    this.steps += now.size + 1
    if (this.steps > maxSteps) throw new MatchBudgetError()
    return undefined
  }

  /** Adds the instructions that are reachable without a character, the preferred one first. */
  private follow(threads: Threads, start: number, i: number, bits: number, given: Int32Array): void {
    const { op, out, arg } = this.program
    const pending: (readonly [at: number, captures: Int32Array])[] = [[start, given]]
    for (let top = pending.pop(); top !== undefined; top = pending.pop()) {
      const [at, captures] = top
      if (threads.has(at)) continue
      this.steps++
      const code = op[at]
      const isLeaf = code === opCodes.class || code === opCodes.match
      // Other instructions are added too, so that none is followed twice at one position.
      threads.add(at, isLeaf ? captures : none)
      if (code === opCodes.split) pending.push([arg[at]!, captures], [out[at]!, captures])
      else if (code === opCodes.jump) pending.push([out[at]!, captures])
      else if (code === opCodes.assert && (bits & arg[at]!) !== 0) pending.push([out[at]!, captures])
      else if (code === opCodes.capture) {
        const slot = arg[at]!
        if (slot >= captures.length) pending.push([out[at]!, captures])
        else {
          const copy = captures.slice()
          copy[slot] = i
          this.steps += captures.length >> 3
          pending.push([out[at]!, copy])
        }
      }
    }
  }
}

/** -1 at the end. */
function runeAt(text: string, at: number): number {
  const rune = text.codePointAt(at)
  return rune === undefined ? -1 : rune >= 0xd800 && rune <= 0xdfff ? 0xfffd : rune
}

function runeBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1)
  if (unit < 0xdc00 || unit > 0xdfff || at < 2) return runeAt(text, at - 1)
  const rune = runeAt(text, at - 2)
  return rune > 0xffff ? rune : 0xfffd
}
