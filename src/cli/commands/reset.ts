import { resolve } from 'node:path'
import { removeData, runningCluster, stopProcess } from '../cluster-files.ts'
import { defineCommand, exitCodes, text, unreachable, wrongQuestion } from '../command.ts'
import { defaultDataDir } from '../control-plane-options.ts'

export const command = defineCommand({
  name: 'reset',
  summary: 'Stop the cluster and delete its data',
  args: [],
  options: { dataDir: text({ summary: 'Data directory to delete', value: 'DIR', default: defaultDataDir }) },
  examples: [{ command: 'berth reset && berth up --demo', summary: 'Start over with an empty cluster' }],
  run: async ({ options, files, cwd, stdout }) => {
    const dir = resolve(cwd, options.dataDir)
    if ((await files.kindOf(dir)) === 'absent') {
      stdout.write(`${options.dataDir} does not exist\n`)
      return exitCodes.done
    }
    const names = await files.list(dir)
    const ours = names.some((name) =>
      ['data.mdb', 'credentials.json', 'berth.log', 'process.json', 'kubeconfig'].includes(name),
    )
    if (names.length > 0 && !ours)
      throw wrongQuestion(`${options.dataDir} was not created by berth up; not deleting it`)
    const running = await runningCluster(files, dir)
    if (running !== undefined && !(await stopProcess(running.pid, 15_000)))
      throw unreachable(`process ${running.pid} did not stop within 15 s`)
    await removeData(dir)
    stdout.write(`${options.dataDir} deleted\n`)
    return exitCodes.done
  },
})
