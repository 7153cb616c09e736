import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

export interface AuditLogOptions {
  /** `-` is standard output. */
  readonly path: string
  readonly maxSizeBytes: number
  /** 0: all backups are kept. */
  readonly maxBackups: number
  readonly maxAgeDays: number
}

/**
 * Appends lines to a file, and starts a new file when it is too large (file names as in gopkg.in/natefinch/lumberjack).
 */
export function createAuditLog(options: AuditLogOptions): (line: string) => void {
  const { path, maxSizeBytes } = options
  if (path === '-') {
    return (line) => {
      process.stdout.write(`${line}\n`)
    }
  }
  mkdirSync(dirname(path), { recursive: true })
  let size = sizeOf(path)
  return (line) => {
    const bytes = Buffer.byteLength(line) + 1
    if (size > 0 && size + bytes > maxSizeBytes) {
      rotate(options)
      size = 0
    }
    appendFileSync(path, `${line}\n`, { mode: 0o600 })
    size += bytes
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

function rotate({ path, maxBackups, maxAgeDays }: AuditLogOptions): void {
  const folder = dirname(path)
  const end = extname(path)
  const stem = basename(path, end)
  const now = new Date(Date.now())
  const stamp = now.toISOString().replace(/:/g, '-').replace(/Z$/, '')
  renameSync(path, join(folder, `${stem}-${stamp}${end}`))
  const backups = readdirSync(folder)
    .filter((name) => name.startsWith(`${stem}-`) && name.endsWith(end))
    .sort()
    .reverse()
  const oldest = now.getTime() - maxAgeDays * 24 * 3600 * 1000
  backups.forEach((name, i) => {
    const file = join(folder, name)
    const isOld = maxAgeDays > 0 && statSync(file).mtimeMs < oldest
    if ((maxBackups > 0 && i >= maxBackups) || isOld) rmSync(file, { force: true })
  })
}
