// npm run bench [-- NAME…] [--full] [--seed S] […]: runs the named suites or all of them, prints tables, writes the numbers to bench/results.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createContext } from './context.ts'
import type { SuiteEntry, SuiteResult } from './suite.ts'
import { suites } from './suites.ts'
import { publishIn, summaryOf } from './summary.ts'

const page = 'bench/README.md'

interface Arguments {
  /** All suites if empty. */
  readonly names: readonly string[]
  readonly full: boolean
  readonly seed: string
  readonly publish: boolean
  readonly part?: string
  readonly args: readonly string[]
}

async function main(argv: readonly string[]): Promise<number> {
  const wanted = parseArguments(argv)
  if (wanted.names[0] === 'list' || argv.includes('--help')) {
    process.stdout.write(usage())
    return 0
  }
  const unknown = wanted.names.find((wantedName) => !suites.some(({ name }) => name === wantedName))
  if (unknown !== undefined) {
    const names = suites.map(({ name }) => name).join(', ')
    process.stderr.write(`bench: unknown suite '${unknown}'; the suites are: ${names}\n`)
    return 2
  }
  const chosen = suites.filter(({ name }) => wanted.names.length === 0 || wanted.names.includes(name))
  if (wanted.names.length !== 1) return runApart(chosen, wanted)
  return (await runSuite(chosen[0] as SuiteEntry, wanted)) ? 0 : 1
}

/** Runs each suite in a separate process, so that the heap and compiled code of one do not affect the next. */
async function runApart(chosen: readonly SuiteEntry[], options: Arguments): Promise<number> {
  const started = performance.now()
  const results: SuiteResult[] = []
  const failed: string[] = []
  for (const [at, { name, summary }] of chosen.entries()) {
    process.stderr.write(`[${at + 1}/${chosen.length}] ${name}: ${summary}\n`)
    const file = await runProcess(name, options)
    if (file === undefined) failed.push(name)
    else results.push(JSON.parse(readFileSync(file, 'utf8')) as SuiteResult)
  }
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  if (failed.length > 0) process.stderr.write(`bench: failed: ${failed.join(', ')}\n`)
  if (chosen.length < suites.length) return failed.length === 0 ? 0 : 1
  const table = summaryOf(results)
  const size = options.full ? 'full' : 'quick'
  const file = `bench/results/summary-${size}.md`
  writeFileSync(file, table)
  if (options.publish && failed.length === 0) writeFileSync(page, publishIn(readFileSync(page, 'utf8'), size, table))
  process.stderr.write(`all suites took ${minutes} minutes; their figures in one table: ${file}\n`)
  return failed.length === 0 ? 0 : 1
}

/** The file with the numbers; undefined if the suite failed. */
function runProcess(name: string, { full, seed, part, args }: Arguments): Promise<string | undefined> {
  const words = [
    name,
    ...(full ? ['--full'] : []),
    '--seed',
    seed,
    ...(part === undefined ? [] : ['--part', part]),
    ...args,
  ]
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  let file: string | undefined
  child.on('message', (message) => {
    file = String(message)
  })
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0 ? file : undefined)))
}

async function runSuite(entry: SuiteEntry, options: Arguments): Promise<boolean> {
  const { context, finish } = createContext(entry.name, options)
  const { machine, commit } = context
  try {
    const { suite } = await entry.load()
    process.stdout.write(
      `\n${entry.name} at ${commit}, seed ${options.seed}, on ${machine.cores} × ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}\n`,
    )
    const { ms } = await context.time(() => suite.run(context))
    const file = finish()
    process.stderr.write(`  done in ${(ms / 1000).toFixed(1)} s, numbers in ${file}\n`)
    process.send?.(file)
    return true
  } catch (error) {
    process.stderr.write(`  ${entry.name} failed: ${error instanceof Error ? error.stack : String(error)}\n`)
    return false
  }
}

function parseArguments(argv: readonly string[]): Arguments {
  const rest = [...argv]
  const names: string[] = []
  while (rest[0] !== undefined && !rest[0].startsWith('-')) names.push(rest.shift() as string)
  let full = false
  let publish = false
  let seed = '1'
  let part: string | undefined
  const args: string[] = []
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--full') full = true
    else if (word === '--publish') publish = true
    else if (word === '--seed') seed = rest.shift() ?? seed
    else if (word.startsWith('--seed=')) seed = word.slice('--seed='.length)
    else if (word === '--part') part = rest.shift()
    else args.push(word)
  }
  return { names, ...(part === undefined ? {} : { part }), full, publish, seed, args }
}

function usage(): string {
  const lines = suites.map((entry) => `  ${entry.name.padEnd(14)} ${entry.summary}\n`).join('')
  return `npm run bench [-- NAME…] [--full] [--seed S] […]

  Without NAME every suite runs, each in its own process, and one table with all figures is written to bench/results/;
  --publish copies that table into ${page}.

${lines}`
}

process.exitCode = await main(process.argv.slice(2))
