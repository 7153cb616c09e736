import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface UpProcess {
  readonly kubeconfig: string
  stop(): Promise<void>
}

/** Starts `berth up` on a free port, with its data in `folder`. */
export async function startUp(folder: string, flags: readonly string[]): Promise<UpProcess> {
  mkdirSync(folder, { recursive: true })
  const args = [resolve('bin/berth'), 'up', '--ephemeral', '--port', '0', '--data-dir', folder, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  endWithThisProcess(child)
  let said = ''
  const listen = (chunk: Buffer) => {
    said += String(chunk)
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  while (!said.includes('Ctrl-C stops')) {
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`berth up ended: ${said}`)
  }
  return { kubeconfig: join(folder, 'kubeconfig'), stop: () => stop(child) }
}

/** A run that is interrupted leaves no process behind. */
export function endWithThisProcess(child: ChildProcess): void {
  const end = () => child.kill('SIGTERM')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
