import type { PendingDeviceEviction } from '../../controllers/device-taint-eviction/controller.ts'
import type { PendingEviction } from '../../controllers/taint-eviction/controller.ts'
import { clusterOptions, openCluster } from '../cluster-access.ts'
import { defineCommand, exitCodes, wrongQuestion } from '../command.ts'
import { untilText } from '../durations.ts'
import { choosePalette, outputOption, printAnswer } from '../output.ts'

export const command = defineCommand({
  name: 'evictions',
  summary: 'List the pods that NoExecute taints of nodes and devices will evict, with time and reason',
  description:
    'Lists the countdowns of the taint-eviction and device-taint-eviction controllers of a running berth, the next one first.',
  args: [],
  options: { ...clusterOptions, output: outputOption() },
  examples: [
    { command: 'berth evictions', summary: 'Use the cluster of berth up' },
    { command: 'berth evictions -o json', summary: 'Print JSON' },
  ],
  run: async ({ options, stdout, env, ...ports }) => {
    const cluster = await openCluster(options, { ...ports, env })
    const ofNodes = (await cluster.read('/debug/evictions')) as readonly PendingEviction[] | undefined
    const ofDevices = await cluster.read('/debug/device-evictions').catch(() => undefined)
    cluster.close()
    const value: readonly (PendingEviction | PendingDeviceEviction)[] | undefined = ofNodes && [
      ...ofNodes,
      ...((ofDevices as readonly PendingDeviceEviction[] | undefined) ?? []),
    ]
    if (value === undefined) throw wrongQuestion(`${cluster.server} is not served by berth (no /debug endpoint)`)
    const now = ports.now()
    printAnswer(stdout, {
      format: options.output,
      columns: [
        { header: 'POD', cell: (row) => row.pod },
        { header: 'NODE', cell: (row) => row.node },
        { header: 'IN', cell: (row) => untilText(row.fireAt - now) },
        { header: 'REASON', cell: (row) => row.cause },
        { header: 'STAGE', cell: (row) => row.stage, wide: true },
        { header: 'FAILURES', cell: (row) => row.failures, wide: true },
      ],
      empty: 'no pending evictions',
      rows: [...value].sort((a, b) => a.fireAt - b.fireAt),
      value,
      palette: choosePalette(stdout, env),
    })
    return exitCodes.done
  },
})
