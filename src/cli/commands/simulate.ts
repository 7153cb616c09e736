import { dirname, resolve } from 'node:path'
import { readScenario, type Scenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'
import { readScenarioObjects } from '../cluster-input.ts'
import { defineCommand, type Ports, wrongQuestion } from '../command.ts'
import { releaseFlags, releaseOptions } from '../control-plane-options.ts'
import { answerPlan, forecastOptions } from '../forecast-command.ts'
import { describeSource, parseDocuments } from '../yaml.ts'

export const command = defineCommand({
  name: 'simulate',
  summary: 'Run a scenario in virtual time',
  description:
    'Runs a file of kind Scenario (berth.dev/v1alpha1) with the scheduler, the controllers and hollow kubelets in virtual ' +
    'time. An hour takes seconds, and the same file and seed give the same output. Exit code 1 if an expectation of the ' +
    'scenario is not met.',
  args: [{ name: 'FILE', summary: 'Scenario file in YAML or JSON; - for standard input', takes: 'one' }],
  options: { ...forecastOptions(), ...releaseOptions },
  examples: [
    { command: 'berth simulate outage.yaml', summary: 'Print a summary' },
    { command: 'berth simulate outage.yaml -o trace', summary: 'Print every fact as one line of JSON' },
    {
      command: 'berth simulate outage.yaml --seeds 20',
      summary: 'Report what is the same for 20 other seeds and what varies',
    },
  ],
  run: async (context) => {
    const [file = ''] = context.args
    const scenario = await loadScenario(file, context, releaseFlags(context.options))
    const { plan, notes } = planOfScenario(scenario)
    return answerPlan(plan, { context, notes, prefix: `${file}: ` })
  },
})

async function loadScenario(
  file: string,
  ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<Scenario> {
  const content = file === '-' ? await ports.readStdin() : await ports.files.readText(resolve(ports.cwd, file))
  const documents = parseDocuments(content, file === '-' ? 'standard input' : file)
  const [document, second] = documents
  if (document === undefined) throw wrongQuestion(`${file}: file is empty; expected a scenario`)
  if (second !== undefined)
    throw wrongQuestion(`${describeSource(second.source)}: expected a single document, found a second one`)
  const folder = file === '-' ? ports.cwd : dirname(resolve(ports.cwd, file))
  const load = (path: string) => readScenarioObjects(resolve(folder, path), path, ports)
  const scenario = await readScenario(document.value, load, flags)
  if (!scenario.ok) throw wrongQuestion(`${file}: ${scenario.message}`)
  return scenario.value
}
