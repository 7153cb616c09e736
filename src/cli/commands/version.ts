import { defaultRelease } from '../../api/releases/release-of.ts'
import { version } from '../../base/version.ts'
import { defineCommand, exitCodes } from '../command.ts'
import { choosePalette, outputOption, printAnswer } from '../output.ts'

export const command = defineCommand({
  name: 'version',
  summary: 'Print the version of berth',
  description: `Prints the versions of berth, Kubernetes and Node.js.`,
  args: [],
  options: { output: outputOption() },
  examples: [
    { command: 'berth version', summary: 'Print the installed version' },
    { command: 'berth version -o json', summary: 'Print JSON' },
  ],
  run: async ({ options, stdout, env }) => {
    const value = { berth: version, kubernetes: `v${defaultRelease.minor}`, node: process.version }
    printAnswer(stdout, {
      format: options.output,
      columns: [
        { header: 'BERTH', cell: (row) => row.berth },
        { header: 'KUBERNETES', cell: (row) => row.kubernetes },
        { header: 'NODE', cell: (row) => row.node },
      ],
      rows: [value],
      value,
      palette: choosePalette(stdout, env),
    })
    return exitCodes.done
  },
})
