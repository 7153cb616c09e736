import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, silentLogger } from '../../base/log.ts'
import { Refusal } from '../../base/refusal.ts'
import { lockFile } from './kernel-lock.ts'

interface LockOwner {
  readonly pid: number
  /** When the process started, in the kernel's units: distinguishes it from a later process with the same id. */
  readonly started?: string
}

/**
 * Makes this process the only user of a directory. Throws if another process uses it. The kernel lock decides. A file
 * with the process id is kept next to it: it names the owner, and it is the only lock where the system has no kernel
 * lock. Process ids cannot distinguish two containers, so a warning is logged in that case.
 */
export function lockDirectory(dir: string, log: Logger = silentLogger): { readonly release: () => void } {
  const kernel = lockFile(join(dir, 'journal.lock'))
  if (kernel.kind === 'held') throw inUse(dir, parseOwner(readIfThere(join(dir, 'lock')) ?? ''))
  if (kernel.kind === 'unavailable') {
    const message =
      'the data directory cannot be locked by the kernel; do not use it from two containers or hosts at the same time'
    log.warn({ dir, why: kernel.why }, message)
  }
  const releaseKernel = kernel.kind === 'locked' ? kernel.release : () => {}
  try {
    const releaseProcess = lockByProcessId(dir)
    return {
      release() {
        releaseProcess()
        releaseKernel()
      },
    }
  } catch (error) {
    releaseKernel()
    throw error
  }
}

/** Takes over the lock of a process that ended. */
function lockByProcessId(dir: string): () => void {
  const lock = join(dir, 'lock')
  const mine = JSON.stringify(ownerOf(process.pid))
  const draft = join(dir, `lock.${process.pid}`)
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    // A link is created with its content or not at all, so no process reads a partial lock.
    while (!tryLink(draft, lock)) removeIfStale(dir, lock)
  } finally {
    unlinkSync(draft)
  }
  return () => unlinkSync(lock)
}

/** `owner`: the content of the file. The process may have another id here, or be on another host. */
function inUse(dir: string, owner: LockOwner | undefined): Refusal {
  const who = owner !== undefined && isLive(owner) ? `process ${owner.pid}` : 'another process'
  return new Refusal(`${dir} is in use by ${who}; stop that process first, or use another directory`)
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function removeIfStale(dir: string, lock: string): void {
  const text = readIfThere(lock)
  if (text === undefined) return
  const owner = parseOwner(text)
  if (owner === undefined) {
    throw new Refusal(`${lock} is not a berth lock file; remove it if no process uses ${dir}`)
  }
  if (isLive(owner)) throw inUse(dir, owner)
  // Another process may take over the stale lock at the same time, so the moved file is checked again.
  const aside = join(dir, `lock.stale.${process.pid}`)
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if (readFileSync(aside, 'utf8') !== text) tryLink(aside, lock)
  unlinkSync(aside)
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as LockOwner
    return Number.isInteger(owner.pid) && owner.pid > 0 ? owner : undefined
  } catch {
    return undefined
  }
}

function ownerOf(pid: number): LockOwner {
  const started = startOf(pid)
  return started === undefined ? { pid } : { pid, started }
}

/** If the system does not report when a process started, only its id identifies it. */
function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19]
}

function isLive(owner: LockOwner): boolean {
  if (!isAlive(owner.pid)) return false
  const started = startOf(owner.pid)
  return owner.started === undefined || started === undefined || owner.started === started
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // The process of another user cannot be signaled, but it exists.
    if (codeOf(error) !== 'EPERM') return false
  }
  // A zombie process has ended, but its parent has not read its exit code yet (visible on Linux only).
  return statOf(pid)?.[0] !== 'Z'
}

/** The fields of /proc/PID/stat from the 3rd (state) on; the start time is the 22nd. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // The second field is the command in parentheses and may contain any character.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
