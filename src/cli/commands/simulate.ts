import { dirname, resolve } from 'node:path'
import type { KubeObject } from '../../api/objects/meta.ts'
import { isTranscript } from '../../mcp/transcript.ts'
import { readScenario, type Scenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'
import { readScenarioObjects } from '../cluster-input.ts'
import { defineCommand, type Ports, text, wrongQuestion } from '../command.ts'
import { answerPlan, forecastOptions } from '../forecast-command.ts'
import { replayOf } from '../mcp/replay.ts'
import { releaseFlags, releaseOptions } from '../release-options.ts'
import { describeSource, parseDocuments } from '../yaml.ts'

export const command = defineCommand({
  name: 'simulate',
  summary: 'Run a scenario in virtual time',
  description:
    'Runs a file of kind Scenario (berth.dev/v1alpha1) with the scheduler, the controllers and hollow kubelets in virtual ' +
    'time. An hour takes seconds, and the same file and seed give the same output. Exit code 1 if an expectation of the ' +
    'scenario is not met. For a transcript of berth mcp, replays the changes of one fork with the seed of the session.',
  args: [{ name: 'FILE', summary: 'Scenario file in YAML or JSON, or transcript; - for standard input', takes: 'one' }],
  options: {
    ...forecastOptions(),
    ...releaseOptions,
    fork: text({ summary: 'Fork of the transcript to replay (default: the fork that changed last)', value: 'ID' }),
  },
  examples: [
    { command: 'berth simulate outage.yaml', summary: 'Print a summary' },
    { command: 'berth simulate outage.yaml -o trace', summary: 'Print every fact as one line of JSON' },
    {
      command: 'berth simulate outage.yaml --seeds 20',
      summary: 'Report what is the same for 20 other seeds and what varies',
    },
    { command: 'berth simulate session.jsonl --fork f2', summary: 'Replay a fork of a session of berth mcp' },
  ],
  run: async (context) => {
    const [file = ''] = context.args
    const { options } = context
    const flags = releaseFlags(options)
    const content = file === '-' ? await context.readStdin() : await context.files.readText(resolve(context.cwd, file))
    const prefix = `${file}: `
    if (isTranscript(content)) {
      const { plan, notes, seed } = await replayOf(file, content, { fork: options.fork, flags }, context)
      return answerPlan(plan, { context: { ...context, options: { ...options, seed } }, notes, prefix })
    }
    if (options.fork !== undefined) throw wrongQuestion(`${file}: --fork is for transcripts of berth mcp`)
    const { scenario, takenAtMs } = await loadScenario(file, content, context, flags)
    const { plan, notes } = planOfScenario(scenario)
    const { found } = plan
    // The scenario starts at the time of the snapshot, as in other commands.
    const start = found === undefined || takenAtMs === undefined ? {} : { found: { ...found, takenAtMs } }
    return answerPlan({ ...plan, ...start }, { context, notes, prefix })
  },
})

async function loadScenario(
  file: string,
  content: string,
  ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<{ readonly scenario: Scenario; readonly takenAtMs: number | undefined }> {
  let takenAtMs: number | undefined
  const noteTime = (ms: number) => {
    takenAtMs = Math.floor(ms / 1000) * 1000
  }
  const documents = parseDocuments(content, file === '-' ? 'standard input' : file)
  const [document, second] = documents
  if (document === undefined) throw wrongQuestion(`${file}: file is empty; expected a scenario`)
  if (second !== undefined)
    throw wrongQuestion(`${describeSource(second.source)}: expected a single document, found a second one`)
  const folder = file === '-' ? ports.cwd : dirname(resolve(ports.cwd, file))
  const load = async (path: string): Promise<readonly KubeObject[]> => {
    // In a scenario of berth search, file names are those of its command line.
    const besides = resolve(folder, path)
    const isElsewhere = (await ports.files.kindOf(besides)) === 'absent'
    const found = isElsewhere && (await ports.files.kindOf(resolve(ports.cwd, path))) !== 'absent'
    const place = found ? resolve(ports.cwd, path) : besides
    // The rows of a load are text, not objects.
    if (path.endsWith('.csv')) return [(await ports.files.readText(place)) as unknown as KubeObject]
    return readScenarioObjects(place, path, ports, noteTime)
  }
  const scenario = await readScenario(document.value, load, flags)
  if (!scenario.ok) throw wrongQuestion(`${file}: ${scenario.message}`)
  return { scenario: scenario.value, takenAtMs }
}
