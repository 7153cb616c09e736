import { resolve } from 'node:path'
import { diffForecasts } from '../../whatif/diff.ts'
import type { Forecast } from '../../whatif/forecast.ts'
import { defineCommand, exitCodes, type Ports, wrongQuestion } from '../command.ts'
import { diffText } from '../diff-output.ts'
import { choosePalette, outputOption, toJson, toYaml } from '../output.ts'
import { parseDocuments } from '../yaml.ts'

export const command = defineCommand({
  name: 'diff',
  summary: 'Compare two forecasts',
  description:
    'Compares what two forecasts (berth whatif … -o json, berth simulate … -o json) say: who moved, who died earlier or later, ' +
    'how full and how fragmented the cluster is in the end. Exit code 1 if they differ.',
  args: [
    { name: 'A', summary: 'A forecast, as -o json or -o yaml prints it', takes: 'one' },
    { name: 'B', summary: 'Another one', takes: 'one' },
  ],
  options: { output: outputOption() },
  examples: [{ command: 'berth diff before.json after.json', summary: 'What a change of plan changes' }],
  run: async (context) => {
    const { args, options, stdout, env } = context
    const [a, b] = await Promise.all(args.map((file) => readForecast(file, context)))
    const diff = diffForecasts(a as Forecast, b as Forecast)
    if (options.output === 'json') stdout.write(toJson(diff))
    else if (options.output === 'yaml') stdout.write(toYaml(diff))
    else stdout.write(diffText(diff, { wide: options.output === 'wide', palette: choosePalette(stdout, env) }))
    return diff.isSame ? exitCodes.done : exitCodes.answerIsNo
  },
})

async function readForecast(file: string, ports: Pick<Ports, 'files' | 'cwd'>): Promise<Forecast> {
  const [document] = parseDocuments(await ports.files.readText(resolve(ports.cwd, file)), file)
  const { kind, apiVersion } = (document?.value ?? {}) as Partial<Forecast>
  if (kind !== 'Forecast') throw wrongQuestion(`${file}: it is no forecast; make one with berth whatif … -o json`)
  if (apiVersion !== 'berth.dev/v1alpha1')
    throw wrongQuestion(`${file}: it is of version ${apiVersion}; this berth reads berth.dev/v1alpha1`)
  return document?.value as Forecast
}
