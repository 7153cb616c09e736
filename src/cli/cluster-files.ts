import { rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivately } from '../controlplane/ports-data-dir.ts'
import { isAlive } from '../store/journal/lock.ts'
import type { Files } from './command.ts'

/** The record in the data directory by which other commands find a running cluster. */
export interface ClusterRecord {
  readonly pid: number
  readonly url: string
  readonly kubeconfig: string
  readonly startedAt: string
  /** The scheduler configuration, which `berth explain` uses. Paths are absolute. */
  readonly scheduler?: SchedulerRecord
}

export interface SchedulerRecord {
  readonly behavior: 'upstream' | 'improved'
  readonly fix: readonly string[]
  readonly schedulerConfig?: string
  readonly plugin: readonly string[]
}

const recordFile = (dir: string) => join(dir, 'process.json')

export async function writeRecord(dir: string, record: ClusterRecord): Promise<void> {
  await writePrivately(recordFile(dir), `${JSON.stringify(record, null, 2)}\n`)
}

export async function removeRecord(dir: string): Promise<void> {
  await unlink(recordFile(dir)).catch(() => undefined)
}

export async function removeData(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true })
}

/** The record of a running cluster. Ignores a record whose process has exited. */
export async function runningCluster(files: Files, dir: string): Promise<ClusterRecord | undefined> {
  if ((await files.kindOf(recordFile(dir))) !== 'file') return undefined
  const record = JSON.parse(await files.readText(recordFile(dir))) as ClusterRecord
  return isAlive(record.pid) ? record : undefined
}

/** Stops a process and waits until it has exited. Returns false on timeout. */
export async function stopProcess(pid: number, waitMs: number): Promise<boolean> {
  process.kill(pid, 'SIGTERM')
  for (let waited = 0; waited < waitMs; waited += 50) {
    if (!isAlive(pid)) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return !isAlive(pid)
}
