import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { choice, defineCommand, defineCommandGroup, exitCodes, flag, text } from './command.ts'
import { completionAnswer, completionScript, shells } from './completion.ts'

const silence = defineCommand({
  name: 'silence',
  summary: "Stop a node's heartbeats",
  args: [{ name: 'NAME', summary: 'The node', takes: 'one' }],
  options: {
    output: choice({ summary: 'How to print', short: 'o', choices: ['table', 'json'], default: 'table' }),
    kubeconfig: text({ summary: 'The file', value: 'FILE' }),
    now: flag({ summary: 'At once' }),
    secret: flag({ summary: 'Not shown', hidden: true }),
  },
  examples: [],
  run: async () => exitCodes.done,
})
const shell = defineCommand({
  name: 'completion',
  summary: 'Completion',
  args: [{ name: 'SHELL', summary: 'The shell', takes: 'one', choices: shells }],
  options: {},
  examples: [],
  run: async () => exitCodes.done,
})
const commands = [defineCommandGroup({ name: 'node', summary: 'Nodes', examples: [], commands: [silence] }), shell]

function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}

describe('bash', () => {
  const script = completionScript('bash', commands)
  const complete = (...words: readonly string[]) => {
    const line = ['berth', ...words]
    const program = `${script}\nCOMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}\n_berth; printf '%s\\n' "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', program], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((word) => word !== '')
  }

  test.skipIf(!has('bash')).each([
    ['commands', [''], ['node', 'completion', '--help', '-h']],
    ['the beginning of a command', ['no'], ['node']],
    ['commands in a group', ['node', 's'], ['silence']],
    ['flags, the hidden ones excepted', ['node', 'silence', '--'], ['--output', '--kubeconfig', '--now', '--help']],
    ['values of a flag', ['node', 'silence', '-o', ''], ['table', 'json']],
    ['nothing of ours where a file belongs', ['node', 'silence', '--kubeconfig', ''], []],
    ['values of an argument', ['completion', 'z'], ['zsh']],
  ])('completes %s in bash', (_name, words, expected) => {
    expect(complete(...words)).toEqual(expected)
  })
})

describe('kubectl', () => {
  test.each([
    ['commands', [''], ['node\tNodes', 'completion\tCompletion', ':4']],
    ['the beginning of a command', ['no'], ['node\tNodes', ':4']],
    ['commands in a group', ['node', 's'], ["silence\tStop a node's heartbeats", ':4']],
    ['flags', ['node', 'silence', '--n'], ['--now\tAt once', ':4']],
    ['values of a flag', ['node', 'silence', '-o', ''], ['table', 'json', ':4']],
    ['files for a flag', ['node', 'silence', '--kubeconfig', ''], [':0']],
    ['files after the value of a flag', ['node', 'silence', '--kubeconfig', 'x', ''], [':0']],
    ['values of an argument', ['completion', 'z'], ['zsh\tThe shell', ':4']],
    ['commands after an unknown word', ['none', ''], ['node\tNodes', 'completion\tCompletion', ':4']],
  ])('completes %s after kubectl berth', (_name, words, expected) => {
    expect(completionAnswer(words, commands)).toBe(`${expected.join('\n')}\n`)
  })
})

describe('scripts', () => {
  test.each(shells)('completes every command, flag and choice in %s, except hidden ones', (name) => {
    const script = completionScript(name, commands)
    for (const word of ['node', 'silence', 'kubeconfig', 'json', 'fish']) expect(script).toContain(word)
    expect(script).not.toContain('secret')
  })

  for (const name of shells) {
    // A shell that is not installed shows as skipped.
    test.skipIf(!has(name))(`${name} parses its script`, () => {
      const run = spawnSync(name, ['-n'], { input: completionScript(name, commands), encoding: 'utf8' })
      expect(run.stderr).toBe('')
      expect(run.status).toBe(0)
    })
  }
})
