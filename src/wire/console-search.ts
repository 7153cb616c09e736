// A search of the console for the smallest failure that breaks an expectation, as `berth search` does it.
import type { ConsoleForecast } from './console-wire.ts'

export type SearchRequest =
  | {
      readonly kind: 'search'
      readonly faults: 'realistic' | 'harsh'
      /** Groups of faults; empty: all of the model. */
      readonly only: readonly string[]
      /** Seconds to search. */
      readonly seconds: number
    }
  /** Plays the scenario of an earlier result on the current cluster. */
  | { readonly kind: 'replay'; readonly scenario: Readonly<Record<string, unknown>> }

export interface SearchProgress {
  readonly doing: 'exploring' | 'shrinking' | 'reducing' | 'fixing' | 'replaying'
  readonly explored: number
  /** The distance of the closest case from a violation. 0 is a violation. */
  readonly margin: number
}

/** The lines of `api/search`. */
export type SearchLine =
  | ({ readonly k: 'progress' } & SearchProgress)
  | ({ readonly k: 'search' } & SearchResult)
  | { readonly k: 'failed'; readonly message: string }

export interface SearchResult {
  /** Absent: no case violates an expectation. */
  readonly finding?: SearchFinding
  /** The steps of the search and the ignored parts; without a finding, the proven statements. */
  readonly lines: readonly string[]
  /** The command that repeats the search. */
  readonly command?: string
}

export interface SearchFinding {
  /** `losing a and b at once leaves …` */
  readonly story: string
  /** The expectation that is not met, with its values. */
  readonly violation: string
  /** `Fix: …`, or why there is none. */
  readonly fix?: string
  /** A file for `berth simulate`. */
  readonly scenario: string
  /** The nodes that the scenario names. */
  readonly nodes: readonly string[]
  readonly forecast: ConsoleForecast
}
