import { dirname, resolve } from 'node:path'
import { readScenario, type Scenario } from '../../whatif/scenario.ts'
import { planOfScenario } from '../../whatif/scenario-plan.ts'
import { readScenarioObjects } from '../cluster-input.ts'
import { defineCommand, type Ports, wrongQuestion } from '../command.ts'
import { answerPlan, forecastOptions } from '../forecast-command.ts'
import { describeSource, parseDocuments } from '../yaml.ts'

export const command = defineCommand({
  name: 'simulate',
  summary: 'Play a scenario in virtual time',
  description:
    'Plays a file of kind Scenario (berth.dev/v1alpha1) on the scheduler and the controllers, with hollow kubelets, in ' +
    'virtual time: an hour takes seconds, and the same file and seed give the same answer. Exit code 1 if something that ' +
    'the scenario expects does not hold.',
  args: [{ name: 'FILE', summary: 'The scenario, YAML or JSON; - for standard input', takes: 'one' }],
  options: forecastOptions(),
  examples: [
    { command: 'berth simulate outage.yaml', summary: 'What happens, in words' },
    { command: 'berth simulate outage.yaml -o trace', summary: 'Every fact, one a line, as JSON' },
    { command: 'berth simulate outage.yaml --seeds 20', summary: 'What is certain, and what turns on a draw' },
  ],
  run: async (context) => {
    const [file = ''] = context.args
    const scenario = await loadScenario(file, context)
    const { plan, notes } = planOfScenario(scenario)
    return answerPlan(plan, { context, notes, prefix: `${file}: ` })
  },
})

async function loadScenario(file: string, ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>): Promise<Scenario> {
  const content = file === '-' ? await ports.readStdin() : await ports.files.readText(resolve(ports.cwd, file))
  const documents = parseDocuments(content, file === '-' ? 'standard input' : file)
  const [document, second] = documents
  if (document === undefined) throw wrongQuestion(`${file}: it is empty; a scenario was expected`)
  if (second !== undefined)
    throw wrongQuestion(`${describeSource(second.source)}: a scenario is one document, and this is another`)
  const folder = file === '-' ? ports.cwd : dirname(resolve(ports.cwd, file))
  const scenario = await readScenario(document.value, async (path) => {
    return readScenarioObjects(resolve(folder, path), path, ports)
  })
  if (!scenario.ok) throw wrongQuestion(`${file}: ${scenario.message}`)
  return scenario.value
}
