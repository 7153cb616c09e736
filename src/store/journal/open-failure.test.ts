import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Refusal } from '../../base/refusal.ts'
import { openStore } from './open-store.ts'

it('explains why the file system does not allow opening a journal', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-open-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'journal.mdb-lock'))
  const opened = openStore({ dir })
  await expect(opened).rejects.toThrow(Refusal)
  await expect(opened).rejects.toThrow(`the journal in ${dir} cannot be opened: EISDIR`)
})
