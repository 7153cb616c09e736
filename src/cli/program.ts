// Converts the table of commands to a commander program: parsing, help, and one-line errors.
import { Argument, Command as Commander, CommanderError, type Help, InvalidArgumentError, Option } from 'commander'
import { version } from '../base/version.ts'
import {
  type CliCommand,
  type CommandEntry,
  CommandError,
  type CommandSpec,
  type ExitCode,
  exitCodes,
  flagName,
  type OptionSpec,
  type Ports,
  wrongQuestion,
} from './command.ts'
import { asksForHelp, type CommandOutline, helpOnly } from './command-outlines.ts'

const about =
  'The Kubernetes scheduling and node-lifecycle control plane: embedded, on a real cluster, or in virtual time.'

const exitCodeHelp = `
Exit codes:
  0  done
  1  negative result: an expectation is not met, or a difference was found
  2  invalid input: a flag, file or object
  3  the cluster could not be reached`

/** Runs one command line and returns its exit code. Throws a CommandError for an invalid command line. */
export async function runCommandLine(
  given: readonly string[],
  entries: readonly CommandEntry[],
  ports: Ports,
  /** The outlines from the build; undefined without a build. */
  outlines: () => readonly CommandOutline[] | undefined = () => undefined,
): Promise<ExitCode> {
  // `berth help up` is `berth up --help`.
  const argv = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  let exitCode: ExitCode = exitCodes.done
  const run = async (command: CommandSpec, args: readonly string[], options: Readonly<Record<string, unknown>>) => {
    await warnOfGates(options['featureGates'], ports)
    exitCode = await command.run({ ...ports, args, options })
  }

  const root = dressed(new Commander('berth'), ports).description(about).usage('COMMAND [flags]')
  root.version(`berth ${version}`, '-V, --version', 'Print the version')
  root.addHelpText(
    'after',
    `\n${exitCodeHelp.trim()}\n\nUse "berth COMMAND --help" for more information about a command, and for examples.`,
  )
  const known = asksForHelp(argv) ? outlines() : undefined
  let called: CliCommand | undefined
  for (const entry of entries) {
    // Loads only the requested command. For the others, the help needs only their name and summary.
    if (entry.name === argv[0]) {
      const outline = known?.find(({ name }) => name === entry.name)
      called = outline === undefined ? (await entry.load()).command : helpOnly(outline)
      root.addCommand(toCommander(called, ports, run))
    } else {
      root.addCommand(dressed(new Commander(entry.name), ports).summary(entry.summary))
    }
  }
  try {
    await root.parseAsync(called === undefined ? argv : withNegatedFlags(argv, called), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0 && error.code !== 'commander.help')
      throw wrongQuestion(oneLine(error.message, helpCommand(called, argv)))
  }
  return exitCode
}

/** Printed once, even if several parts of the command read the gates. */
async function warnOfGates(gates: unknown, { stderr }: Ports): Promise<void> {
  if (typeof gates !== 'string') return
  const { gateWarning } = await import('./gate-warning.ts')
  stderr.write(gateWarning(gates) ?? '')
}

type Run = (command: CommandSpec, args: readonly string[], options: Readonly<Record<string, unknown>>) => Promise<void>

function dressed(commander: Commander, ports: Ports): Commander {
  return commander
    .exitOverride()
    .configureOutput({
      writeOut: ports.stdout.write,
      // The program throws errors, so this stream only gets the help of a group without a subcommand.
      writeErr: ports.stdout.write,
      outputError: () => {},
      getOutHelpWidth: () => Math.min(ports.stdout.columns ?? 100, 120),
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpOption('-h, --help', 'Show this help')
    .helpCommand(false)
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      sortSubcommands: false,
      optionDescription: describedOption,
      argumentTerm: (argument) => argument.name(),
      formatItem,
    })
}

/** The widest column of terms; the description of a longer term starts on the next line. */
const widestTerm = 30

/** One entry of a list in the help: a term and its description in two columns. */
function formatItem(term: string, termWidth: number, description: string, help: Help): string {
  const column = Math.min(termWidth, widestTerm)
  const indent = `\n${' '.repeat(column + 4)}`
  const text = help.boxWrap(description, (help.helpWidth ?? 80) - column - 4).replaceAll('\n', indent)
  return term.length > column ? `  ${term}${indent}${text}` : `  ${term.padEnd(column)}  ${text}`.trimEnd()
}

/** The usage line already shows the choices instead of the value. */
function describedOption({ description, defaultValue, defaultValueDescription }: Option): string {
  const shown = defaultValueDescription ?? (defaultValue === undefined ? undefined : String(defaultValue))
  return shown === undefined ? description : `${description} (default: ${shown})`
}

function toCommander(command: CliCommand, ports: Ports, run: Run): Commander {
  const commander = dressed(new Commander(command.name), ports)
    .summary(command.summary)
    .description(command.description === undefined ? command.summary : `${command.summary}\n\n${command.description}`)
  if (command.examples.length > 0) {
    const lines = command.examples.flatMap((example) => [`  # ${example.summary}`, `  ${example.command}`, ''])
    commander.addHelpText('after', `\nExamples:\n${lines.join('\n').trimEnd()}`)
  }
  if (command.kind === 'group') {
    for (const inner of command.commands) commander.addCommand(toCommander(inner, ports, run))
    return commander.usage('COMMAND [flags]')
  }
  for (const argument of command.args) {
    const taken = new Argument(argumentUsage(argument.name, argument.takes), argument.summary)
    commander.addArgument(argument.choices === undefined ? taken : taken.choices(argument.choices))
  }
  const specs: Readonly<Record<string, OptionSpec<unknown>>> = command.options
  for (const [key, spec] of Object.entries(specs)) {
    commander.addOption(toOption(key, spec))
    if (spec.kind === 'boolean') commander.addOption(new Option(`--no-${flagName(key)}`).hideHelp())
  }
  commander.usage([...command.args.map(argumentText), '[flags]'].join(' '))
  return commander.action(async (...given: unknown[]) => {
    const self = given.at(-1) as Commander
    const defaults = Object.fromEntries(Object.entries(specs).map(([key, spec]) => [key, spec.default]))
    await run(command, self.args, { ...defaults, ...self.opts() })
  })
}

/** The argument in the usage line: `NODE…`, `[FILE]`. */
function argumentText({ name, takes }: CommandSpec['args'][number]): string {
  const several = takes === 'some' || takes === 'any' ? `${name}${name.includes('…') ? '' : '…'}` : name
  return takes === 'any' || takes === 'at-most-one' ? `[${several}]` : several
}

function argumentUsage(name: string, takes: CommandSpec['args'][number]['takes']): string {
  switch (takes) {
    case 'one':
      return `<${name}>`
    case 'at-most-one':
      return `[${name}]`
    case 'some':
      return `<${name}...>`
    case 'any':
      return `[${name}...]`
  }
}

function toOption(key: string, spec: OptionSpec<unknown>): Option {
  const short = spec.short === undefined ? '' : `-${spec.short}, `
  const value = spec.kind === 'boolean' ? '' : ` <${spec.value ?? 'VALUE'}>`
  const option = new Option(`${short}--${flagName(key)}${value}`, spec.summary)
  const parse = spec.parse === undefined ? (text: string) => text : explaining(spec.parse)
  if (spec.choices !== undefined) option.choices(spec.choices)
  else if (spec.kind === 'value') option.argParser(parse)
  else if (spec.kind === 'repeated') {
    option.argParser((text, before: readonly unknown[] = []) => [...before, parse(text)])
  }
  if (spec.shown !== undefined) option.default(spec.default, spec.shown)
  else if (isWorthShowing(spec.default)) option.default(spec.default)
  if (spec.required === true) option.makeOptionMandatory()
  if (spec.hidden === true) option.hideHelp()
  if (spec.group !== undefined) option.helpGroup(`${spec.group}:`)
  return option
}

/** Other defaults are set later, because commander would print them in the help. */
function isWorthShowing(value: unknown): boolean {
  return value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function explaining(parse: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      if (error instanceof CommandError) throw error
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
    }
  }
}

/** Kubernetes spells a boolean `--leader-elect=false`; commander spells it `--no-leader-elect`. */
function withNegatedFlags(argv: readonly string[], command: CliCommand): readonly string[] {
  const booleans = new Set(booleanFlags(command))
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  return argv.map((word, at) => {
    const match = /^--([a-z0-9-]+)=(true|false)$/.exec(word)
    if (at > end || match === null || !booleans.has(match[1]!)) return word
    return match[2] === 'true' ? `--${match[1]}` : `--no-${match[1]}`
  })
}

function booleanFlags(command: CliCommand): readonly string[] {
  if (command.kind === 'group') return command.commands.flatMap(booleanFlags)
  const specs: Readonly<Record<string, OptionSpec<unknown>>> = command.options
  return Object.entries(specs).flatMap(([key, spec]) => (spec.kind === 'boolean' ? [flagName(key)] : []))
}

function helpCommand(called: CliCommand | undefined, argv: readonly string[]): string {
  if (called === undefined) return 'berth --help'
  const inner = called.kind === 'group' ? called.commands.find((command) => command.name === argv[1]) : undefined
  return ['berth', called.name, ...(inner === undefined ? [] : [inner.name]), '--help'].join(' ')
}

function oneLine(message: string, help: string): string {
  const [first = '', ...more] = message.replace(/^error: /, '').split('\n')
  const hint = more.join(' ').replace(/^\(Did you mean (.*)\?\)$/, 'did you mean $1?')
  const mistake = first
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\./, "'$1' is not a valid $2.")
    .replace(/\.$/, '')
  return `${mistake}; ${hint === '' ? `see '${help}'` : hint}`
}
