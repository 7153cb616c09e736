import { rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivately } from '../controlplane/ports-data-dir.ts'
import { isAlive } from '../store/journal/lock.ts'
import type { Files } from './command.ts'

/** What a running cluster leaves in its data directory for the other commands to find it by. */
export interface ClusterRecord {
  readonly pid: number
  readonly url: string
  readonly kubeconfig: string
  readonly startedAt: string
  /** What its scheduler was set up with, so that explanations agree with it. Files with their whole paths. */
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

/** The record of a cluster that is running now; a record whose process is gone is of the past. */
export async function runningCluster(files: Files, dir: string): Promise<ClusterRecord | undefined> {
  if ((await files.kindOf(recordFile(dir))) !== 'file') return undefined
  const record = JSON.parse(await files.readText(recordFile(dir))) as ClusterRecord
  return isAlive(record.pid) ? record : undefined
}

/** Asks a process to stop and waits until it is gone; false when it is still there after the time. */
export async function stopProcess(pid: number, waitMs: number): Promise<boolean> {
  process.kill(pid, 'SIGTERM')
  for (let waited = 0; waited < waitMs; waited += 50) {
    if (!isAlive(pid)) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return !isAlive(pid)
}
