import { describe, expect, test } from 'vitest'
import {
  type CliCommand,
  choice,
  defineCommand,
  defineCommandGroup,
  exitCodes,
  flag,
  grouped,
  integer,
  type Ports,
  parsed,
  repeated,
  text,
  unreachable,
} from './command.ts'
import { commands } from './commands.ts'
import { main } from './main.ts'
import { runCommandLine } from './program.ts'

function fakePorts(): Ports & { readonly out: () => string; readonly err: () => string } {
  const out: string[] = []
  const err: string[] = []
  return {
    stdout: { write: (more) => void out.push(more), isTTY: false, columns: undefined },
    stderr: { write: (more) => void err.push(more), isTTY: false, columns: undefined },
    env: {},
    cwd: '/',
    now: () => 0,
    files: {
      kindOf: async () => 'absent',
      list: async () => [],
      readText: async () => '',
      writeText: async () => {},
    },
    readStdin: async () => '',
    interruption: () => new AbortController().signal,
    out: () => out.join(''),
    err: () => err.join(''),
  }
}

const echo = defineCommand({
  name: 'echo',
  summary: 'Say what was understood',
  args: [
    { name: 'FIRST', summary: 'The first', takes: 'one' },
    { name: 'REST', summary: 'The others', takes: 'any' },
  ],
  options: {
    dataDir: text({ summary: 'Where', value: 'DIR', default: '.berth' }),
    context: text({ summary: 'Which' }),
    port: integer({ summary: 'Port', short: 'p', min: 0, max: 65535, default: 6443 }),
    leaderElect: flag({ summary: 'Elect', default: true }),
    ephemeral: flag({ summary: 'Keep nothing' }),
    output: choice({ summary: 'How', short: 'o', choices: ['table', 'json'], default: 'table' }),
    taint: repeated({ summary: 'Taints' }),
    ...grouped('Timing options', {
      after: parsed({
        summary: 'When',
        parse: (given) => {
          if (!/^\d+s$/.test(given)) throw new Error('it must be seconds, for instance 30s')
          return Number(given.slice(0, -1)) * 1000
        },
      }),
    }),
  },
  examples: [{ command: 'berth echo a', summary: 'Say a' }],
  run: async ({ args, options, stdout }) => {
    // The types of the values follow from the options; this line compiles only if they do.
    const portAfter: number = options.port + (options.after ?? 0)
    stdout.write(JSON.stringify({ args, ...options, portAfter }))
    return options.ephemeral ? exitCodes.answerIsNo : exitCodes.done
  },
})

const lost = defineCommand({
  name: 'lost',
  summary: 'Fail to reach a cluster',
  args: [],
  options: { server: text({ summary: 'Where', required: true }) },
  examples: [],
  run: async ({ options }) => {
    throw unreachable(`${options.server}: connection refused`)
  },
})

const group = defineCommandGroup({ name: 'node', summary: 'Nodes', examples: [], commands: [echo, lost] })

const entries = [echo, group].map((command: CliCommand) => ({
  name: command.name,
  summary: command.summary,
  load: async () => ({ command }),
}))

async function run(...argv: readonly string[]) {
  const ports = fakePorts()
  const code = await runCommandLine(argv, entries, ports).catch((error: Error & { exitCode?: number }) => {
    if (error.exitCode === undefined) throw error
    return `${error.exitCode}: ${error.message}`
  })
  return { code, out: ports.out() }
}

const understood = async (...argv: readonly string[]) => JSON.parse((await run('echo', 'a', ...argv)).out)

describe('parsing a command line', () => {
  test('applies the defaults of options', async () => {
    expect(await understood()).toEqual({
      args: ['a'],
      dataDir: '.berth',
      port: 6443,
      portAfter: 6443,
      leaderElect: true,
      ephemeral: false,
      output: 'table',
      taint: [],
    })
  })

  test.each<[string, readonly string[], Record<string, unknown>]>([
    ['a value after a space', ['--data-dir', 'x'], { dataDir: 'x' }],
    ['a value after =', ['--data-dir=x'], { dataDir: 'x' }],
    ['a short flag', ['-p', '0', '-o', 'json'], { port: 0, output: 'json' }],
    ['a repeated flag', ['--taint', 'a', '--taint=b'], { taint: ['a', 'b'] }],
    ['a flag with a grammar', ['--after', '30s'], { after: 30_000, portAfter: 36_443 }],
    [
      'a boolean as Kubernetes spells it',
      ['--leader-elect=false', '--ephemeral=true'],
      { leaderElect: false, ephemeral: true },
    ],
    ['a negated boolean', ['--no-leader-elect'], { leaderElect: false }],
    ['more arguments', ['b', 'c'], { args: ['a', 'b', 'c'] }],
    ['what follows --', ['--', '--leader-elect=false'], { args: ['a', '--leader-elect=false'], leaderElect: true }],
  ])('parses %s', async (_name, argv, expected) => {
    expect(await understood(...argv)).toMatchObject(expected)
  })

  test('returns the exit code of the command', async () => {
    expect((await run('echo', 'a')).code).toBe(0)
    expect((await run('echo', 'a', '--ephemeral')).code).toBe(1)
    expect((await run('node', 'echo', 'a')).code).toBe(0)
  })
})

describe('usage errors', () => {
  test.each([
    [['ecko', 'a'], "2: unknown command 'ecko'; did you mean echo?"],
    [['zzz'], "2: unknown command 'zzz'; see 'berth --help'"],
    [['echo', 'a', '--data-dri', 'x'], "2: unknown option '--data-dri'; did you mean --data-dir?"],
    [['echo'], "2: missing required argument 'FIRST'; see 'berth echo --help'"],
    [
      ['echo', 'a', '-p', '70000'],
      "2: option '-p, --port <N>' argument '70000' is invalid. must be an integer from 0 to 65535; see 'berth echo --help'",
    ],
    [
      ['echo', 'a', '--after', 'soon'],
      "2: option '--after <VALUE>' argument 'soon' is invalid. it must be seconds, for instance 30s; see 'berth echo --help'",
    ],
    [
      ['echo', 'a', '-o', 'xml'],
      "2: option '-o, --output <table|json>' argument 'xml' is invalid. Allowed choices are table, json; see 'berth echo --help'",
    ],
    [['node', 'ecco'], "2: unknown command 'ecco'; did you mean echo?"],
    [['node', 'lost'], "2: required option '--server <TEXT>' not specified; see 'berth node lost --help'"],
    [['node', 'lost', '--server', 'x'], '3: x: connection refused'],
    [['--frobnicate'], "2: unknown option '--frobnicate'; see 'berth --help'"],
  ])('rejects berth %j with a one-line error', async (argv, expected) => {
    expect((await run(...argv)).code).toBe(expected)
  })

  test('an unexpected error asks the user to report it', async () => {
    const ports = fakePorts()
    const broken = { ...ports, stdout: { ...ports.stdout, write: () => [].at(0)!['x'] } }
    expect(await main(['version'], broken)).toBe(70)
    expect(ports.err()).toContain('unexpected error; please report it')
  })
})

describe('help', () => {
  test.each([
    ['of berth', []],
    ['of berth, asked for', ['--help']],
    ['of berth, by its word', ['help']],
  ])('%s lists the commands and the exit codes', async (_name, argv) => {
    const { code, out } = await run(...argv)
    expect(code).toBe(0)
    expect(out).toContain('Say what was understood')
    expect(out).toContain('3  the cluster could not be reached')
  })

  test('help of a command shows flags, defaults and examples', async () => {
    const { code, out } = await run('help', 'echo')
    expect(code).toBe(0)
    expect(out).toContain('Usage: berth echo')
    expect(out).toContain('--data-dir <DIR>')
    expect(out).toContain('default: .berth')
    expect(out).toContain('  # Say a\n  berth echo a')
    expect(out).not.toContain('--no-ephemeral')
    expect(out).not.toContain('default: false')
    expect(out).not.toContain('default: []')
    expect(out).toBe((await run('echo', '--help')).out)
  })

  test('help of a command lists grouped options under their headings, after the other options', async () => {
    const { out } = await run('echo', '--help')
    const lines = out.split('\n')
    expect(lines.indexOf('Options:')).toBeGreaterThan(0)
    expect(lines.indexOf('Timing options:')).toBeGreaterThan(lines.indexOf('Options:'))
    expect(lines[lines.indexOf('Timing options:') + 1]).toMatch(/^ {2}--after <VALUE> +When$/)
  })

  test('help of a command group lists its commands', async () => {
    expect((await run('node')).out).toContain('Fail to reach a cluster')
    expect((await run('node', 'lost', '--help')).out).toContain('--server <TEXT>')
  })
})

describe('the table of commands', () => {
  const everyCommand = (command: CliCommand): readonly CliCommand[] =>
    command.kind === 'group' ? [command, ...command.commands.flatMap(everyCommand)] : [command]

  test.each(commands.map((entry) => [entry.name, entry] as const))(
    'the help of %s follows the grammar of help texts',
    async (_name, entry) => {
      const { command } = await entry.load()
      expect({ name: command.name, summary: command.summary }).toEqual({ name: entry.name, summary: entry.summary })
      for (const each of everyCommand(command)) {
        expect(each.name).toMatch(/^[a-z]+(-[a-z]+)*$/)
        expect(each.summary).toMatch(/^[A-Z].*[^.]$/)
        if (each.kind === 'group') continue
        expect(each.examples.length, `${each.name} has no example`).toBeGreaterThan(0)
        for (const key of Object.keys(each.options)) expect(key).toMatch(/^(?!no[A-Z])[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/)
      }
      const { exitCode, out } = await helpOf(entry.name)
      expect(exitCode).toBe(0)
      expect(out).toContain(`Usage: berth ${entry.name}`)
      const [flags = ''] = out.split('\nExamples:')
      expect(flags.split('\n').filter((line) => line.length > 100)).toEqual([])
    },
  )

  async function helpOf(name: string) {
    const ports = fakePorts()
    return { exitCode: await main([name, '--help'], ports), out: ports.out() }
  }
})
