// A command is a value: its name, arguments, options and examples, and one function from ports to an exit code.
// Help, parsing and shell completion are generated from these values.
import type { TextSink } from './output.ts'

/** The exit codes, as documented in `berth --help`. */
export const exitCodes = {
  done: 0,
  answerIsNo: 1,
  wrongQuestion: 2,
  unreachable: 3,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An error that is printed as one line without a stack: the problem, its place, and the expected value. */
export class CommandError extends Error {
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

export function wrongQuestion(message: string): CommandError {
  return new CommandError(message, exitCodes.wrongQuestion)
}

export function unreachable(message: string): CommandError {
  return new CommandError(message, exitCodes.unreachable)
}

/** Access to the outside world. Only `src/cli/ports.ts` creates the real one. */
export interface Ports {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly now: () => number
  readonly files: Files
  readonly readStdin: () => Promise<string>
  /** Aborted by the first Ctrl-C or SIGTERM after this call; a second one ends the process. */
  readonly interruption: () => AbortSignal
}

export interface Files {
  readonly kindOf: (path: string) => Promise<'file' | 'folder' | 'absent'>
  /** Names in the folder, sorted. */
  readonly list: (path: string) => Promise<readonly string[]>
  readonly readText: (path: string) => Promise<string>
  readonly writeText: (path: string, text: string) => Promise<void>
}

export interface CommandContext<Options> extends Ports {
  readonly args: readonly string[]
  readonly options: Options
}

export interface ArgumentSpec {
  /** Upper case, as shown in the usage line: `NAME`. */
  readonly name: string
  readonly summary: string
  readonly takes: 'one' | 'at-most-one' | 'any' | 'some'
  readonly choices?: readonly string[]
}

/**
 * One option. The flag is the key in the command's `options`, in kebab-case: `dataDir` is `--data-dir`. A boolean
 * also accepts `--name=false` and `--no-name`, as Kubernetes components do.
 */
export interface OptionSpec<Value> {
  readonly kind: 'boolean' | 'value' | 'repeated'
  readonly summary: string
  readonly short?: string
  /** Placeholder in the usage line: `DIR`. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly required?: boolean
  readonly hidden?: boolean
  /** Not shown in the form of the console. */
  readonly commandOnly?: true
  /** Throws an Error whose message has the expected value. */
  readonly parse?: (text: string) => unknown
  readonly default: Value
  /** The text of the default in the help, if the value itself is not readable. */
  readonly shown?: string
  /** The heading in the help under which the option is listed. Default: `Options`. */
  readonly group?: string
}

export type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>

export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends OptionSpec<infer Value> ? Value : never
}

export interface Example {
  readonly command: string
  readonly summary: string
}

interface Described {
  readonly name: string
  readonly summary: string
  /** Paragraphs that `--help` prints below the usage line. */
  readonly description?: string
  readonly examples: readonly Example[]
}

export interface CommandSpec<Specs extends OptionSpecs = OptionSpecs> extends Described {
  readonly kind: 'command'
  readonly args: readonly ArgumentSpec[]
  readonly options: Specs
  readonly run: (context: CommandContext<OptionValues<Specs>>) => Promise<ExitCode>
}

/** A command with subcommands only: `berth node silence`. */
export interface CommandGroup extends Described {
  readonly kind: 'group'
  readonly commands: readonly CliCommand[]
}

// A command definition has typed option values; the table of commands does not know their types.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type CliCommand = CommandSpec<any> | CommandGroup

/** An entry of the table of commands: the summary for `berth --help`, and a function that loads the command. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<{ readonly command: CliCommand }>
}

export function defineCommand<const Specs extends OptionSpecs>(
  spec: Omit<CommandSpec<Specs>, 'kind'>,
): CommandSpec<Specs> {
  return { kind: 'command', ...spec }
}

export function defineCommandGroup(spec: Omit<CommandGroup, 'kind'>): CommandGroup {
  return { kind: 'group', ...spec }
}

/** The same options, listed under a separate heading in the help. */
export function grouped<const Specs extends OptionSpecs>(group: string, specs: Specs): Specs {
  return Object.fromEntries(Object.entries(specs).map(([key, spec]) => [key, { group, ...spec }])) as Specs
}

type Common = Pick<OptionSpec<unknown>, 'summary' | 'short' | 'value' | 'hidden' | 'commandOnly' | 'shown'>

export function flag(spec: Common & { readonly default?: boolean }): OptionSpec<boolean> {
  return { kind: 'boolean', default: false, ...spec }
}

export function text(spec: Common & { readonly default: string }): OptionSpec<string>
export function text(spec: Common & { readonly required: true }): OptionSpec<string>
export function text(spec: Common): OptionSpec<string | undefined>
export function text(spec: Common & { readonly default?: string; readonly required?: true }): OptionSpec<unknown> {
  return { kind: 'value', value: 'TEXT', default: undefined, ...spec }
}

export function choice<const Choice extends string>(
  spec: Common & { readonly choices: readonly Choice[]; readonly default: Choice },
): OptionSpec<Choice> {
  return { kind: 'value', value: spec.choices.join('|'), ...spec }
}

interface NumberRange {
  readonly min?: number
  readonly max?: number
}

export function integer(spec: Common & NumberRange & { readonly default: number }): OptionSpec<number>
export function integer(spec: Common & NumberRange): OptionSpec<number | undefined>
export function integer({
  min,
  max,
  ...spec
}: Common & NumberRange & { readonly default?: number }): OptionSpec<unknown> {
  return { kind: 'value', value: 'N', default: undefined, ...spec, parse: (given) => parseInteger(given, { min, max }) }
}

/** An option with a custom format, for example a duration. `parse` throws an Error with the expected format. */
export function parsed<Value>(
  spec: Common & { readonly parse: (text: string) => Value; readonly default: Value },
): OptionSpec<Value>
export function parsed<Value>(spec: Common & { readonly parse: (text: string) => Value }): OptionSpec<Value | undefined>
export function parsed(
  spec: Common & { readonly parse: (text: string) => unknown; readonly default?: unknown },
): OptionSpec<unknown> {
  return { kind: 'value', value: 'VALUE', default: undefined, ...spec }
}

/** An option that may be given several times; its value is the list, in order. */
export function repeated(spec: Common): OptionSpec<readonly string[]>
export function repeated<Value>(
  spec: Common & { readonly parse: (text: string) => Value },
): OptionSpec<readonly Value[]>
export function repeated(
  spec: Common & { readonly parse?: (text: string) => unknown },
): OptionSpec<readonly unknown[]> {
  return { kind: 'repeated', value: 'TEXT', default: [], ...spec }
}

function parseInteger(given: string, { min, max }: { min: number | undefined; max: number | undefined }): number {
  const value = /^[+-]?\d+$/.test(given) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return value
  if (min !== undefined && max !== undefined) throw new Error(`must be an integer from ${min} to ${max}`)
  if (min !== undefined) throw new Error(`must be an integer >= ${min}`)
  if (max !== undefined) throw new Error(`must be an integer <= ${max}`)
  throw new Error('must be an integer')
}

/** `dataDir` → `data-dir`; digits stay with the word before them. */
export function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
