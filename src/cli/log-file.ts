import { once } from 'node:events'
import { dirname } from 'node:path'
import type { Logger } from '../base/log.ts'
import { makeFolder } from '../store/journal/folder.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** JSON logs, one object per line. Writes to standard error are synchronous, so that the last lines before an exit are not lost. */
export async function openLog(level: LogLevel, file: string | undefined): Promise<Logger> {
  const { default: pino } = await import('pino')
  if (file !== undefined) makeFolder(dirname(file))
  const destination = pino.destination({ dest: file ?? 2, sync: file === undefined, append: true, mode: 0o600 })
  // The file is opened asynchronously; an exit before that would fail, so wait for it.
  if (file !== undefined) await once(destination, 'ready')
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination) as unknown as Logger
}
