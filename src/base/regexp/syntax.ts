import type { RuneClass } from './rune-class.ts'

export type Assertion = 'begin-line' | 'end-line' | 'begin-text' | 'end-text' | 'word-boundary' | 'no-word-boundary'

type Form =
  | { readonly op: 'empty' }
  | { readonly op: 'class'; readonly runes: RuneClass }
  | { readonly op: 'assert'; readonly assertion: Assertion }
  | { readonly op: 'capture'; readonly index: number; readonly sub: SyntaxNode }
  | { readonly op: 'star' | 'plus' | 'quest'; readonly sub: SyntaxNode; readonly isLazy: boolean }
  | {
      readonly op: 'repeat'
      readonly sub: SyntaxNode
      readonly min: number
      readonly max: number
      readonly isLazy: boolean
    }
  | { readonly op: 'concat' | 'alternate'; readonly subs: readonly SyntaxNode[] }

/** A part of an expression. `max` of a repeat is -1 for any number. */
export type SyntaxNode = Form & {
  /** The maximum number of instructions of the program. */
  readonly size: number
  readonly height: number
  /** The product of the nested counted repetitions, for the part that is repeated most. */
  readonly copies: number
}

/** A pattern that Go refuses, with Go's message. */
export class PatternError extends Error {
  override readonly name = 'PatternError'

  constructor(code: string, expression: string) {
    super(`error parsing regexp: ${code}: \`${expression}\``)
  }
}

/** Go's limit (regexp/syntax, maxHeight). */
export const maxHeight = 1000
/** Go's limit is 3.3 million instructions, which is too much for a request here. */
export const maxInstructions = 50_000

export function makeNode(form: Form): SyntaxNode {
  const subs = 'subs' in form ? form.subs : 'sub' in form ? [form.sub] : []
  let height = 0
  let copies = 1
  for (const sub of subs) {
    height = Math.max(height, sub.height)
    copies = Math.max(copies, sub.copies)
  }
  if (form.op === 'repeat') {
    if (form.max === 0) copies = 1
    else copies *= Math.max(1, form.max < 0 ? form.min : form.max)
  }
  return { ...form, size: sizeOf(form), height: height + 1, copies }
}

function sizeOf(form: Form): number {
  switch (form.op) {
    case 'capture':
    case 'star':
      return 2 + form.sub.size
    case 'plus':
    case 'quest':
      return 1 + form.sub.size
    case 'concat':
      return form.subs.reduce((sum, { size }) => sum + size, 0)
    case 'alternate':
      return form.subs.reduce((sum, { size }) => sum + size, form.subs.length - 1)
    case 'repeat':
      if (form.max < 0) return form.min === 0 ? 2 + form.sub.size : 1 + form.min * form.sub.size
      return Math.max(1, form.max * form.sub.size + form.max - form.min)
    default:
      return 1
  }
}
