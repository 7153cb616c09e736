import { resolve } from 'node:path'
import { runningCluster, stopProcess } from '../cluster-files.ts'
import { defineCommand, exitCodes, text, unreachable } from '../command.ts'
import { defaultDataDir } from '../control-plane-options.ts'

export const command = defineCommand({
  name: 'down',
  summary: 'Stop the cluster that berth up started; its data stays',
  args: [],
  options: {
    dataDir: text({ summary: 'the data directory it was started with', value: 'DIR', default: defaultDataDir }),
  },
  examples: [{ command: 'berth down', summary: 'Stop the cluster of this folder' }],
  run: async ({ options, files, cwd, stdout }) => {
    const running = await runningCluster(files, resolve(cwd, options.dataDir))
    if (running === undefined) {
      stdout.write(`no cluster runs in ${options.dataDir}\n`)
      return exitCodes.done
    }
    if (!(await stopProcess(running.pid, 15_000))) throw unreachable(`process ${running.pid} did not stop within 15 s`)
    stdout.write(`stopped; berth up goes on from ${options.dataDir}\n`)
    return exitCodes.done
  },
})
