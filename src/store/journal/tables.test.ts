import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { emptyJournal, openFile, openTables, readJournal, stateName, statusOf } from './file.ts'
import { encodeRecord, recordName } from './record.ts'
import { JournalGroup, JournalTables } from './tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-tables-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const maxLogBytes = 100_000

/** Objects of a few hundred bytes; later ones overwrite earlier ones. */
function groupOf(revision: number, names: number): JournalGroup {
  const key = `a/${revision % names}`
  const version = (at: number) => ({
    metadata: { name: key, resourceVersion: String(at) },
    data: { text: 'x'.repeat(500) },
  })
  const after = version(revision)
  const name = recordName('configmaps', key)
  const group = new JournalGroup()
  const change = { resource: 'configmaps', key, revision, after }
  const isNew = revision <= names
  group.add(
    [isNew ? change : { ...change, before: version(revision - names) }],
    [{ name, bytes: encodeRecord(name, JSON.stringify(after)) }],
  )
  return group
}

describe('the log of a journal', () => {
  it('lets the log of a journal grow under continuous writes, and shortens it at rest without changing the content', async () => {
    const file = join(folder, 'journal.mdb')
    const tables = new JournalTables(file, openFile(file, 'write'), emptyJournal(), maxLogBytes)
    const names = 300
    const revisions = 600
    for (let revision = 1; revision <= revisions; revision++) await tables.write(groupOf(revision, names))
    expect(tables.isLong).toBe(true)
    let rounds = 0
    for (; tables.isLong; rounds++) await tables.shorten()
    expect(rounds).toBeGreaterThan(0)
    await tables.close()
    const { state, objects, logBytes } = await readJournal(file)
    expect(logBytes).toBeLessThanOrEqual(maxLogBytes)
    expect(state).toMatchObject({ revision: revisions, objects: names })
    const versions = [...objects].map(({ object }) => Number(object.metadata.resourceVersion))
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: names }, (_, at) => names + at + 1))
  })

  it('records the transaction that wrote the state of a journal, and refuses a state of another transaction', async () => {
    const file = join(folder, 'numbered.mdb')
    const root = openFile(file, 'write')
    const tables = new JournalTables(file, root, emptyJournal(), maxLogBytes)
    for (let revision = 1; revision <= 5; revision++) await tables.write(groupOf(revision, 10))
    const last = statusOf(root).lastTxnId
    await tables.close()
    const { state } = await readJournal(file)
    expect(state).toMatchObject({ revision: 5, transaction: last })
    const again = openFile(file, 'write')
    const older = { ...state, transaction: last }
    await openTables(again).states?.put(stateName, encodeRecord(stateName, JSON.stringify(older)))
    await again.close()
    await expect(readJournal(file)).rejects.toThrow(`its state is of transaction ${last}; expected ${last + 1}`)
  })

  it('reads the same status figures of a file as the lmdb statistics of all tables', async () => {
    const root = openFile(join(folder, 'status.mdb'), 'write')
    await openTables(root).states?.put('a', Buffer.from('b'))
    const { lastTxnId, lastPageNumber } = statusOf(root)
    expect(root.getStats()).toMatchObject({ lastTxnId, lastPageNumber })
    await root.close()
  })
})
