import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLog } from './log-file.ts'

it('writes a log that only its owner can read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-log-'))
  try {
    const file = join(folder, 'data', 'berth.log')
    await openLog('info', file)
    expect([statSync(join(folder, 'data')).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
