// `berth whatif config A B`: one cluster and one story under two configurations.
import { buildForecast } from '../whatif/build-forecast.ts'
import { diffForecasts } from '../whatif/diff.ts'
import { WrongField } from '../whatif/document-reader.ts'
import type { PlannedStep } from '../whatif/step.ts'
import { readStep } from '../whatif/step-reader.ts'
import { readCluster } from './cluster-input.ts'
import { type CommandContext, defineCommand, exitCodes, text, wrongQuestion } from './command.ts'
import { diffText } from './diff-output.ts'
import { play } from './forecast-command.ts'
import { toJson, toYaml } from './output.ts'
import { planOf, type QuestionOptions, questionOptions, readConfig, readDocument } from './whatif-command.ts'
import { readObjects } from './yaml.ts'

export const configCommand = defineCommand({
  name: 'config',
  summary: 'What would differ under another configuration?',
  args: [
    { name: 'A', summary: 'Flags of kube-controller-manager and kube-scheduler, a YAML file', takes: 'one' },
    { name: 'B', summary: 'The other ones', takes: 'one' },
  ],
  options: {
    steps: text({ summary: 'What happens meanwhile: a list of steps as in a Scenario, a YAML file', value: 'FILE' }),
    ...questionOptions(),
  },
  examples: [
    {
      command: 'berth whatif config now.yaml next.yaml --steps outage.yaml --from dump.json',
      summary: 'Two eviction rates',
    },
  ],
  run: async (context) => {
    const options = context.options as QuestionOptions
    const [fileA = '', fileB = ''] = context.args
    const found = await readCluster(context as CommandContext<QuestionOptions>)
    const steps = await readSteps(context.options.steps, context)
    const [a, b] = await Promise.all(
      [fileA, fileB].map(async (config) => {
        const settings = await readConfig({ ...options, config }, context)
        const question = { title: config, steps }
        const { rehearsal, interrupted } = await play(
          planOf(question, found, { options, settings }),
          options.seed,
          context,
        )
        return buildForecast(rehearsal, { notes: found.notes, interrupted })
      }),
    )
    const diff = diffForecasts(a as NonNullable<typeof a>, b as NonNullable<typeof b>)
    const { output } = context.options
    context.stdout.write(output === 'json' ? toJson(diff) : output === 'yaml' ? toYaml(diff) : diffText(diff))
    return exitCodes.done
  },
})

async function readSteps(file: string | undefined, context: CommandContext<unknown>): Promise<readonly PlannedStep[]> {
  if (file === undefined) return []
  const value = await readDocument(file, context)
  const list = Array.isArray(value) ? value : (value as { readonly steps?: unknown }).steps
  if (!Array.isArray(list)) throw wrongQuestion(`${file}: it must be a list of steps, or an object with steps`)
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
