import { span } from '../whatif/report/phrases.ts'
import type { Case, Fault } from './fault.ts'
import { type FaultKind, faultKinds } from './fault-kinds.ts'
import type { CaseViolation } from './run-case.ts'

/** `losing node-17 and node-42 within 3m0s leaves shop/checkout with 0 of 3 ready for 6m10s` */
export function storyText(faults: Case, { effect }: CaseViolation): string {
  return `${faultsText(faults)} leaves ${effect}`
}

export function faultsText(faults: Case): string {
  const [first, ...rest] = faults
  if (first === undefined) return 'no fault'
  if (rest.length === 0) return phraseOf(first, first.target.name)
  const spanMs = (faults.at(-1) as Fault).atMs - first.atMs
  const isAlike = rest.every(({ kind, forMs }) => kind === first.kind && forMs === first.forMs)
  if (isAlike) return `${phraseOf(first, joined(faults.map(({ target }) => target.name)))} ${whenText(spanMs)}`
  return faults
    .map((fault, at) => {
      const before = faults[at - 1]
      const afterMs = before === undefined ? 0 : fault.atMs - before.atMs
      const text = phraseOf(fault, fault.target.name)
      if (before === undefined) return text
      return afterMs === 0 ? `and ${text} at the same time` : `and ${text} ${span(afterMs)} later`
    })
    .join(' ')
}

function whenText(spanMs: number): string {
  return spanMs === 0 ? 'at once' : `within ${span(spanMs)}`
}

function phraseOf({ kind, forMs }: Fault, target: string): string {
  const text = (faultKinds[kind] as FaultKind).phrase(target)
  if (forMs === undefined) return text
  return text.endsWith(' for a while')
    ? text.replace('for a while', `for ${span(forMs)}`)
    : `${text} for ${span(forMs)}`
}

function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
