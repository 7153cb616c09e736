// Questions of What if: their forms, which follow from the commands of `berth whatif`, and a request for a forecast.
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
   * The answer is a text, as the command prints it. `alone`: the question stands alone; `with-steps`: the other questions of
   * the request are played on both sides of a comparison.
   */
  readonly asText?: 'alone' | 'with-steps'
}

export interface QuestionArgument {
  /** As in the help: `NODE`, `KIND/NAME`. */
  readonly name: string
  readonly summary: string
  readonly takes: 'one' | 'at-most-one' | 'any' | 'some'
  readonly choices?: readonly string[]
  /** The content of a file, which is asked for. */
  readonly isFile?: boolean
}

export interface QuestionOption {
  readonly key: string
  /** `--recover-after`. */
  readonly flag: string
  readonly kind: 'boolean' | 'value' | 'repeated'
  readonly summary: string
  /** The placeholder: `DURATION`; `FILE`: its content is asked for. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly required: boolean
  readonly default?: string
}

/** One question of a request. */
export interface QuestionStep {
  readonly question: string
  readonly args: readonly string[]
  /** By key. Files are given as their content. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[]>>
  /** Seconds after the start. */
  readonly after?: number
}

export interface ForecastRequest {
  /** At least one. */
  readonly steps: readonly QuestionStep[]
  readonly seconds: number
  /** Another release than that of the cluster, for example `1.34`. */
  readonly release?: string
  /** Flags of the components as YAML, which replace those of the cluster. */
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

/** The answer to a question that is not one forecast: what the command prints. */
export interface TextAnswer {
  readonly title: string
  readonly text: string
  readonly command: string
}
