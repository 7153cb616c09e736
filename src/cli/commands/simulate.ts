import { dirname, resolve } from 'node:path'
import { formatTrace } from '../../whatif/fact.ts'
import { planOfScenario, Rehearsal } from '../../whatif/rehearsal.ts'
import { readScenario, type Scenario } from '../../whatif/scenario.ts'
import { StepError } from '../../whatif/step-runner.ts'
import { choice, defineCommand, exitCodes, type Ports, text, wrongQuestion } from '../command.ts'
import { describeSource, parseDocuments, readObjects } from '../yaml.ts'

export const command = defineCommand({
  name: 'simulate',
  summary: 'Play a scenario in virtual time',
  description:
    'Plays a file of kind Scenario (berth.dev/v1alpha1) on the scheduler and the controllers, with hollow kubelets, in ' +
    'virtual time: an hour takes seconds, and the same file and seed give the same answer. Exit code 1 if something that ' +
    'the scenario expects does not hold.',
  args: [{ name: 'FILE', summary: 'The scenario, YAML or JSON; - for standard input', takes: 'one' }],
  options: {
    output: choice({ short: 'o', summary: 'How to print the answer', choices: ['trace'], default: 'trace' }),
    seed: text({ summary: 'What lots are drawn with', default: '1' }),
  },
  examples: [
    { command: 'berth simulate outage.yaml', summary: 'What happens, in words' },
    { command: 'berth simulate outage.yaml -o trace', summary: 'Every fact, one a line, as JSON' },
  ],
  run: async (context) => {
    const [file = ''] = context.args
    const scenario = await loadScenario(file, context)
    try {
      const rehearsal = new Rehearsal(planOfScenario(scenario), { seed: context.options.seed })
      rehearsal.finish()
      context.stdout.write(formatTrace(rehearsal.chronicle.facts))
    } catch (error) {
      if (error instanceof StepError) throw wrongQuestion(`${file}: ${error.message}`)
      throw error
    }
    return exitCodes.done
  },
})

export async function loadScenario(file: string, ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>): Promise<Scenario> {
  const content = file === '-' ? await ports.readStdin() : await ports.files.readText(resolve(ports.cwd, file))
  const documents = parseDocuments(content, file === '-' ? 'standard input' : file)
  const [document, second] = documents
  if (document === undefined) throw wrongQuestion(`${file}: it is empty; a scenario was expected`)
  if (second !== undefined)
    throw wrongQuestion(`${describeSource(second.source)}: a scenario is one document, and this is another`)
  const folder = file === '-' ? ports.cwd : dirname(resolve(ports.cwd, file))
  const scenario = await readScenario(document.value, async (path) => {
    const objects = await readObjects([resolve(folder, path)], ports, { recursive: true })
    return objects.map(({ object }) => object as never)
  })
  if (!scenario.ok) throw wrongQuestion(`${file}: ${scenario.message}`)
  return scenario.value
}
