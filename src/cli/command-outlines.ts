// The names, arguments, options and examples of commands as data, without their functions. The build writes them to a file.
// Help and completion read that file, so that they load no command.
import type { CliCommand, CommandEntry, CommandGroup, CommandSpec, OptionSpecs } from './command.ts'

export type CommandOutline =
  | Omit<CommandSpec, 'run'>
  | (Omit<CommandGroup, 'commands'> & { readonly commands: readonly CommandOutline[] })

/** All commands as data. */
export async function commandOutlines(entries: readonly CommandEntry[]): Promise<readonly CommandOutline[]> {
  return Promise.all(entries.map(async (entry) => outlineOf((await entry.load()).command)))
}

export function outlineOf(command: CliCommand): CommandOutline {
  const { kind, name, summary, description, examples } = command
  const described = { name, summary, ...(description === undefined ? {} : { description }), examples }
  if (kind === 'group') return { kind, ...described, commands: command.commands.map(outlineOf) }
  const specs = command.options as OptionSpecs
  const options = Object.fromEntries(Object.entries(specs).map(([key, { parse: _, ...spec }]) => [key, spec]))
  return { kind, ...described, args: command.args, options }
}

/** The outline as a command that prints its help and cannot run. */
export function helpOnly(outline: CommandOutline): CliCommand {
  if (outline.kind === 'group') return { ...outline, commands: outline.commands.map(helpOnly) }
  const run = () => Promise.reject(new Error(`${outline.name}: the outline of a command cannot run`))
  return { ...outline, run }
}

/** Reports whether a command line only requests the help of a command: `whatif drain --help`. */
export function asksForHelp(argv: readonly string[]): boolean {
  const last = argv.at(-1)
  return (
    argv.length > 1 && (last === '--help' || last === '-h') && argv.slice(0, -1).every((word) => /^[a-z]/.test(word))
  )
}
