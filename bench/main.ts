// npm run bench [-- NAME] [--full] [--seed S] […]: runs one suite or all of them, prints tables, keeps the numbers.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createContext } from './context.ts'
import type { SuiteEntry, SuiteResult } from './suite.ts'
import { suites } from './suites.ts'
import { publishIn, summaryOf } from './summary.ts'

const page = 'bench/README.md'

interface Arguments {
  readonly name?: string
  readonly full: boolean
  readonly seed: string
  readonly publish: boolean
  readonly args: readonly string[]
}

async function main(argv: readonly string[]): Promise<number> {
  const wanted = parseArguments(argv)
  if (wanted.name === 'list' || argv.includes('--help')) {
    process.stdout.write(usage())
    return 0
  }
  if (wanted.name === undefined) return runAll(wanted)
  const entry = suites.find(({ name }) => name === wanted.name)
  if (entry === undefined) {
    const names = suites.map(({ name }) => name).join(', ')
    process.stderr.write(`bench: there is no suite '${wanted.name}'; the suites are: ${names}\n`)
    return 2
  }
  return (await runSuite(entry, wanted)) ? 0 : 1
}

/** Each suite in a process of its own: the heap and the compiled code of one have no part in the figures of the next. */
async function runAll(options: Arguments): Promise<number> {
  const started = performance.now()
  const results: SuiteResult[] = []
  const failed: string[] = []
  for (const [at, { name, summary }] of suites.entries()) {
    process.stderr.write(`[${at + 1}/${suites.length}] ${name}: ${summary}\n`)
    const file = await runApart(name, options)
    if (file === undefined) failed.push(name)
    else results.push(JSON.parse(readFileSync(file, 'utf8')) as SuiteResult)
  }
  const table = summaryOf(results)
  const size = options.full ? 'full' : 'quick'
  const file = `bench/results/summary-${size}.md`
  writeFileSync(file, table)
  if (options.publish && failed.length === 0) writeFileSync(page, publishIn(readFileSync(page, 'utf8'), size, table))
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  process.stderr.write(`all suites took ${minutes} minutes; their figures in one table: ${file}\n`)
  if (failed.length > 0) process.stderr.write(`bench: failed: ${failed.join(', ')}\n`)
  return failed.length === 0 ? 0 : 1
}

/** The file with the numbers, or nothing if the suite failed. */
function runApart(name: string, { full, seed, args }: Arguments): Promise<string | undefined> {
  const words = [name, ...(full ? ['--full'] : []), '--seed', seed, ...args]
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
  const name = rest[0] === undefined || rest[0].startsWith('-') ? undefined : rest.shift()
  let full = false
  let publish = false
  let seed = '1'
  const args: string[] = []
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--full') full = true
    else if (word === '--publish') publish = true
    else if (word === '--seed') seed = rest.shift() ?? seed
    else if (word.startsWith('--seed=')) seed = word.slice('--seed='.length)
    else args.push(word)
  }
  return { ...(name === undefined ? {} : { name }), full, publish, seed, args }
}

function usage(): string {
  const lines = suites.map((entry) => `  ${entry.name.padEnd(14)} ${entry.summary}\n`).join('')
  return `npm run bench [-- NAME] [--full] [--seed S] […]

  Without NAME every suite runs, each in a process of its own, and their figures end up in one table in bench/results/;
  --publish puts that table into ${page}.

${lines}`
}

process.exitCode = await main(process.argv.slice(2))
