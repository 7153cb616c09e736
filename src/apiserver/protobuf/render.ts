import type { ReleaseApi } from '../../api/releases/release-api.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import type { Fields } from '../../base/fields.ts'
import { Recent } from '../../base/recent.ts'
import { writeStruct } from './encode.ts'
import { encodeEnvelope, writeHead, writeTail } from './envelope.ts'
import { WireWriter } from './wire.ts'

export const protobufType = 'application/vnd.kubernetes.protobuf'

/** A list without its objects. */
export interface ListFrame {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Fields
}

const writer = new WireWriter()
/** Pieces have about this length. */
const pieceBytes = 64 * 1024
/** Bytes that were encoded for counting are kept up to this size, so that short lists are encoded once. */
const maxKeptBytes = 1024 * 1024
/** The same limit for one long list at a time. It bounds the memory that all slow readers use together. */
const maxLongBytes = 32 * 1024 * 1024
/**
 * The bytes of the long list. The reference is weak, because there is no notice if a client does not read a response to
 * its end.
 */
let longList: WeakRef<Uint8Array[]> | undefined

const isLongListSent = (): boolean => (longList?.deref()?.length ?? 0) === 0

const itemsNumber = 2

/** Writes objects in front of `end` until there are enough for a piece; returns the index of the first of them. */
function writePiece(shape: StructShape, objects: readonly Fields[], end: number): number {
  let first = end
  while (first > 0 && writer.length < pieceBytes) {
    const from = writer.length
    writeStruct(writer, shape, objects[--first] as Fields)
    writer.enclose(itemsNumber, from)
  }
  return first
}

/**
 * A list of any length, created in pieces. Its length comes before its objects, so a long list is encoded twice, once for
 * counting and once for sending, unless its bytes can be kept. Slow readers therefore do not keep the bytes of long
 * lists in memory. Messages are written from their end, so the last piece is the first to be encoded.
 */
export function* listPieces(
  frame: ListFrame,
  shape: StructShape,
  objects: readonly Fields[],
): Generator<Uint8Array, undefined> {
  let total = 0
  /** In reverse order: the last piece is first. */
  let kept: Uint8Array[] | undefined = []
  const ends: number[] = []
  for (let end = objects.length; end > 0; ) {
    ends.push(end)
    end = writePiece(shape, objects, end)
    total += writer.length
    if (kept !== undefined && total > maxKeptBytes && !mayKeep(kept, total)) kept = undefined
    if (kept === undefined) writer.clear()
    else kept.push(writer.take())
    // Other requests get a turn.
    if (total > maxKeptBytes) yield nothing
  }
  const { head, tail } = around(frame, total)
  if (kept !== undefined && total <= maxKeptBytes) {
    yield Buffer.concat([head, ...kept.reverse(), tail])
    return undefined
  }
  yield head
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    const piece = kept?.pop()
    if (piece !== undefined) yield piece
    else {
      writePiece(shape, objects, end)
      yield writer.take()
    }
  }
  yield tail
  return undefined
}

const nothing = new Uint8Array(0)

/** Whether a long list is the only one whose bytes are kept. */
function mayKeep(kept: Uint8Array[], total: number): boolean {
  if (total <= maxLongBytes && longList?.deref() === kept) return true
  if (total > maxLongBytes || !isLongListSent()) {
    kept.length = 0
    return false
  }
  longList = new WeakRef(kept)
  return true
}

/** The bytes around the items of a list. */
function around(frame: ListFrame, itemsBytes: number): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  writeTail(writer)
  const tail = writer.take()
  const meta = defaultRelease.api.types.get('meta.ListMeta') as StructShape
  writeStruct(writer, meta, frame.metadata)
  writer.enclose(1, 0)
  // The length of the list counts its items, which are not in the writer.
  writer.varint(writer.length + itemsBytes)
  writer.key(2, 2)
  writeHead(writer, frame.apiVersion, frame.kind)
  return { head: writer.take(), tail }
}

// The same event goes to every watcher.
const recent = new Recent<object, Uint8Array>(256)
const maxRememberedBytes = 16 * 1024

/** An object of a watch event. Undefined: the kind has no protobuf encoding. */
export function encodedObject(object: Fields, api: ReleaseApi): Uint8Array | undefined {
  const known = recent.get(object)
  if (known !== undefined) return known
  const bytes = encodeEnvelope(object, api)
  if (bytes !== undefined && bytes.length <= maxRememberedBytes) recent.set(object, bytes)
  return bytes
}

/** A frame of a watch: its length, and a WatchEvent that holds the object with its envelope. */
export function encodeWatchFrame(type: string, object: Uint8Array): Uint8Array {
  const from = writer.length
  writer.raw(object)
  writer.enclose(1, from)
  writer.enclose(2, from)
  const text = writer.length
  writer.text(type)
  writer.enclose(1, text)
  const event = writer.take()
  const frame = Buffer.allocUnsafe(4 + event.length)
  frame.writeUInt32BE(event.length, 0)
  frame.set(event, 4)
  return frame
}
