import type { RuneClass } from './rune-class.ts'
import type { Assertion, SyntaxNode } from './syntax.ts'

export const opCodes = { fail: 0, class: 1, split: 2, capture: 3, assert: 4, match: 5, jump: 6 } as const

/** Bits of the assertions that hold between two characters. */
export const assertionBits: Readonly<Record<Assertion, number>> = {
  'begin-line': 1,
  'end-line': 2,
  'begin-text': 4,
  'end-text': 8,
  'word-boundary': 16,
  'no-word-boundary': 32,
}

/** Instructions by number. A split prefers `out` to `arg`. */
export interface Program {
  readonly op: Uint8Array
  readonly out: Int32Array
  /** The alternative of a split, the slot of a capture, the bit of an assertion, the class of a character. */
  readonly arg: Int32Array
  readonly start: number
  readonly classes: readonly RuneClass[]
  /** A match can begin only at the beginning of the text. */
  readonly isAnchored: boolean
}

/** An end of a fragment that is not connected yet: `at * 2`, plus 1 for `arg`. */
type Hole = number

interface Fragment {
  readonly start: number
  readonly holes: readonly Hole[]
  readonly isNullable: boolean
}

/**
 * Translates an expression as Go does (regexp/syntax, compiler), so that alternatives are preferred in the same order.
 */
export function compile(node: SyntaxNode): Program {
  const compiler = new Compiler()
  const { start, holes } = compiler.fragment(node)
  compiler.connect(holes, compiler.emit(opCodes.match, 0))
  return compiler.program(start, beginsText(node))
}

function beginsText(node: SyntaxNode): boolean {
  if (node.op === 'assert') return node.assertion === 'begin-text'
  if (node.op === 'capture') return beginsText(node.sub)
  if (node.op === 'concat') return node.subs[0] !== undefined && beginsText(node.subs[0])
  return node.op === 'alternate' && node.subs.every(beginsText)
}

class Compiler {
  private readonly op: number[] = []
  private readonly out: number[] = []
  private readonly arg: number[] = []
  private readonly classes: RuneClass[] = []
  private readonly classNumbers = new Map<RuneClass | string, number>()

  program(start: number, isAnchored: boolean): Program {
    const { op, out, arg, classes } = this
    return {
      op: Uint8Array.from(op),
      out: Int32Array.from(out),
      arg: Int32Array.from(arg),
      start,
      classes,
      isAnchored,
    }
  }

  emit(op: number, arg: number): number {
    this.op.push(op)
    this.out.push(-1)
    return this.arg.push(arg) - 1
  }

  connect(holes: readonly Hole[], to: number): void {
    for (const hole of holes) {
      if (hole % 2 === 0) this.out[hole >> 1] = to
      else this.arg[hole >> 1] = to
    }
  }

  fragment(node: SyntaxNode): Fragment {
    switch (node.op) {
      case 'empty':
        return this.single(opCodes.jump, 0, true)
      case 'class':
        return this.single(opCodes.class, this.classNumber(node.runes), false)
      case 'assert':
        return this.single(opCodes.assert, assertionBits[node.assertion], true)
      case 'capture': {
        const open = this.single(opCodes.capture, node.index * 2, true)
        const inner = this.fragment(node.sub)
        return this.joined([open, inner, this.single(opCodes.capture, node.index * 2 + 1, true)])
      }
      case 'star':
        return this.star(this.fragment(node.sub), node.isLazy)
      case 'plus':
        return this.plus(this.fragment(node.sub), node.isLazy)
      case 'quest':
        return this.quest(this.fragment(node.sub), node.isLazy)
      case 'concat':
        return this.joined(node.subs.map((sub) => this.fragment(sub)))
      case 'alternate':
        return this.alternatives(node.subs.map((sub) => this.fragment(sub)))
      case 'repeat':
        return this.repeat(node.sub, node.min, node.max, node.isLazy)
    }
  }

  private classNumber(runes: RuneClass): number {
    const key = runes.length > 40 ? runes : runes.join()
    let number = this.classNumbers.get(key)
    if (number === undefined) {
      number = this.classes.push(runes) - 1
      this.classNumbers.set(key, number)
    }
    return number
  }

  private single(op: number, arg: number, isNullable: boolean): Fragment {
    const at = this.emit(op, arg)
    return { start: at, holes: [at * 2], isNullable }
  }

  private joined(fragments: readonly Fragment[]): Fragment {
    for (let i = 1; i < fragments.length; i++) this.connect(fragments[i - 1]!.holes, fragments[i]!.start)
    return {
      start: fragments[0]!.start,
      holes: fragments.at(-1)!.holes,
      isNullable: fragments.every(({ isNullable }) => isNullable),
    }
  }

  private alternatives(fragments: readonly Fragment[]): Fragment {
    let start = fragments.at(-1)!.start
    for (let i = fragments.length - 2; i >= 0; i--) {
      const split = this.emit(opCodes.split, start)
      this.out[split] = fragments[i]!.start
      start = split
    }
    return {
      start,
      holes: fragments.flatMap(({ holes }) => holes),
      isNullable: fragments.some(({ isNullable }) => isNullable),
    }
  }

  /** A split into the fragment and past it, in order of preference. */
  private fork(inner: number, isLazy: boolean): { readonly at: number; readonly hole: Hole } {
    const at = this.emit(opCodes.split, -1)
    if (isLazy) this.arg[at] = inner
    else this.out[at] = inner
    return { at, hole: isLazy ? at * 2 : at * 2 + 1 }
  }

  private quest(inner: Fragment, isLazy: boolean): Fragment {
    const { at, hole } = this.fork(inner.start, isLazy)
    return { start: at, holes: [hole, ...inner.holes], isNullable: true }
  }

  private plus(inner: Fragment, isLazy: boolean): Fragment {
    const { at, hole } = this.fork(inner.start, isLazy)
    this.connect(inner.holes, at)
    return { start: inner.start, holes: [hole], isNullable: inner.isNullable }
  }

  private star(inner: Fragment, isLazy: boolean): Fragment {
    // A loop over a possibly empty expression must have the preferences of (x+)?.
    if (inner.isNullable) return this.quest(this.plus(inner, isLazy), isLazy)
    const { at, hole } = this.fork(inner.start, isLazy)
    this.connect(inner.holes, at)
    return { start: at, holes: [hole], isNullable: true }
  }

  /** `x{2,4}` is `xx(x(x)?)?`, `x{2,}` is `xx+`. */
  private repeat(sub: SyntaxNode, min: number, max: number, isLazy: boolean): Fragment {
    if (sub.op === 'empty' || max === 0) return this.single(opCodes.jump, 0, true)
    if (max < 0 && min === 0) return this.star(this.fragment(sub), isLazy)
    const copies: Fragment[] = []
    for (let i = 0; i < (max < 0 ? min - 1 : min); i++) copies.push(this.fragment(sub))
    if (max < 0) copies.push(this.plus(this.fragment(sub), isLazy))
    else if (max > min) copies.push(this.optional(sub, max - min, isLazy))
    return this.joined(copies)
  }

  private optional(sub: SyntaxNode, count: number, isLazy: boolean): Fragment {
    const holes: Hole[] = []
    let start = -1
    let open: readonly Hole[] = []
    for (let i = 0; i < count; i++) {
      const inner = this.fragment(sub)
      const { at, hole } = this.fork(inner.start, isLazy)
      if (i === 0) start = at
      this.connect(open, at)
      holes.push(hole)
      open = inner.holes
    }
    return { start, holes: [...holes, ...open], isNullable: true }
  }
}
