import type { Situation } from '../situation.ts'
import { budgetsOf, spend } from './budgets.ts'
import { type Candidate, candidatesOf } from './candidate.ts'
import type { Command } from './command.ts'
import type { Method } from './methods.ts'
import { simulate } from './simulate.ts'

/** The still valid part of the command, or undefined (v1.14, disruption validators). */
export function validate(input: {
  readonly situation: Situation
  readonly method: Method
  readonly command: Command
  readonly isBusy: (id: string) => boolean
  /** Receives the number of candidates that may no longer be disrupted, as upstream counts them. */
  readonly noteInvalid: (candidates: number) => void
}): Command | undefined {
  const { situation, method, command, isBusy, noteInvalid } = input
  if (method.name === 'empty') {
    const budgets = budgetsOf(situation, method.reason)
    const now = current(situation, method, command, isBusy)
    const left = now.filter(({ pool }) => spend(budgets, pool.metadata.name))
    const invalid = now.length === 0 ? command.candidates.length : now.length - left.length
    if (invalid > 0) noteInvalid(invalid)
    return left.length === 0 ? undefined : { ...command, candidates: left }
  }
  const candidates = current(situation, method, command, isBusy)
  const budgets = budgetsOf(situation, method.reason)
  const isSame = candidates.length === command.candidates.length
  if (!isSame || !candidates.every(({ pool }) => spend(budgets, pool.metadata.name))) {
    noteInvalid(command.candidates.length)
    return undefined
  }
  return isStillRight(situation, command, candidates) ? command : undefined
}

function current(
  situation: Situation,
  method: Method,
  command: Command,
  isBusy: (id: string) => boolean,
): readonly Candidate[] {
  const proposed = new Set(command.candidates.map(({ name }) => name))
  return candidatesOf(situation, 'graceful', isBusy).filter(
    (candidate) => proposed.has(candidate.name) && method.shouldDisrupt(candidate, () => {}),
  )
}

/** Reports whether the same simulation now needs at most what the command contains. */
function isStillRight(situation: Situation, command: Command, candidates: readonly Candidate[]): boolean {
  const simulation = simulate(situation, candidates, true)
  if (simulation === undefined || simulation.problem !== undefined) return false
  const { claims } = simulation.results
  const [claim, ...more] = claims
  const [replacement] = command.replacements
  if (claim === undefined) return replacement === undefined
  if (more.length > 0 || replacement === undefined) return false
  const names = new Set(claim.types.map(({ name }) => name))
  return replacement.types.every(({ name }) => names.has(name))
}
