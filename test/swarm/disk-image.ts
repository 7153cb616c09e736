import type { RandomStream } from '../../src/base/random.ts'

/** Disks write whole sectors; lmdb writes pages. The first two pages are its headers. */
const sectorBytes = 512
const pageBytes = 4096
const headerBytes = 2 * pageBytes

/** The number of the last transaction in the headers of an lmdb file. */
export function transactionOf(image: Buffer): number {
  const at = (page: number) => Number(image.readBigUInt64LE(page * pageBytes + 152))
  return Math.max(at(0), at(1))
}

/** The file without the reserved space at its end, which is empty. */
export function trimmed(file: Buffer): Buffer {
  let end = file.length
  while (end > headerBytes && file[end - 1] === 0) end--
  return Buffer.from(file.subarray(0, Math.ceil(end / pageBytes) * pageBytes))
}

/** The sectors in which two images differ. */
function changedSectors(before: Buffer, after: Buffer): readonly number[] {
  const sectors: number[] = []
  for (let at = 0; at < after.length; at += sectorBytes) {
    const old = before.subarray(at, at + sectorBytes)
    if (!old.equals(after.subarray(at, at + sectorBytes))) sectors.push(at)
  }
  return sectors
}

function written(before: Buffer, after: Buffer, sectors: readonly number[]): Buffer {
  const image = Buffer.alloc(Math.max(before.length, after.length))
  before.copy(image)
  for (const at of sectors) after.copy(image, at, at, at + sectorBytes)
  return image
}

/** A crash before the flush of the data: any of its sectors are written, in any order, and the header is not. */
export function tornData(before: Buffer, after: Buffer, random: RandomStream): Buffer {
  const data = changedSectors(before, after).filter((at) => at >= headerBytes)
  return written(
    before,
    after,
    data.filter(() => random.int(2) === 0),
  )
}

/** A crash while the header is written, after the flush of the data. */
export function tornHeader(before: Buffer, after: Buffer, random: RandomStream): Buffer {
  const all = changedSectors(before, after)
  const header = all.filter((at) => at < headerBytes)
  const reached = header.slice(0, random.int(header.length + 1))
  return written(before, after, [...all.filter((at) => at >= headerBytes), ...reached])
}

/** A disk that ignores flushes, or reorders writes across them: any sectors are written, headers too. */
export function reordered(before: Buffer, after: Buffer, random: RandomStream): Buffer {
  const share = 1 + random.int(9)
  const all = changedSectors(before, after)
  return written(
    before,
    after,
    all.filter((at) => at < headerBytes || random.int(10) < share),
  )
}

/** A disk that acknowledges a page write without doing it: the page has its earlier content. */
export function withLostPage(before: Buffer, after: Buffer, random: RandomStream): Buffer {
  const all = changedSectors(before, after)
  const pageOf = (sector: number) => Math.floor(sector / pageBytes)
  const lost = random.pick([...new Set(all.filter((at) => at >= headerBytes).map(pageOf))])
  return written(
    before,
    after,
    all.filter((at) => pageOf(at) !== lost),
  )
}

/** A disk that loses all data of a transaction, but not its header: the header points to pages of an earlier time. */
export function withLostData(before: Buffer, after: Buffer): Buffer {
  return written(
    before,
    after,
    changedSectors(before, after).filter((at) => at < headerBytes),
  )
}

export function withFlippedBits(image: Buffer, random: RandomStream): Buffer {
  const damaged = Buffer.from(image)
  for (let flips = 1 + random.int(4); flips > 0; flips--) {
    // Half of the changes are in page headers, which determine the next page that lmdb reads.
    const page = random.int(image.length / pageBytes) * pageBytes
    const at = page + (random.int(2) === 0 ? random.int(64) : random.int(pageBytes))
    damaged[at] = (damaged[at] as number) ^ (1 << random.int(8))
  }
  return damaged
}

export function truncated(image: Buffer, random: RandomStream): Buffer {
  return image.subarray(0, 1 + random.int(image.length - 1))
}
