import { deepEqual } from '../api/equality.ts'
import { AwaitingAnswers } from './attempt.ts'

interface KnownPart {
  readonly inputs: readonly unknown[]
  readonly value: unknown
}

// A request whose inputs change all the time is not run again after this number of turns.
const maxTurns = 30

/**
 * The results that a large request has computed, so that other requests are answered between them. In each turn, the registry runs
 * the request from the beginning, computes one result that is not here, and leaves the pipeline. The last run finds all of
 * them, and does what depends on the store: it sees one revision, and its checks hold when it writes. A result is a pure
 * function of its inputs. If an object was changed between two turns, its result is computed again.
 */
export class RequestParts {
  private readonly known = new Map<string, KnownPart>()
  private hasComputed = false
  private turns = 0

  /** Begins a run. */
  begin(): void {
    this.hasComputed = false
    this.turns++
  }

  compute<T>(name: string, inputs: readonly unknown[], compute: () => T): T {
    const known = this.known.get(name)
    if (known !== undefined && areSame(known.inputs, inputs)) return known.value as T
    this.leave()
    const value = compute()
    this.hasComputed = true
    this.known.set(name, { inputs, value })
    return value
  }

  /** Ends the turn, unless it has computed nothing. */
  leave(): void {
    if (this.hasComputed && this.turns < maxTurns) throw new AwaitingAnswers([])
  }

  /** The value of an earlier run if it is equal, so that what was computed from it is found. */
  steady<T>(name: string, value: T): T {
    const known = this.known.get(name)
    if (known !== undefined && deepEqual(known.value, value)) return known.value as T
    this.known.set(name, { inputs: [], value })
    return value
  }
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.every((one, i) => one === others[i])
}

/** A result of a request: computed at once, unless the request is run in turns. */
export function part<T>(
  parts: RequestParts | undefined,
  name: string,
  inputs: readonly unknown[],
  compute: () => T,
): T {
  return parts === undefined ? compute() : parts.compute(name, inputs, compute)
}
