import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { KubeObject } from '../../api/objects/meta.ts'
import { Refusal } from '../../base/refusal.ts'
import type { StoreKey } from '../contract.ts'
import { findDamage, stateTable } from './check.ts'
import {
  decodeValue,
  isDeletion,
  type JournalRecord,
  type JournalState,
  journalFormat,
  mixedVersion,
  splitRecordName,
  splitRecords,
} from './record.ts'
import { prepareReaderFile } from './room.ts'

export type JournalRoot = RootDatabase<Buffer, string>

/** The name of the only record in the table of states. */
export const stateName = 'state'

export function openFile(file: string, mode: 'read' | 'write'): JournalRoot {
  if (mode === 'write') prepareReaderFile(`${file}-lock`)
  return open<Buffer, string>({
    path: file,
    noSubdir: true,
    readOnly: mode === 'read',
    encoding: 'binary',
    // With this option, a commit is announced before it is flushed. Without it, lmdb syncs the data pages, then writes
    // the page that makes them current through a synchronous descriptor, and only then resolves the promise of a put.
    overlappingSync: false,
  })
}

/** The figures that lmdb has about the open file without reading a table. */
interface FileStatus {
  /** The number of the last transaction that lmdb has committed. */
  readonly lastTxnId: number
  readonly lastPageNumber: number
}

/**
 * `getStats` has these figures as well. It also starts a read transaction and describes every table, which takes several
 * times as long, and this is called for each group.
 */
export function statusOf(root: JournalRoot): FileStatus {
  const { env } = root as unknown as { readonly env?: { readonly info?: () => FileStatus } }
  return env?.info?.() ?? (root.getStats() as FileStatus)
}

/** Each is created by one transaction, before the first group. */
const tableCount = 3

/** The tables of a journal; missing tables are created if that is allowed, and otherwise omitted. */
export function openTables(root: JournalRoot) {
  return {
    // The table of states comes first: without it, there are no others.
    states: openTable<string>(root, stateTable),
    /** By name. */
    objects: openTable<string>(root, 'objects'),
    /** Groups of records in the order of their writes, not yet in the table of objects. */
    log: openTable<number>(root, 'log'),
  }
}

function openTable<K extends string | number>(root: JournalRoot, name: string): Database<Buffer, K> | undefined {
  try {
    return root.openDB<Buffer, K>(name, { encoding: 'binary' })
  } catch (error) {
    if ((error as Error).message === 'Database not found') return undefined
    throw error
  }
}

export interface LoadedJournal {
  readonly state: JournalState
  readonly objects: Iterable<StoreKey & { readonly object: KubeObject }>
  /** For each name in the log, its last entry. */
  readonly latest: Map<string, number>
  readonly logBytes: number
}

export function emptyJournal(): LoadedJournal {
  const state = { format: journalFormat, revision: 0, objects: 0, versions: 0, oldest: 0, next: 0 }
  return { state, objects: [], latest: new Map(), logBytes: 0 }
}

/** Reads without writing, so that a refused journal stays unchanged. */
export async function readJournal(file: string): Promise<LoadedJournal> {
  const damage = inspect(file)
  if (damage === 'empty') return emptyJournal()
  if (damage !== undefined) throw damaged(file, damage)
  const root = openFile(file, 'read')
  try {
    return load(file, root)
  } finally {
    await root.close()
  }
}

function load(file: string, root: JournalRoot): LoadedJournal {
  const { states, objects, log } = openTables(root)
  const stored = states?.get(stateName)
  if (stored === undefined) {
    // A process that ended before its first group left a file without records.
    const isEmpty = states === undefined ? root.getCount() === 0 : countOf(objects) + countOf(log) === 0
    // Otherwise the journal had groups, and an older version of its pages is back.
    if (!isEmpty || statusOf(root).lastTxnId > tableCount) throw damaged(file, 'its format is missing')
    return emptyJournal()
  }
  const state = readState(file, stored)
  const last = statusOf(root).lastTxnId
  if (state.transaction !== undefined && state.transaction !== last) {
    throw damaged(file, `its state is of transaction ${state.transaction}; expected ${last}`)
  }
  const live = new Map<string, JournalRecord>()
  for (const { key, value } of objects?.getRange() ?? []) {
    const [record] = recordsOf(file, value, key)
    if (record?.name !== key) throw damaged(file, `the record of ${key} belongs to another object`)
    live.set(key, record)
  }
  const latest = new Map<string, number>()
  let expected = state.oldest
  let logBytes = 0
  for (const { key, value } of log?.getRange() ?? []) {
    if (key !== expected++) throw damaged(file, `entry ${expected - 1} of its log is missing`)
    logBytes += value.length
    for (const record of recordsOf(file, value, `entry ${key} of its log`)) {
      latest.set(record.name, key)
      if (isDeletion(record)) live.delete(record.name)
      else live.set(record.name, record)
    }
  }
  if (expected !== state.next) throw damaged(file, `entry ${expected} of its log is missing`)
  if (live.size !== state.objects) {
    throw damaged(file, `it has ${live.size} objects; expected ${state.objects}`)
  }
  const found = [...live.values()].map(toObject)
  const versions = found.reduce((sum, { object }) => mixedVersion(sum, object), 0)
  if (state.versions !== undefined && state.versions !== versions) {
    throw damaged(file, 'some of its objects are from an earlier transaction than others')
  }
  return { state: { ...state, versions }, objects: found, latest, logBytes }
}

function readState(file: string, stored: Buffer): JournalState {
  const [record] = splitRecords(stored) ?? []
  if (record?.name !== stateName) throw damaged(file, 'the checksum of its state does not match')
  const state = decodeValue(record) as JournalState
  if (state.format > journalFormat) {
    throw new Refusal(
      `${file} has format ${state.format}; this version reads up to ${journalFormat}. Use the version that wrote it.`,
    )
  }
  return state
}

function recordsOf(file: string, bytes: Buffer, place: string): readonly JournalRecord[] {
  const records = splitRecords(bytes)
  if (records === undefined) throw damaged(file, `the checksum of ${place} does not match`)
  return records
}

function toObject(record: JournalRecord): StoreKey & { readonly object: KubeObject } {
  return { ...splitRecordName(record.name), object: decodeValue(record) as KubeObject }
}

function countOf(table: Database<Buffer, string> | Database<Buffer, number> | undefined): number {
  return table?.getCount() ?? 0
}

function inspect(file: string): string | 'empty' | undefined {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size === 0) return 'empty'
    return findDamage({
      size,
      read: (offset, length) => {
        const bytes = Buffer.allocUnsafe(length)
        readSync(descriptor, bytes, 0, length, offset)
        return bytes
      },
    })
  } finally {
    closeSync(descriptor)
  }
}

function damaged(file: string, what: string): Error {
  return new Refusal(`${file} is damaged: ${what}. Nothing was changed; restore it from a backup, or move it away.`)
}
