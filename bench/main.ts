// npm run bench [-- NAME] [--full] [--seed S] […]: runs one suite or all of them, prints tables, keeps the numbers.
import { createContext } from './context.ts'
import type { SuiteEntry } from './suite.ts'
import { suites } from './suites.ts'

async function main(argv: readonly string[]): Promise<number> {
  const { name, full, seed, args } = parseArguments(argv)
  if (name === 'list' || argv.includes('--help')) {
    process.stdout.write(usage())
    return 0
  }
  const wanted = name === undefined ? suites : suites.filter((entry) => entry.name === name)
  if (wanted.length === 0) {
    const names = suites.map((entry) => entry.name).join(', ') || 'none yet'
    process.stderr.write(
      `bench: ${name === undefined ? 'there is no suite yet' : `there is no suite '${name}'`}; the suites are: ${names}\n`,
    )
    return name === undefined ? 0 : 2
  }
  let failures = 0
  for (const [at, entry] of wanted.entries()) {
    process.stderr.write(`[${at + 1}/${wanted.length}] ${entry.name}: ${entry.summary}\n`)
    if (!(await runSuite(entry, { full, seed, args }))) failures++
  }
  return failures === 0 ? 0 : 1
}

async function runSuite(
  entry: SuiteEntry,
  options: { full: boolean; seed: string; args: readonly string[] },
): Promise<boolean> {
  const { context, finish } = createContext(entry.name, options)
  const { machine, commit } = context
  try {
    const { suite } = await entry.load()
    process.stdout.write(
      `\n${entry.name} at ${commit}, seed ${options.seed}, on ${machine.cores} × ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}\n`,
    )
    const { ms } = await context.time(() => suite.run(context))
    process.stderr.write(`  done in ${(ms / 1000).toFixed(1)} s, numbers in ${finish()}\n`)
    return true
  } catch (error) {
    process.stderr.write(`  ${entry.name} failed: ${error instanceof Error ? error.stack : String(error)}\n`)
    return false
  }
}

function parseArguments(argv: readonly string[]) {
  const rest = [...argv]
  const name = rest[0] === undefined || rest[0].startsWith('-') ? undefined : rest.shift()
  let full = false
  let seed = '1'
  const args: string[] = []
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--full') full = true
    else if (word === '--seed') seed = rest.shift() ?? seed
    else if (word.startsWith('--seed=')) seed = word.slice('--seed='.length)
    else args.push(word)
  }
  return { name, full, seed, args }
}

function usage(): string {
  const lines = suites.map((entry) => `  ${entry.name.padEnd(12)} ${entry.summary}\n`).join('')
  return `npm run bench [-- NAME] [--full] [--seed S] […]\n\n${lines === '' ? '  no suite yet\n' : lines}`
}

process.exitCode = await main(process.argv.slice(2))
