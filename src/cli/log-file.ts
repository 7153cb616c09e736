import { once } from 'node:events'
import { dirname } from 'node:path'
import type { Logger } from '../base/log.ts'
import { makeFolder } from '../store/journal/folder.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Structured logs, one JSON object a line, to a file, or at once to standard error: the last line of a process counts. */
export async function openLog(level: LogLevel, file: string | undefined): Promise<Logger> {
  const { pino } = await import('pino')
  if (file !== undefined) makeFolder(dirname(file))
  const destination = pino.destination({ dest: file ?? 2, sync: file === undefined, append: true, mode: 0o600 })
  // Its file is opened in a moment of its own, and whoever leaves before that would see it fail.
  if (file !== undefined) await once(destination, 'ready')
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination) as unknown as Logger
}
