import { describe, expect, test } from 'vitest'
import type { CliCommand, Ports } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { runCommandLine } from '../../src/cli/program.ts'
import { fixes } from '../../src/controllers/fixes.ts'
import { knownFlags } from '../../src/controlplane/settings.ts'
import { read } from '../tidy/project.ts'

function listeningPorts(): Ports & { readonly said: () => string } {
  const out: string[] = []
  const sink = { write: (text: string) => void out.push(text), isTTY: false, columns: undefined }
  return {
    stdout: sink,
    stderr: sink,
    env: {},
    cwd: '/',
    now: () => 0,
    files: { kindOf: async () => 'absent', list: async () => [], readText: async () => '', writeText: async () => {} },
    readStdin: async () => '',
    interruption: () => new AbortController().signal,
    said: () => out.join(''),
  }
}

async function helpOf(words: readonly string[]): Promise<string> {
  const ports = listeningPorts()
  await runCommandLine([...words, '--help'], commands, ports)
  return ports.said().trimEnd()
}

function pathsOf(command: CliCommand, before: readonly string[] = []): readonly (readonly string[])[] {
  const own = [...before, command.name]
  return [own, ...(command.kind === 'group' ? command.commands.flatMap((inner) => pathsOf(inner, own)) : [])]
}

describe('docs/reference/commands.md', () => {
  test('contains the help of all commands (npx vitest run test/docs -u updates it)', async () => {
    const loaded = await Promise.all(commands.map(async ({ load }) => (await load()).command))
    const paths = [[], ...loaded.flatMap((command) => pathsOf(command))]
    const sections: string[] = []
    for (const path of paths) {
      sections.push(`## ${['berth', ...path].join(' ')}\n\n\`\`\`text\n${await helpOf(path)}\n\`\`\`\n`)
    }
    const page = `# Commands\n\nThe help of each command, generated from the commands. See [exit codes](exit-codes.md) for their meaning.\n\n${sections.join('\n')}`
    expect(sections.length).toBeGreaterThan(commands.length)
    await expect(page).toMatchFileSnapshot('../../docs/reference/commands.md')
  })
})

describe('the tables of the documentation', () => {
  test('docs/reference/flags.md has every flag that is read', () => {
    const page = read('docs/reference/flags.md')
    expect(Object.keys(knownFlags).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('docs/compatibility.md has every fix, with its issue', () => {
    const rows = read('docs/compatibility.md').split('\n')
    const missing = Object.values(fixes).filter(
      ({ id, upstreamIssue }) =>
        !rows.some((row) => row.startsWith(`| \`${id}\` |`) && row.includes(`#${upstreamIssue}]`)),
    )
    expect(missing).toEqual([])
  })
})
