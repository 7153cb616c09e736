// npm run swarm -- --runs 1000 --seed S; --mutations tests the swarm itself; --replay FILE plays a saved story.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runConnection } from './connection.ts'
import { testMutations } from './mutation-run.ts'
import { play } from './play.ts'
import { shrinkStory } from './shrink-story.ts'
import { makeStory, type SwarmStory } from './story.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '1' },
    replay: { type: 'string' },
    out: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})

if (values.mutations) process.exitCode = await testMutations({ runs: Number(values.runs), only: values.only })
else if (values.replay !== undefined) await replay(values.replay)
else await swarm()

async function replay(file: string): Promise<void> {
  const { broken, atMs } = await play(JSON.parse(readFileSync(file, 'utf8')) as SwarmStory)
  console.log(broken === undefined ? 'every invariant is kept' : `${broken} (at ${atMs / 1000}s)`)
  process.exitCode = broken === undefined ? 0 : 1
}

async function swarm(): Promise<void> {
  const startedAt = Date.now()
  const counts = new Map<string, number>()
  let [instants, changes, hours] = [0, 0, 0]
  const first = Number(values.first)
  for (let run = first; run < first + Number(values.runs); run++) {
    const story = makeStory(`${values.seed}-${run}`)
    const played = await play(story)
    instants += played.instants
    changes += played.changes
    hours += played.atMs / 3_600_000
    for (const [kind, count] of Object.entries(played.steps)) counts.set(kind, (counts.get(kind) ?? 0) + count)
    if (run % 20 === 0) checkSame(story, played.end, (await play(story)).end)
    if (played.broken !== undefined) return report(story, played.broken)
    if (run % 5 === 0) {
      const connection = await runConnection(story.seed)
      for (const [kind, count] of Object.entries(connection.faults)) counts.set(kind, (counts.get(kind) ?? 0) + count)
      if (connection.broken !== undefined) {
        console.log(`seed ${story.seed}: connection: ${connection.broken}`)
        process.exitCode = 1
        return
      }
    }
    if (run % 50 === 0)
      console.error(`${run} runs, ${hours.toFixed(0)} virtual hours, ${((Date.now() - startedAt) / 1000).toFixed(0)} s`)
  }
  console.log(`| seed ${values.seed} | count |\n|---|---:|`)
  const rows = [
    ['runs', Number(values.runs)],
    ['virtual hours', Math.round(hours)],
    ['instants', instants],
    ['changes', changes],
    ['invariants broken', 0],
    ...[...counts].sort(),
  ] as const
  for (const [name, count] of rows) console.log(`| ${name} | ${count.toLocaleString('en-US')} |`)
}

function checkSame(story: SwarmStory, end: string, again: string): void {
  if (end === again) return
  console.log(`seed ${story.seed}: determinism: two runs of one story end differently`)
  process.exit(1)
}

async function report(story: SwarmStory, broken: string): Promise<void> {
  console.log(`seed ${story.seed}: ${broken}`)
  process.exitCode = 1
  if (values['no-shrink']) return
  const small = await shrinkStory(story, broken)
  const file = values.out ?? `swarm-${story.seed}.json`
  writeFileSync(file, `${JSON.stringify(small, null, 2)}\n`)
  console.log(
    `shrunk to ${small.steps.length} steps, ${small.objects.length} objects and ${small.nodes.length} nodes: ${file}`,
  )
  console.log('after the fix, move it to test/regressions')
}
