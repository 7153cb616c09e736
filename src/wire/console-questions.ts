// Questions of the page What if: their forms, which are derived from the commands of `berth whatif`, and a request for
// a forecast.
import type { ConsoleForecast } from './console-wire.ts'

/** A question as a form: the arguments and options of its command. */
export interface QuestionForm {
  /** The name of the command, for example `drain`. */
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly args: readonly QuestionArgument[]
  readonly options: readonly QuestionOption[]
  /**
   * The answer is a text, as the command prints it. `alone`: the question cannot be combined with others; `with-steps`:
   * a comparison plays the other questions of the request on both sides.
   */
  readonly asText?: 'alone' | 'with-steps'
}

export interface QuestionArgument {
  /** The name in the help: `NODE`, `KIND/NAME`. */
  readonly name: string
  readonly summary: string
  readonly takes: 'one' | 'at-most-one' | 'any' | 'some'
  readonly choices?: readonly string[]
  /** The argument is a file; the form asks for its content. */
  readonly isFile?: boolean
}

export interface QuestionOption {
  readonly key: string
  /** `--recover-after`. */
  readonly flag: string
  readonly kind: 'boolean' | 'value' | 'repeated'
  readonly summary: string
  /** The placeholder: `DURATION`; for `FILE`, the form asks for its content. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly required: boolean
  readonly default?: string
}

/** One question of a request. */
export interface QuestionStep {
  readonly question: string
  readonly args: readonly string[]
  /** Options by key. Files are sent as their content. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[]>>
  /** Seconds after the start. */
  readonly after?: number
}

export interface ForecastRequest {
  /** At least one. */
  readonly steps: readonly QuestionStep[]
  readonly seconds: number
  /** A release other than the release of the cluster, for example `1.34`. */
  readonly release?: string
  /** Flags of the components as YAML, which replace the flags of the cluster. */
  readonly flags?: string
}

/** The lines of `api/forecast`. */
export type ForecastLine =
  | { readonly k: 'progress'; readonly seconds: number; readonly facts: number; readonly said?: string }
  | ({ readonly k: 'forecast' } & (ForecastResult | TextAnswer))
  | { readonly k: 'failed'; readonly message: string }

export interface ForecastResult {
  readonly forecast: ConsoleForecast
  /** The command that gives the same answer; absent for several questions. */
  readonly command?: string
  /** The same as a scenario file; absent if a step cannot be written to a file. */
  readonly scenario?: string
}

/** The answer to a question that is not a single forecast: the output of the command. */
export interface TextAnswer {
  readonly title: string
  readonly text: string
  readonly command: string
}
