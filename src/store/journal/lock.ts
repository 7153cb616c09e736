import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, silentLogger } from '../../base/log.ts'
import { Refusal } from '../../base/refusal.ts'
import { lockFile } from './kernel-lock.ts'

interface Owner {
  readonly pid: number
  /** When the process started, in the kernel's own units: tells it from a later one with the same number. */
  readonly started?: string
}

/**
 * Makes this process the only one to use a directory. Throws when another one uses it.
 *
 * A kernel lock decides. A file with the process id is kept beside it: it names the owner, and it is all there is where
 * the system has no kernel lock. Process ids cannot tell two containers apart, so the owner is warned then.
 */
export function lockDirectory(dir: string, log: Logger = silentLogger): { readonly release: () => void } {
  const kernel = lockFile(join(dir, 'journal.lock'))
  if (kernel.kind === 'held') throw inUse(dir, parseOwner(readIfThere(join(dir, 'lock')) ?? ''))
  if (kernel.kind === 'unavailable') {
    const message =
      'the data directory cannot be locked by the kernel: do not use it from two containers or hosts at once'
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

/** A lock left by a process that ended is taken over. */
function lockByProcessId(dir: string): () => void {
  const lock = join(dir, 'lock')
  const mine = JSON.stringify(ownerOf(process.pid))
  const draft = join(dir, `lock.${process.pid}`)
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    // A link is made with its contents or not at all, so half a lock is never read.
    while (!tryLink(draft, lock)) removeIfStale(dir, lock)
  } finally {
    unlinkSync(draft)
  }
  return () => unlinkSync(lock)
}

/** `owner`: what the file says. The process may have another id here, or be on another host. */
function inUse(dir: string, owner: Owner | undefined): Refusal {
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
    throw new Refusal(`${lock} is not a lock file of berth; remove it if nothing uses ${dir}`)
  }
  if (isLive(owner)) throw inUse(dir, owner)
  // Another process may take the stale lock over at the same moment. Whoever moves a file away looks at what it moved.
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

function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner
    return Number.isInteger(owner.pid) && owner.pid > 0 ? owner : undefined
  } catch {
    return undefined
  }
}

function ownerOf(pid: number): Owner {
  const started = startOf(pid)
  return started === undefined ? { pid } : { pid, started }
}

/** Where the system does not say when a process started, its number alone has to do. */
function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19]
}

function isLive(owner: Owner): boolean {
  if (!isAlive(owner.pid)) return false
  const started = startOf(owner.pid)
  return owner.started === undefined || started === undefined || owner.started === started
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process: it may not be signalled, but it is there.
    if (codeOf(error) !== 'EPERM') return false
  }
  // Ended, but its parent has not asked for its exit code yet; only Linux lets us see that.
  return statOf(pid)?.[0] !== 'Z'
}

/** What Linux tells of a process, from its state on: the 3rd field, and the start time is the 22nd. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // The second field is the command in parentheses and may hold anything.
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
