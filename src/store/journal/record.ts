import { crc32 } from 'node:zlib'
import { parseJson } from '../../base/exact-json.ts'

/** The newest format this build writes and reads. Counts up when records change their meaning. */
export const journalFormat = 1

/** What is written along with every group, so that a group is there as a whole or not at all. */
export interface JournalState {
  readonly format: number
  /** Of the last write of the group. */
  readonly revision: number
  /** How many objects there are: a lost part of the file shows as a difference. */
  readonly objects: number
  /** The log has the entries from `oldest` up to but not including `next`. */
  readonly oldest: number
  readonly next: number
}

export interface JournalRecord {
  readonly name: string
  /** All of the record, as it stands in the log and in the table of objects. */
  readonly bytes: Buffer
}

/*
 * A record is the length of its name, the length of its JSON, a checksum over both (lmdb trusts the disk, we need not),
 * the name, the JSON. Without JSON it stands for a deletion.
 */
const headerBytes = 10
const slabBytes = 1024 * 1024
let slab = Buffer.allocUnsafeSlow(slabBytes)
let used = 0

/** `text`: the JSON, or nothing for a deletion. Records that are made one after the other mostly lie one behind the other. */
export function encodeRecord(name: string, text: string): Buffer {
  // Room for the worst case spares a pass over the text to count its bytes.
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

/** The records that lie behind each other in some bytes; `undefined` where these are not what was written. */
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

export function isDeletion({ bytes }: JournalRecord): boolean {
  return bytes.readUInt32LE(2) === 0
}

export function decodeValue({ bytes }: JournalRecord): unknown {
  return parseJson(bytes.toString('utf8', headerBytes + bytes.readUInt16LE(0)))
}

/** Resource names hold no slash, so the first one ends them. */
export function recordName(resource: string, key: string): string {
  return `${resource}/${key}`
}

export function splitRecordName(name: string): { readonly resource: string; readonly key: string } {
  const slash = name.indexOf('/')
  return { resource: name.slice(0, slash), key: name.slice(slash + 1) }
}
