import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

export type DiskFault = (point: 'before' | 'after') => Promise<void>

/**
 * For tests only: disk faults. An environment variable names a file, and the file defines a fault around each
 * transaction: `<before|after> <fail|full|kill|delay MS>`. Without the file, there are no faults.
 */
export function faultsForTests(): DiskFault | undefined {
  const path = process.env['BERTH_TEST_JOURNAL_FAULTS']
  return path === undefined ? undefined : (point) => apply(path, point)
}

async function apply(path: string, point: string): Promise<void> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return
  }
  const [when, what, ms] = text.trim().split(' ')
  if (when !== point) return
  if (what === 'fail') throw new Error('EIO: i/o error (test)')
  if (what === 'full') throw new Error('ENOSPC: no space left on device (test)')
  if (what === 'kill') process.kill(process.pid, 'SIGKILL')
  if (what === 'delay') await setTimeout(Number(ms))
}
