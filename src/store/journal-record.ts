import { crc32 } from 'node:zlib'

/** The newest format this build writes and reads. Counts up when records change their meaning. */
export const journalFormat = 1

/** What is written along with every group, so that a group is there as a whole or not at all. */
export interface JournalState {
  readonly format: number
  /** Of the last write of the group. */
  readonly revision: number
  /** How many objects the journal holds: a lost subtree of the file shows as a difference. */
  readonly objects: number
}

const checksumBytes = 4
const chunkBytes = 256 * 1024
let chunk = Buffer.allocUnsafeSlow(chunkBytes)
let used = 0

/** A checksum over key and JSON, then the JSON: lmdb trusts the disk, we need not. */
export function encodeRecord(key: string, value: unknown): Buffer {
  const text = JSON.stringify(value)
  // Room for the worst case spares a pass over the text to count its bytes. Records keep their chunk alive.
  const room = checksumBytes + text.length * 3
  if (used + room > chunk.length) {
    chunk = Buffer.allocUnsafeSlow(Math.max(chunkBytes, room))
    used = 0
  }
  const from = used
  used += checksumBytes + chunk.write(text, from + checksumBytes)
  const checksum = crc32(chunk.subarray(from + checksumBytes, used), crc32(key))
  chunk.writeUInt32LE(checksum, from)
  return chunk.subarray(from, used)
}

/** Gives back `undefined` where the record is not what was written. */
export function decodeRecord(key: string, record: Buffer): unknown {
  if (record.length <= checksumBytes) return undefined
  const json = record.subarray(checksumBytes)
  if (crc32(json, crc32(key)) !== record.readUInt32LE(0)) return undefined
  return JSON.parse(json.toString())
}

/** Resource names hold no slash, so the first one ends them. */
export function recordKey(resource: string, key: string): string {
  return `${resource}/${key}`
}

export function splitRecordKey(recordKey: string): { readonly resource: string; readonly key: string } {
  const slash = recordKey.indexOf('/')
  return { resource: recordKey.slice(0, slash), key: recordKey.slice(slash + 1) }
}
