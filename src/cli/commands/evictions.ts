import type { PendingDeviceEviction } from '../../controllers/device-taint-eviction/controller.ts'
import type { PendingEviction } from '../../controllers/taint-eviction/controller.ts'
import { shortNames } from '../../whatif/report/short-names.ts'
import { estimateEvictions } from '../../whatif/run/estimated-inspections.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import { defineCommand, exitCodes } from '../command.ts'
import { untilText } from '../durations.ts'
import { inspectedOptions, inspectOrEstimate, notBerth, printEstimate } from '../inspected-cluster.ts'
import { choosePalette, outputOption, printAnswer } from '../output.ts'
import { releaseOptions } from '../release-options.ts'

export const command = defineCommand({
  name: 'evictions',
  summary: 'List the pods that NoExecute taints of nodes and devices will evict, with time and reason',
  description:
    'Lists the countdowns of the taint-eviction and device-taint-eviction controllers of a running berth, the next one first. For a snapshot, a dump, or ' +
    'a cluster that berth does not run, they are estimated from the taints and the tolerations. Nothing is written.',
  args: [],
  options: { ...inspectedOptions(), ...releaseOptions, output: outputOption() },
  examples: [
    { command: 'berth evictions', summary: 'Use the cluster of berth up' },
    { command: 'berth evictions --from dump.json', summary: 'Estimate the evictions of a snapshot or a dump' },
    { command: 'berth evictions -o json', summary: 'Print JSON' },
  ],
  run: async (context) => {
    const { options, stdout, env } = context
    const inspected = await inspectOrEstimate<readonly Eviction[]>(context, {
      read: readEvictions,
      estimate: (from) => {
        const { value: found, atMs } = estimateEvictions(from)
        return { value: found.map((each) => ({ ...each, estimated: true })), atMs }
      },
    })
    const { value, now } = inspected
    const short = options.output === 'wide' ? (name: string) => name : shortNames(value.map(({ node }) => node))
    printAnswer(stdout, {
      format: options.output,
      columns: [
        { header: 'POD', cell: (row) => row.pod },
        { header: 'NODE', cell: (row) => short(row.node) },
        { header: 'IN', cell: (row) => untilText(row.fireAt - now) },
        { header: 'REASON', cut: 'end', cell: (row) => row.cause },
        { header: 'STAGE', cell: (row) => row.stage, wide: true },
        { header: 'FAILURES', cell: (row) => row.failures, wide: true },
      ],
      empty: 'no pending evictions',
      rows: [...value].sort((a, b) => a.fireAt - b.fireAt),
      value,
      palette: choosePalette(stdout, env),
    })
    printEstimate(context, inspected, [
      'a countdown starts when the taint was added, or when the pod was bound after that',
    ])
    return exitCodes.done
  },
})

type Eviction = (PendingEviction | PendingDeviceEviction) & { readonly estimated?: boolean }

async function readEvictions(cluster: ClusterAccess): Promise<readonly Eviction[] | undefined> {
  const ofNodes = (await cluster.read('/debug/evictions', notBerth)) as readonly PendingEviction[] | undefined
  if (ofNodes === undefined) return undefined
  const ofDevices = await cluster.read('/debug/device-evictions').catch(() => undefined)
  return [...ofNodes, ...((ofDevices as readonly PendingDeviceEviction[] | undefined) ?? [])]
}
