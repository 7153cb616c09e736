// `berth whatif config A B`: compares the same steps on the same cluster with two configurations.

import { WrongField } from '../api/document-reader.ts'
import { buildForecast } from '../whatif/report/build-forecast.ts'
import { diffForecasts } from '../whatif/report/diff.ts'
import type { PlannedStep } from '../whatif/scenario/step.ts'
import { readStep } from '../whatif/scenario/step-reader.ts'
import { readCluster } from './cluster-input.ts'
import { type CommandContext, defineCommand, exitCodes, text, wrongQuestion } from './command.ts'
import { diffText } from './diff-output.ts'
import { play } from './forecast-command.ts'
import { choosePalette, outputOption, printValue } from './output.ts'
import { readStages } from './stage-files.ts'
import { planOf, type QuestionOptions, questionOptions, readConfig, readDocument } from './whatif-command.ts'
import { readObjects } from './yaml.ts'

// Omits the options of single forecasts that do not apply to a comparison.
const { config: _, expect: _expect, seeds: _seeds, output: _output, ...comparedOptions } = questionOptions()

export const configCommand = defineCommand({
  name: 'config',
  summary: 'Compare the forecasts under two configurations',
  description:
    'Runs the same cluster and steps under two configurations. Each is a YAML file with flags of kube-controller-manager and ' +
    'kube-scheduler by name, or a KubeSchedulerConfiguration. Exit code 1 if the forecasts differ.',
  args: [
    { name: 'A', summary: 'YAML file with flags by name, or a KubeSchedulerConfiguration', takes: 'one' },
    { name: 'B', summary: 'YAML file to compare with', takes: 'one' },
  ],
  options: {
    steps: text({ summary: 'YAML file with steps to run, as in a Scenario', value: 'FILE' }),
    ...comparedOptions,
    output: outputOption(),
  },
  examples: [
    {
      command: 'berth whatif config now.yaml next.yaml --steps outage.yaml --from dump.json',
      summary: 'Compare two eviction rates',
    },
    {
      command: 'berth whatif config spread.yaml pack.yaml --steps rollout.yaml',
      summary: 'Compare two KubeSchedulerConfigurations on the live cluster',
    },
  ],
  run: async (context) => {
    const options = context.options as unknown as QuestionOptions
    const [fileA = '', fileB = ''] = context.args
    const found = await readCluster(context as unknown as CommandContext<QuestionOptions>)
    const steps = await readSteps(context.options.steps, context)
    const stages = await readStages(options.stages, context)
    const forecastUnder = async (config: string) => {
      const settings = await readConfig({ ...options, config }, context, found.kubernetes)
      const plan = planOf({ title: config, steps }, found, { options, settings, stages })
      const { forecastRun, interrupted } = await play(plan, options.seed, context)
      return buildForecast(forecastRun, { notes: found.notes, interrupted })
    }
    const diff = diffForecasts(await forecastUnder(fileA), await forecastUnder(fileB))
    const { output } = context.options
    const palette = choosePalette(context.stdout, context.env)
    printValue(context.stdout, output, diff, () => diffText(diff, { wide: output === 'wide', palette }))
    return diff.isSame ? exitCodes.done : exitCodes.answerIsNo
  },
})

export async function readSteps(
  file: string | undefined,
  context: CommandContext<unknown>,
): Promise<readonly PlannedStep[]> {
  if (file === undefined) return []
  const value = await readDocument(file, context)
  const list = Array.isArray(value) ? value : (value as { readonly steps?: unknown }).steps
  if (!Array.isArray(list)) throw wrongQuestion(`${file}: must be a list of steps, or an object with steps`)
  try {
    const steps: PlannedStep[] = []
    for (const [at, item] of list.entries()) {
      steps.push(
        await readStep(item, `steps[${at}]`, async (path) => {
          const objects = await readObjects([path], context)
          return objects.map(({ object }) => object as never)
        }),
      )
    }
    return steps.toSorted((a, b) => a.atMs - b.atMs)
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${file}: ${error.message}`)
    throw error
  }
}
