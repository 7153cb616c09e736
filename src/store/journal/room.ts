import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'

const stepBytes = 2 * 1024 * 1024
const zeros = Buffer.alloc(256 * 1024)

/**
 * Space at the end of the journal file that the file system has already allocated. lmdb corrupts the memory of the
 * process when a page write fails, and ends the process when its reader file cannot be extended. Therefore both files
 * are extended in advance, by plain writes that fail with an error.
 */
export class Room {
  private readonly descriptor: number
  private readonly usedBytes: () => number
  private leftBytes = 0
  private isClosed = false

  /** `usedBytes`: returns the number of used bytes in the file. */
  constructor(file: string, usedBytes: () => number) {
    this.descriptor = openSync(file, 'r+')
    this.usedBytes = usedBytes
  }

  /** Makes sure that a transaction can add this number of bytes. Throws if the file system is full or fails. */
  ensure(bytes: number): void {
    this.leftBytes -= bytes
    if (this.leftBytes >= 0) return
    const used = this.usedBytes()
    const { size } = fstatSync(this.descriptor)
    const enough = used + bytes + stepBytes
    if (size < enough) fill(this.descriptor, size, enough)
    this.leftBytes = Math.max(size, enough) - used - bytes
  }

  close(): void {
    if (!this.isClosed) closeSync(this.descriptor)
    this.isClosed = true
  }
}

/** Extends the file in which lmdb tracks its readers to its full length, without holes. */
export function prepareReaderFile(path: string): void {
  const descriptor = openSync(path, 'a+', 0o600)
  try {
    const { size } = fstatSync(descriptor)
    if (size < readerFileBytes) fill(descriptor, size, readerFileBytes)
  } finally {
    closeSync(descriptor)
  }
}

/** More than lmdb needs for the default number of readers. */
const readerFileBytes = 64 * 1024

function fill(descriptor: number, from: number, to: number): void {
  try {
    for (let at = from; at < to; ) at += writeSync(descriptor, zeros, 0, Math.min(zeros.length, to - at), at)
  } catch (error) {
    ftruncateSync(descriptor, from)
    throw error
  }
}
