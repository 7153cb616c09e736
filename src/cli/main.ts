import { Refusal } from '../base/refusal.ts'
import { CommandError, exitCodes, type Ports } from './command.ts'
import { commandOutlines } from './command-outlines.ts'
import { commands } from './commands.ts'
import { builtOutlines, realPorts } from './ports.ts'
import { runCommandLine } from './program.ts'

/** Differs from the documented exit codes, so that a defect does not look like a negative result. */
const defect = 70

/** Runs a command line and returns the exit code. */
export async function main(
  argv: readonly string[] = process.argv.slice(2),
  ports: Ports = realPorts(),
): Promise<number> {
  return guarded(ports, () => runCommandLine(argv, commands, ports, builtOutlines))
}

/** The main function of the worker threads of berth. Only they load it, because it needs the whole forecaster. */
export async function answerInThread(): Promise<void> {
  const { answerInThread: answer } = await import('./console/worker.ts')
  answer()
}

/** For the build, which writes the outlines next to the code. */
export const outlines = () => commandOutlines(commands)

/** `kubectl_complete-berth`: completes the words after `kubectl berth`. */
export async function completeMain(
  argv: readonly string[] = process.argv.slice(2),
  ports: Ports = realPorts(),
): Promise<number> {
  return guarded(ports, async () => {
    const { completionAnswer } = await import('./completion.ts')
    ports.stdout.write(completionAnswer(argv, builtOutlines() ?? (await commandOutlines(commands))))
    return exitCodes.done
  })
}

/** The programs of the folder that `berth envtest` prints. */
export async function envtestMain(
  program: 'kube-apiserver' | 'etcd',
  argv: readonly string[] = process.argv.slice(2),
  ports: Ports = realPorts(),
): Promise<number> {
  return guarded(ports, async () => {
    if (program === 'etcd') return (await import('./envtest/run-etcd.ts')).runEtcd(argv, ports)
    return (await import('./envtest/run-api-server.ts')).runApiServer(argv, ports)
  })
}

async function guarded(ports: Ports, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof CommandError) {
      ports.stderr.write(`berth: ${error.message}\n`)
      return error.exitCode
    }
    if (error instanceof Refusal) {
      ports.stderr.write(`berth: ${error.message}\n`)
      return exitCodes.wrongQuestion
    }
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    ports.stderr.write(`berth: unexpected error; please report it: ${detail}\n`)
    return defect
  }
}
