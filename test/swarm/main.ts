// npm run swarm -- --runs 1000 --seed S; --all continues after a broken invariant; --only PART runs one part (a key of `parts`);
// --save FILE keeps the counts, and --table FILE… prints those of several runs as one table; --replay FILE plays a saved
// story; --mutations tests the swarm itself.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { testMutations } from './mutation-run.ts'
import { play } from './play.ts'
import { shrinkStory } from './shrink-story.ts'
import type { SwarmStory } from './story.ts'
import { mergedCounts, runSwarm, type SwarmCounts } from './swarm-run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    only: { type: 'string' },
    save: { type: 'string' },
    table: { type: 'boolean', default: false },
    replay: { type: 'string' },
    out: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
  },
})

if (values.mutations) process.exitCode = await testMutations({ runs: Number(values.runs), only: values.only })
else if (values.replay !== undefined) await replay(values.replay)
else if (values.table) printTables(positionals)
else await swarm()

async function replay(file: string): Promise<void> {
  const { broken, atMs } = await play(JSON.parse(readFileSync(file, 'utf8')) as SwarmStory)
  console.log(broken === undefined ? 'every invariant is kept' : `${broken} (at ${atMs / 1000}s)`)
  process.exitCode = broken === undefined ? 0 : 1
}

function printTables(files: readonly string[]): void {
  const all = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as SwarmCounts)
  console.log(mergedCounts(all).table(`${files.length} runs`))
}

async function swarm(): Promise<void> {
  const { seed, all: goesOn, only, save } = values
  const run = { seed, first: Number(values.first), runs: Number(values.runs), goesOn, only }
  const { coverage, failures } = await runSwarm(run, (line) => console.error(line))
  for (const { seed: story, broken } of failures) console.log(`seed ${story}: ${broken}`)
  if (save !== undefined) writeFileSync(save, JSON.stringify(Object.fromEntries(coverage.counts)))
  if (failures.length === 0 || goesOn) console.log(coverage.table(`seed ${seed}`))
  if (failures.length === 0) return
  process.exitCode = 1
  for (const { story, broken } of failures) if (story !== undefined && !values['no-shrink']) await keep(story, broken)
}

/** Writes the smallest story that breaks the same invariant. */
async function keep(story: SwarmStory, broken: string): Promise<void> {
  const small = await shrinkStory(story, broken)
  const file = values.out ?? `swarm-${story.seed}.json`
  writeFileSync(file, `${JSON.stringify(small, null, 2)}\n`)
  console.log(
    `shrunk to ${small.steps.length} steps, ${small.objects.length} objects and ${small.nodes.length} nodes: ${file}`,
  )
  console.log('after the fix, move it to test/regressions')
}
