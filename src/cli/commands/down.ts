import { resolve } from 'node:path'
import { runningCluster, stopProcess } from '../cluster-files.ts'
import { defineCommand, exitCodes, text, unreachable } from '../command.ts'
import { defaultDataDir } from '../control-plane-options.ts'

export const command = defineCommand({
  name: 'down',
  summary: 'Stop the cluster that berth up started and keep its data',
  args: [],
  options: {
    dataDir: text({ summary: 'Data directory of the cluster', value: 'DIR', default: defaultDataDir }),
  },
  examples: [{ command: 'berth down', summary: 'Stop the cluster in the current directory' }],
  run: async ({ options, files, cwd, stdout }) => {
    const running = await runningCluster(files, resolve(cwd, options.dataDir))
    if (running === undefined) {
      stdout.write(`no cluster is running in ${options.dataDir}\n`)
      return exitCodes.done
    }
    if (!(await stopProcess(running.pid, 15_000))) throw unreachable(`process ${running.pid} did not stop within 15 s`)
    stdout.write(`stopped; the data is kept in ${options.dataDir}\n`)
    return exitCodes.done
  },
})
