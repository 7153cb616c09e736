import type { PendingEviction } from '../../controllers/taint-eviction/controller.ts'
import { clusterOptions, openCluster } from '../cluster-access.ts'
import { defineCommand, exitCodes, wrongQuestion } from '../command.ts'
import { untilText } from '../durations.ts'
import { choosePalette, outputOption, printAnswer } from '../output.ts'

export const command = defineCommand({
  name: 'evictions',
  summary: 'Who will be evicted by a NoExecute taint, when and why',
  description: 'Lists the countdowns that the taint-eviction controller of a berth process holds, the next one first.',
  args: [],
  options: { ...clusterOptions, output: outputOption() },
  examples: [
    { command: 'berth evictions', summary: 'Of the cluster that berth up runs' },
    { command: 'berth evictions -o json', summary: 'The same for a program' },
  ],
  run: async ({ options, stdout, env, ...ports }) => {
    const cluster = await openCluster(options, { ...ports, env })
    const value = (await cluster.read('/debug/evictions')) as readonly PendingEviction[] | undefined
    cluster.close()
    if (value === undefined)
      throw wrongQuestion(`${cluster.server} is no berth process: it does not tell what its controllers hold`)
    const now = ports.now()
    printAnswer(stdout, {
      format: options.output,
      columns: [
        { header: 'POD', cell: (row) => row.pod },
        { header: 'NODE', cell: (row) => row.node },
        { header: 'IN', cell: (row) => untilText(row.fireAt - now) },
        { header: 'BECAUSE', cell: (row) => row.cause },
        { header: 'STAGE', cell: (row) => row.stage, wide: true },
        { header: 'FAILURES', cell: (row) => row.failures, wide: true },
      ],
      empty: 'no pod is about to be evicted',
      rows: [...value].sort((a, b) => a.fireAt - b.fireAt),
      value,
      palette: choosePalette(stdout, env),
    })
    return exitCodes.done
  },
})
