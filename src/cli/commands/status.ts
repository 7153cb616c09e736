import { resolve } from 'node:path'
import { openCluster } from '../cluster-access.ts'
import { runningCluster } from '../cluster-files.ts'
import { defineCommand, exitCodes, text } from '../command.ts'
import { defaultDataDir } from '../control-plane-options.ts'
import { ageText } from '../durations.ts'
import { choosePalette, outputOption, printAnswer } from '../output.ts'

export const command = defineCommand({
  name: 'status',
  summary: 'Show the address, the state and the contents of the cluster that berth up started',
  args: [],
  options: {
    dataDir: text({ summary: 'Data directory of the cluster', value: 'DIR', default: defaultDataDir }),
    output: outputOption(),
  },
  examples: [{ command: 'berth status', summary: 'Print the status; exit code 1 if no cluster is running' }],
  run: async ({ options, stdout, env, ...ports }) => {
    const running = await runningCluster(ports.files, resolve(ports.cwd, options.dataDir))
    if (running === undefined) {
      printAnswer(stdout, {
        format: options.output,
        columns: [],
        rows: [],
        value: { running: false },
        palette: choosePalette(stdout, env),
        empty: `no cluster is running in ${options.dataDir}`,
      })
      return exitCodes.answerIsNo
    }
    const cluster = await openCluster(
      { kubeconfig: running.kubeconfig, context: undefined, dataDir: options.dataDir },
      { ...ports, env },
    )
    const health = (await cluster.read('/debug/health')) as
      | { readonly state: string; readonly crashed: readonly string[] }
      | undefined
    const count = async (resource: 'nodes' | 'pods') => {
      const listed = await cluster.client.call({ verb: 'list', resource, limit: 1 })
      return listed.ok && listed.kind === 'list' ? listed.items.length + (listed.remainingItemCount ?? 0) : 0
    }
    const value = {
      running: true,
      ...running,
      state: health?.state ?? 'unknown',
      crashed: health?.crashed ?? [],
      nodes: await count('nodes'),
      pods: await count('pods'),
    }
    cluster.close()
    printAnswer(stdout, {
      format: options.output,
      columns: [
        {
          header: 'STATE',
          cell: (row) => (row.crashed.length === 0 ? row.state : `crashed: ${row.crashed.join(', ')}`),
        },
        { header: 'ADDRESS', cell: (row) => row.url },
        { header: 'NODES', cell: (row) => row.nodes, align: 'right' },
        { header: 'PODS', cell: (row) => row.pods, align: 'right' },
        { header: 'UPTIME', cell: (row) => ageText(ports.now() - Date.parse(row.startedAt)) },
        { header: 'PID', cell: (row) => row.pid },
        { header: 'KUBECONFIG', cell: (row) => row.kubeconfig, wide: true },
      ],
      rows: [value],
      value,
      palette: choosePalette(stdout, env),
    })
    return exitCodes.done
  },
})
