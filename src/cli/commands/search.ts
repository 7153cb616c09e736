import { type Hunt, type HuntProgress, hunt } from '../../search/hunt.ts'
import type { SearchInput } from '../../search/search-base.ts'
import { type CommandContext, defineCommand, exitCodes, type Ports } from '../command.ts'
import { toJson, toYaml } from '../output.ts'
import { asWrongQuestion, readModel, readSearchInput } from '../search-input.ts'
import { type SearchOptions, searchOptions } from '../search-options.ts'
import { scenariosOf, searchReport, searchText } from '../search-output.ts'
import { startThreads } from '../search-pool.ts'
import { replayOf } from '../search-replay.ts'
import { saveRecording } from '../webhook-options.ts'

export const command = defineCommand({
  name: 'search',
  summary: 'Search for the smallest failure that breaks an expectation',
  description:
    'Runs cases of failures, operator mistakes and bad timing on forks of a cluster in virtual time: all single faults, all ' +
    'pairs of faults, then variations of the worst cases. Prints the smallest case that violates an expectation, as a ' +
    'scenario that berth simulate replays, and a change after which the same search finds no violation. Ctrl-C ends the search ' +
    'and keeps the result. Exit code 1 if a violation was found.',
  args: [],
  options: searchOptions(),
  examples: [
    { command: 'berth search --from dump.json', summary: 'Search with realistic faults for ten minutes' },
    {
      command: 'berth search --from dump.json --only nodes --certify',
      summary: 'Prove that no loss of one or two nodes breaks an expectation',
    },
    { command: 'berth search --from dump.json -o scenario > found.yaml', summary: 'Write the scenario to a file' },
  ],
  run: async (context) => {
    const { options, stdout } = context
    const model = await readModel(context)
    const { input, source } = await readSearchInput(context)
    const result = await searched(input, context, model)
    const { finding } = result
    await saveRecording(options, input.webhooks, context)
    const scenarios = finding && scenariosOf(result, finding, source)
    if (options.output === 'scenario') {
      if (scenarios === undefined) context.stderr.write(searchText(result, undefined, undefined))
      else
        stdout.write(
          toYaml(options.standalone ? (scenarios.standalone ?? scenarios.scenario) : scenarios.scenario, 'given'),
        )
    } else {
      const forecast = finding && (await replayOf(result.base.input, finding.steps)).forecast
      if (options.output === 'json') stdout.write(toJson(searchReport(result, scenarios, forecast)))
      else stdout.write(searchText(result, scenarios, forecast))
    }
    return finding === undefined ? exitCodes.done : exitCodes.answerIsNo
  },
})

async function searched(
  input: SearchInput,
  context: CommandContext<SearchOptions>,
  model: Awaited<ReturnType<typeof readModel>>,
): Promise<Hunt> {
  const { options, now } = context
  const signal = context.interruption()
  const endsAt = now() + options.budget
  const progress = createProgress(context)
  // One thread calls the live webhooks, so that one recording has all answers.
  const threads = startThreads(input.webhooks?.live === undefined ? options.threads : 1)
  try {
    return await hunt(input, {
      model,
      moments: options.step === undefined ? { kind: 'changes' } : { kind: 'grid', stepMs: options.step },
      budget: { cases: options.cases ?? Number.POSITIVE_INFINITY, isOver: () => signal.aborted || now() >= endsAt },
      certify: options.certify,
      wants: { fix: options.proposeFix && options.output !== 'scenario', reduce: options.reduce },
      open: threads.open,
      onProgress: progress.show,
    })
  } catch (error) {
    throw asWrongQuestion(error)
  } finally {
    progress.end()
    await threads.close()
  }
}

const progressMs = 500

/** A progress line that is overwritten; prints nothing without a terminal. */
function createProgress({ stderr, now }: Pick<Ports, 'stderr' | 'now'>) {
  const startedAt = now()
  let shownAt = startedAt
  let isShown = false
  return {
    show({ doing, explored, margin, coverage }: HuntProgress): void {
      const present = now()
      if (!stderr.isTTY || present - shownAt < progressMs) return
      shownAt = present
      isShown = true
      const speed = Math.round((10_000 * explored) / Math.max(1, present - startedAt)) / 10
      const left = `margin ${Math.round(margin * 100)}%, ${coverage} effects`
      stderr.write(`\r\u001b[K${doing}: ${explored} cases, ${speed}/s, ${left}`)
    },
    end(): void {
      if (isShown) stderr.write('\r\u001b[K')
    },
  }
}
