// npm run budgets -- [--minutes M] [--seed S] [--source NAME] [--case FILE]: attacks the built server.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Attack, AttackSource } from './attack.ts'
import { type Finding, runBudgets } from './runner.ts'
import { missing } from './server-process.ts'
import { sources } from './sources.ts'
import { markdownOf } from './summary.ts'

const folder = 'test-results/budgets'
const usage = `usage: npm run budgets -- [--minutes M] [--seed S] [--source NAME] [--case FILE]
sources: ${sources.map(({ name }) => name).join(', ')}
`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      source: { type: 'string' },
      case: { type: 'string' },
    },
  })
  const reason = missing('.')
  if (reason !== undefined) return refuse(`budgets cannot run here: ${reason}\n`)
  const chosen = sources.filter(({ name }) => values.source === undefined || name === values.source)
  if (chosen.length === 0) return refuse(`there is no source '${values.source}'\n${usage}`)
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
  if (minutes !== undefined && !(minutes > 0)) return refuse(usage)
  const end = minutes === undefined ? undefined : Date.now() + minutes * 60_000
  let isStopped = false
  process.once('SIGINT', () => {
    isStopped = true
  })
  const summary = await runBudgets({
    root: '.',
    seed: values.seed,
    shrinks: true,
    sources: values.case === undefined ? chosen : [recorded(values.case)],
    print: (line) => process.stdout.write(`${line}\n`),
    ...(end === undefined ? {} : { until: () => isStopped || Date.now() >= end }),
  })
  mkdirSync(folder, { recursive: true })
  const markdown = markdownOf(summary)
  writeFileSync(join(folder, 'summary.json'), `${JSON.stringify(summary, undefined, 2)}\n`)
  writeFileSync(join(folder, 'summary.md'), markdown)
  summary.findings.forEach(keep)
  process.stdout.write(`\n${markdown}\n`)
  for (const { source, worst, worstCpuMs } of summary.sources) {
    process.stdout.write(`${source}: worst attack ${worstCpuMs.toFixed(0)} ms of CPU: ${worst}\n`)
  }
  process.stdout.write(`the same in ${folder}/summary.json and summary.md\n`)
  return summary.findings.length === 0 ? 0 : 1
}

function keep({ source, attack, why }: Finding, at: number): void {
  const file = join(folder, `case-${at + 1}.json`)
  const { body } = attack
  const bytes = body === undefined ? {} : { body: Buffer.from(body).toString('base64') }
  writeFileSync(file, JSON.stringify({ ...attack, ...bytes }))
  process.stdout.write(`\nFOUND ${source}: ${attack.name}\n  ${why}\n  ${attack.method} ${attack.path.slice(0, 300)}\n`)
  if (body !== undefined) process.stdout.write(`  ${String(body).slice(0, 500)}\n`)
  process.stdout.write(`  repeat it with: npm run budgets -- --case ${file}\n`)
}

/** A case that an earlier run wrote, with the setup that every source asks for. */
function recorded(file: string): AttackSource {
  const attack = JSON.parse(readFileSync(file, 'utf8')) as Attack & { readonly body?: string }
  const body = attack.body === undefined ? {} : { body: Buffer.from(attack.body, 'base64') }
  return {
    name: 'case',
    setup: sources.flatMap((source) => source.setup ?? []),
    attacks: () => [{ ...attack, ...body }],
  }
}

function refuse(text: string): number {
  process.stderr.write(text)
  return 2
}

process.exitCode = await main()
