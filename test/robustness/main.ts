// npm run robustness -- --minutes 60 --seed S
import { parseArgs } from 'node:util'
import { type Counts, runCampaign } from './campaign.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: String(process.pid) } },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error('--minutes must be a positive number')
const startedAt = Date.now()

const rows: readonly (readonly [string, (counts: Counts) => number])[] = [
  ['kills at random moments', ({ kills, killsAroundACommit }) => kills - killsAroundACommit],
  ['kills just before or after a commit', ({ killsAroundACommit }) => killsAroundACommit],
  ['pauses', ({ pauses }) => pauses],
  ['slow disks', ({ delays }) => delays],
  ['disk faults: failed writes', ({ failedWrites }) => failedWrites],
  ['disk faults: failures after the data was written', ({ failedFlushes }) => failedFlushes],
  ['disk faults: full disks', ({ fullDisks }) => fullDisks],
  ['disk faults: file-size limits', ({ fileLimits }) => fileLimits],
  ['writes acknowledged', ({ acknowledged }) => acknowledged],
  ['writes without an answer', ({ unanswered }) => unanswered],
  ['reads', ({ reads }) => reads],
  ['watch events', ({ watchEvents }) => watchEvents],
  ['violations', ({ violations }) => violations],
]

const { counts, problems } = await runCampaign({
  seed: values.seed,
  segmentMs: 30_000,
  untilMs: startedAt + minutes * 60_000,
  onProgress: ({ segments, kills, acknowledged, violations }) => {
    const elapsed = ((Date.now() - startedAt) / 60_000).toFixed(1)
    console.error(
      `${elapsed} min: ${segments} segments, ${kills} kills, ${acknowledged} writes, ${violations} violations`,
    )
  },
})
console.log(`| seed ${values.seed}, ${((Date.now() - startedAt) / 60_000).toFixed(0)} minutes | count |\n|---|---:|`)
for (const [name, count] of rows) console.log(`| ${name} | ${count(counts).toLocaleString('en-US')} |`)
for (const problem of problems.slice(0, 100)) console.log(`violation: ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
