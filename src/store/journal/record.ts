import { crc32 } from 'node:zlib'
import type { KubeObject } from '../../api/objects/meta.ts'
import { parseJson } from '../../base/exact-json.ts'

/** The newest format that this build writes and reads. Incremented when the meaning of records changes. */
export const journalFormat = 1

/** Written with every group, so that a group is applied completely or not at all. */
export interface JournalState {
  readonly format: number
  /** The revision of the last write of the group. */
  readonly revision: number
  /** The number of objects: a difference shows that a part of the file was lost. */
  readonly objects: number
  /**
   * The checksum of all objects' revisions. It detects pages of an earlier transaction, which are valid by themselves
   * and remain if a disk loses writes. Absent in journals of earlier builds.
   */
  readonly versions?: number
  /**
   * The number of the lmdb transaction that wrote this state. It detects the state of an earlier transaction that is
   * consistent in itself: a partly written page may have a new header and old records. Absent in journals of earlier
   * builds.
   */
  readonly transaction?: number
  /** The log has the entries from `oldest` up to but not including `next`. */
  readonly oldest: number
  readonly next: number
}

export interface JournalRecord {
  readonly name: string
  /** The whole record, as it is in the log and in the table of objects. */
  readonly bytes: Buffer
}

/*
 * A record is the length of its name, the length of its JSON, a checksum over both (lmdb does not verify data), the
 * name, the JSON. A record without JSON is a deletion.
 */
const headerBytes = 10
const slabBytes = 1024 * 1024
let slab = Buffer.allocUnsafeSlow(slabBytes)
let used = 0

/** `text`: the JSON, or undefined for a deletion. Consecutive records are usually adjacent in memory. */
export function encodeRecord(name: string, text: string): Buffer {
  // Reserving the maximum size avoids a pass over the text to count its bytes.
  const room = headerBytes + 3 * (name.length + text.length)
  if (used + room > slab.length) {
    slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, room))
    used = 0
  }
  const from = used
  const nameFrom = from + headerBytes
  const textFrom = nameFrom + slab.write(name, nameFrom)
  used = textFrom + slab.write(text, textFrom)
  slab.writeUInt16LE(textFrom - nameFrom, from)
  slab.writeUInt32LE(used - textFrom, from + 2)
  slab.writeUInt32LE(crc32(slab.subarray(nameFrom, used)), from + 6)
  return slab.subarray(from, used)
}

/** Splits bytes into records; `undefined` if they are not valid records. */
export function splitRecords(bytes: Buffer): readonly JournalRecord[] | undefined {
  const records: JournalRecord[] = []
  for (let from = 0; from < bytes.length; ) {
    if (from + headerBytes > bytes.length) return undefined
    const nameFrom = from + headerBytes
    const textFrom = nameFrom + bytes.readUInt16LE(from)
    const end = textFrom + bytes.readUInt32LE(from + 2)
    if (end > bytes.length || crc32(bytes.subarray(nameFrom, end)) !== bytes.readUInt32LE(from + 6)) return undefined
    records.push({ name: bytes.toString('utf8', nameFrom, textFrom), bytes: bytes.subarray(from, end) })
    from = end
  }
  return records
}

/**
 * Adds the revision of an object to a checksum, or removes it. Every write has another revision, so its revisions
 * identify a set of objects.
 */
export function mixedVersion(versions: number, { metadata }: KubeObject): number {
  let mixed = Number(metadata.resourceVersion) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return versions ^ mixed ^ (mixed >>> 15)
}

export function isDeletion({ bytes }: JournalRecord): boolean {
  return bytes.readUInt32LE(2) === 0
}

export function decodeValue({ bytes }: JournalRecord): unknown {
  return parseJson(bytes.toString('utf8', headerBytes + bytes.readUInt16LE(0)))
}

/** Resource names contain no slash, so the first slash ends them. */
export function recordName(resource: string, key: string): string {
  return `${resource}/${key}`
}

export function splitRecordName(name: string): { readonly resource: string; readonly key: string } {
  const slash = name.indexOf('/')
  return { resource: name.slice(0, slash), key: name.slice(slash + 1) }
}
