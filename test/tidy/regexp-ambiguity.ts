import { Alphabet } from '../../src/base/regexp/alphabet.ts'
import { parsePattern } from '../../src/base/regexp/parser.ts'
import { compile, opCodes, type Program } from '../../src/base/regexp/program.ts'
import { classHas } from '../../src/base/regexp/rune-class.ts'

/**
 * Whether an engine that goes back may need superlinear time for a JavaScript expression: two different loops of its automaton
 * can read the same text, one after the other or one within the other, and something that may fail follows. Counted
 * repetitions are looked at with small counts. Throws PatternError for what RE2's syntax does not have.
 */
export function isAmbiguous({ source, flags }: Pick<RegExp, 'source' | 'flags'>): boolean {
  const plain = source
    .replaceAll(/\\u\{?([0-9a-fA-F]{4,5})\}?/g, '\\x{$1}')
    .replaceAll(/\{\d{2,}(,\d*)?\}|\{(\d),\d{2,}\}/g, '{1,2}')
    .replaceAll('(?<', '(?P<')
  // A search starts over at every place, which is a loop itself.
  const alone = compile(parsePattern(plain).node)
  if (alone.isAnchored || flags.includes('y')) return new Ambiguity(alone).found()
  return new Ambiguity(compile(parsePattern(`(?s:.)*(?:${plain})`).node)).found()
}

class Ambiguity {
  private readonly next: readonly (readonly (readonly number[])[])[]
  private readonly cyclic: readonly number[]
  private readonly mayFail: readonly boolean[]
  private readonly doubled: readonly (readonly number[])[]

  constructor(program: Program) {
    const { samples } = new Alphabet(program.classes)
    const { op, out, arg, classes } = program
    const states = [...op.keys()].filter((at) => op[at] === opCodes.class)
    const closures = states.map((at) => closure(program, out[at]!))
    this.next = states.map((at, i) =>
      samples.map((rune) => {
        if (!classHas(classes[arg[at]!]!, rune)) return []
        return [...closures[i]!.states].map((one) => states.indexOf(one))
      }),
    )
    this.doubled = closures.map(({ doubled }) => [...doubled].map((one) => states.indexOf(one)))
    this.mayFail = closures.map(({ ends }) => !ends)
    this.cyclic = states.map((_, i) => i).filter((i) => this.reaches([i], [i]))
  }

  found(): boolean {
    return this.cyclic.some((p) =>
      this.cyclic.some((q) => (p === q ? this.twice(p) : this.mayFail[q] && this.reaches([p, p, q], [p, q, q]))),
    )
  }

  /** Two ways around a loop over the same text. */
  private twice(p: number): boolean {
    // Two ways from one character to the next, in a loop.
    if (this.doubled[p]!.some((to) => to === p || this.reaches([to], [p]))) return true
    const apart = this.reachable([p, p]).filter(([a, b]) => a !== b)
    return apart.some((pair) => this.reaches(pair, [p, p]))
  }

  private reaches(from: readonly number[], to: readonly number[]): boolean {
    return this.reachable(from).some((tuple) => tuple.every((state, i) => state === to[i]))
  }

  /** Tuples of states that one text leads to, each from its own state. */
  private reachable(from: readonly number[]): readonly (readonly number[])[] {
    const seen = new Map<string, readonly number[]>()
    const pending = [from]
    for (let tuple = pending.pop(); tuple !== undefined; tuple = pending.pop()) {
      for (let letter = 0; letter < this.next[0]!.length; letter++) {
        let tuples: number[][] = [[]]
        for (const state of tuple) {
          tuples = tuples.flatMap((done) => this.next[state]![letter]!.map((to) => [...done, to]))
        }
        for (const reached of tuples) {
          const key = reached.join()
          if (seen.has(key)) continue
          seen.set(key, reached)
          pending.push(reached)
        }
      }
    }
    return [...seen.values()]
  }
}

interface Closure {
  readonly states: ReadonlySet<number>
  /** States that two ways lead to. */
  readonly doubled: ReadonlySet<number>
  /** The match can end right here. */
  readonly ends: boolean
}

const maxVisits = 20_000

/** Characters that can come next. Assertions are passed. */
function closure({ op, out, arg }: Program, start: number): Closure {
  const states = new Set<number>()
  const doubled = new Set<number>()
  const above = new Set<number>()
  let ends = false
  let visits = 0
  const visit = (at: number, isFree: boolean) => {
    if (above.has(at) || visits++ > maxVisits) return
    if (op[at] === opCodes.class) {
      if (states.has(at)) doubled.add(at)
      states.add(at)
    } else if (op[at] === opCodes.match) ends ||= isFree
    else {
      above.add(at)
      visit(out[at]!, isFree && op[at] !== opCodes.assert)
      if (op[at] === opCodes.split) visit(arg[at]!, isFree)
      above.delete(at)
    }
  }
  visit(start, true)
  return { states, doubled, ends }
}
