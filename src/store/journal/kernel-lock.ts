import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'

export type KernelLock =
  | { readonly kind: 'locked'; readonly release: () => void }
  /** Another open file holds the lock. */
  | { readonly kind: 'held' }
  /** The system cannot lock the file. */
  | { readonly kind: 'unavailable'; readonly why: string }

/** O_EXLOCK of open(2) on macOS and the BSDs. Node passes the flags on unchanged. */
const exclusiveLockFlag = 0x20
const flagSystems: readonly string[] = ['darwin', 'freebsd', 'openbsd', 'netbsd']

/**
 * Locks a file with flock(2). The kernel keeps the lock with the open file, so it works across process namespaces, and
 * it ends with the process in any case. The file is never removed: a lock on a removed file excludes nothing.
 */
export function lockFile(path: string): KernelLock {
  return flagSystems.includes(process.platform) ? lockByFlag(path) : lockByCommand(path)
}

function lockByFlag(path: string): KernelLock {
  const { O_RDWR, O_CREAT, O_NONBLOCK } = constants
  try {
    const descriptor = openSync(path, O_RDWR | O_CREAT | O_NONBLOCK | exclusiveLockFlag, 0o600)
    return { kind: 'locked', release: () => closeSync(descriptor) }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN' || code === 'EWOULDBLOCK') return { kind: 'held' }
    if (code === 'EOPNOTSUPP' || code === 'ENOTSUP' || code === 'ENOLCK') return { kind: 'unavailable', why: message }
    throw error
  }
}

/**
 * Node has no flock(2), but the flock command (util-linux, busybox) locks a file that it inherits. The lock belongs to
 * the open file, which this process keeps, and not to the command.
 */
function lockByCommand(path: string): KernelLock {
  const descriptor = openSync(path, 'a+', 0o600)
  const run = runFlock('-n', descriptor)
  if (run.status === 0) {
    const release = () => {
      // Closing the file is not enough while a child process starts: until it runs its program, it has a copy of every
      // open file.
      runFlock('-u', descriptor)
      closeSync(descriptor)
    }
    return { kind: 'locked', release }
  }
  closeSync(descriptor)
  // Both implementations exit with 1 and print nothing when the lock is held.
  if (run.status === 1 && run.stderr === '') return { kind: 'held' }
  if ((run.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    return { kind: 'unavailable', why: 'the flock command was not found' }
  }
  return { kind: 'unavailable', why: run.error?.message ?? `flock: ${run.stderr.trim() || `exit code ${run.status}`}` }
}

const runFlock = (option: '-n' | '-u', descriptor: number) =>
  spawnSync('flock', [option, '3'], { stdio: ['ignore', 'ignore', 'pipe', descriptor], encoding: 'utf8' })
