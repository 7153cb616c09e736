import { resolve } from 'node:path'
import { diffForecasts } from '../../whatif/report/diff.ts'
import type { Forecast } from '../../whatif/report/forecast.ts'
import { defineCommand, exitCodes, type Ports, wrongQuestion } from '../command.ts'
import { diffText } from '../diff-output.ts'
import { choosePalette, outputOption, printValue } from '../output.ts'
import { parseDocuments } from '../yaml.ts'

export const command = defineCommand({
  name: 'diff',
  summary: 'Compare two forecasts',
  description:
    'Compares two forecasts (berth whatif … -o json, berth simulate … -o json): pods placed on other nodes, pods deleted earlier ' +
    'or later, and the utilization and fragmentation of the cluster at the end. Exit code 1 if they differ.',
  args: [
    { name: 'A', summary: 'Forecast written with -o json or -o yaml', takes: 'one' },
    { name: 'B', summary: 'Forecast to compare with', takes: 'one' },
  ],
  options: { output: outputOption() },
  examples: [{ command: 'berth diff before.json after.json', summary: 'Compare two forecasts' }],
  run: async (context) => {
    const { args, options, stdout, env } = context
    const [a, b] = await Promise.all(args.map((file) => readForecast(file, context)))
    const diff = diffForecasts(a as Forecast, b as Forecast)
    printValue(stdout, options.output, diff, () =>
      diffText(diff, { wide: options.output === 'wide', palette: choosePalette(stdout, env) }),
    )
    return diff.isSame ? exitCodes.done : exitCodes.answerIsNo
  },
})

async function readForecast(file: string, ports: Pick<Ports, 'files' | 'cwd'>): Promise<Forecast> {
  const [document] = parseDocuments(await ports.files.readText(resolve(ports.cwd, file)), file)
  const { kind, apiVersion } = (document?.value ?? {}) as Partial<Forecast>
  if (kind !== 'Forecast') throw wrongQuestion(`${file}: not a forecast; create one with berth whatif … -o json`)
  if (apiVersion !== 'berth.dev/v1alpha1')
    throw wrongQuestion(`${file}: unsupported version ${apiVersion}; expected berth.dev/v1alpha1`)
  return document?.value as Forecast
}
