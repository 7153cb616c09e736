import { describe, expect, it } from 'vitest'
import type { CommandEntry, Ports } from './command.ts'
import { asksForHelp, type CommandOutline, commandOutlines } from './command-outlines.ts'
import { commands } from './commands.ts'
import { completionAnswer } from './completion.ts'
import { runCommandLine } from './program.ts'

/** As the build writes them, and a command reads them. */
const outlines = commandOutlines(commands).then((all) => JSON.parse(JSON.stringify(all)) as readonly CommandOutline[])

const pathsOf = (outline: CommandOutline, above: readonly string[] = []): readonly (readonly string[])[] => {
  const path = [...above, outline.name]
  return [path, ...(outline.kind === 'group' ? outline.commands.flatMap((inner) => pathsOf(inner, path)) : [])]
}

async function printed(argv: readonly string[], entries: readonly CommandEntry[], known?: readonly CommandOutline[]) {
  const out: string[] = []
  const sink = { write: (text: string) => void out.push(text), isTTY: false, columns: undefined }
  await runCommandLine(argv, entries, { stdout: sink, stderr: sink, env: {} } as unknown as Ports, () => known)
  return out.join('')
}

const unloadable: readonly CommandEntry[] = commands.map((entry) => ({
  ...entry,
  load: () => Promise.reject(new Error(`${entry.name} was loaded`)),
}))

describe('outlines of commands', () => {
  // Loads every command.
  it('prints the help of every command from its outline, without loading the command', {
    timeout: 300_000,
  }, async () => {
    const known = await outlines
    const paths = known.flatMap((outline) => pathsOf(outline))
    expect(paths.length).toBeGreaterThan(40)
    for (const path of paths) {
      const help = await printed([...path, '--help'], commands)
      expect(help, path.join(' ')).toContain('Usage: berth')
      expect(await printed([...path, '--help'], unloadable, known), path.join(' ')).toBe(help)
      expect(await printed(['help', ...path], unloadable, known), path.join(' ')).toBe(help)
    }
  })

  it('completes words from outlines as from the commands', async () => {
    const known = await outlines
    expect(completionAnswer(['whatif', 'dr'], known)).toMatch(/^drain\t.*\n:4\n$/)
    expect(completionAnswer(['whatif', 'drain', '--fail-on', ''], known)).toContain('unsafe\n')
  })

  it.each([
    [['whatif', '--help'], true],
    [['whatif', 'drain', '-h'], true],
    [['--help'], false],
    // The word after an option may be its value.
    [['whatif', 'drain', '--selector', '--help'], false],
    [['whatif', 'drain', 'a1'], false],
  ] as const)('a command line asks for help and nothing else: %j: %s', (argv, expected) => {
    expect(asksForHelp(argv)).toBe(expected)
  })
})
