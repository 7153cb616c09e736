import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../base/refusal.ts'

interface Owner {
  readonly pid: number
  /** When the process started, in the kernel's own units: tells it from a later one with the same number. */
  readonly started?: string
}

/**
 * Makes this process the only one to use a directory. Throws when another live process does; a lock left by one that is
 * gone is taken over.
 */
export function lockDirectory(dir: string): { readonly release: () => void } {
  const lock = join(dir, 'lock')
  const mine = JSON.stringify(ownerOf(process.pid))
  const draft = join(dir, `lock.${process.pid}`)
  writeFileSync(draft, mine)
  try {
    // A link either comes to be with its contents or fails, so nobody ever reads half a lock.
    while (!tryLink(draft, lock)) removeIfStale(dir, lock)
  } finally {
    unlinkSync(draft)
  }
  return { release: () => unlinkSync(lock) }
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
  if (isLive(owner)) {
    throw new Refusal(`${dir} is in use by process ${owner.pid}; stop that process first, or use another directory`)
  }
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
