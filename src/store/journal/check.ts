import { BitSet } from '../../base/bit-set.ts'

export interface JournalBytes {
  readonly size: number
  read(offset: number, length: number): Buffer
}

/*
 * lmdb maps its file into memory and follows page numbers without validation: a truncated or overwritten file ends the
 * process with a signal, not with an error. Therefore every reachable page is validated first, through plain reads. The
 * layout is that of lmdb's data version 2 (mdb.c: MDB_page_header, MDB_meta, MDB_db, MDB_node, MDB_ovpage).
 */
const magic = 0xbeefc0de
const dataVersion = 2
const pageHeaderBytes = 24
const nodeHeaderBytes = 8
const treeBytes = 48
/** Integer keys in the table of free pages, and a single file instead of a directory. */
const environmentFlags = 0x4008
const pageFlags = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 }
const nodeFlags = { overflow: 0x01, tree: 0x02, duplicates: 0x04 }

interface CheckedTree {
  readonly depth: number
  readonly entries: number
  /** `undefined` for an empty tree. */
  readonly root: number | undefined
}

interface Meta {
  readonly pageBytes: number
  readonly free: CheckedTree
  readonly main: CheckedTree
  readonly lastPage: number
  readonly transaction: number
}

/** The name of the table of states. */
export const stateTable = 'state'

class Damage extends Error {}

/** Returns the damage of a journal file, or `undefined` if it can be opened. An empty file is a new journal. */
export function findDamage(bytes: JournalBytes): string | undefined {
  if (bytes.size === 0) return undefined
  try {
    const walk = new Walk(bytes, readMeta(bytes))
    walk.run()
    return undefined
  } catch (error) {
    if (error instanceof Damage) return error.message
    // A length or an offset in the file points outside of its page.
    if (error instanceof RangeError) return 'one of its pages is truncated'
    throw error
  }
}

function readMeta(bytes: JournalBytes): Meta {
  const even = readMetaAt(bytes, 0)
  const odd = readMetaAt(bytes, even.pageBytes)
  if (odd.pageBytes !== even.pageBytes) throw new Damage('its two headers do not match')
  // Transactions alternate between the headers, so they are one transaction apart; both are 0 before the first.
  const isBefore = odd.transaction === 0 && even.transaction === 0
  const isApart = Math.abs(odd.transaction - even.transaction) === 1 && even.transaction % 2 === 0
  if (!isBefore && !isApart) throw new Damage('one of its two headers has an unexpected transaction number')
  return even.transaction > odd.transaction ? even : odd
}

function readMetaAt(bytes: JournalBytes, offset: number): Meta {
  const length = pageHeaderBytes + 8 + 2 * 8 + 2 * treeBytes + 2 * 8
  if (offset + length > bytes.size) throw new Damage('it is shorter than its header')
  const page = bytes.read(offset, length)
  const isMeta = (page.readUInt16LE(18) & pageFlags.meta) !== 0 && page.readUInt32LE(pageHeaderBytes) === magic
  if (!isMeta) throw new Damage('it is not an lmdb file')
  const version = page.readUInt32LE(pageHeaderBytes + 4) & 0xffff
  if (version !== dataVersion) throw new Damage(`its lmdb data version is ${version}; expected ${dataVersion}`)
  const pageBytes = page.readUInt32LE(48)
  if (pageBytes < 256 || pageBytes > 65536 || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new Damage(`its page size ${pageBytes} is invalid`)
  }
  return {
    pageBytes,
    free: readTree(page, 48, environmentFlags),
    main: readTree(page, 48 + treeBytes, 0),
    lastPage: readNumber(page, 144),
    transaction: readNumber(page, 152),
  }
}

function readTree(page: Buffer, offset: number, flags: number): CheckedTree {
  if (page.readUInt16LE(offset + 4) !== flags) throw new Damage('a table has unexpected flags')
  const isEmpty = page.readUInt32LE(offset + 40) === 0xffffffff && page.readUInt32LE(offset + 44) === 0xffffffff
  return {
    depth: page.readUInt16LE(offset + 6),
    entries: readNumber(page, offset + 32),
    root: isEmpty ? undefined : readNumber(page, offset + 40),
  }
}

function readNumber(page: Buffer, offset: number): number {
  return page.readUInt32LE(offset) + page.readUInt32LE(offset + 4) * 2 ** 32
}

function keyOf(page: Buffer, offset: number): Buffer {
  const from = offset + nodeHeaderBytes
  return page.subarray(from, from + page.readUInt16LE(offset + 6))
}

/** lmdb stores the name of a table with or without a terminating zero. */
const isStateTable = (key: Buffer): boolean => key.toString('latin1').replace(/\0$/, '') === stateTable

/**
 * Keys increase from record to record; the key of a branch is greater than the keys before it and not greater than the
 * keys after it.
 */
class KeyOrder {
  private record: Buffer | undefined
  private branch: Buffer | undefined

  admits(key: Buffer, kind: number): boolean {
    const isAfterRecord = this.record === undefined || key.compare(this.record) > 0
    const isAfterBranch = this.branch === undefined || key.compare(this.branch) >= 0
    if (kind === pageFlags.branch) this.branch = key
    else this.record = key
    return isAfterRecord && isAfterBranch
  }
}

class Walk {
  private readonly bytes: JournalBytes
  private readonly meta: Meta
  private readonly taken: BitSet
  /** The roots of the tables that every transaction of the journal writes. */
  private readonly changed: number[] = []

  constructor(bytes: JournalBytes, meta: Meta) {
    this.bytes = bytes
    this.meta = meta
    if (meta.lastPage > 2 ** 31) throw new Damage(`its page count ${meta.lastPage} is invalid`)
    // Pages beyond the end of the file may be free, but none of them can be in use.
    this.taken = new BitSet(Math.ceil(bytes.size / meta.pageBytes))
  }

  run(): void {
    const freeLists: Buffer[] = []
    this.tree(this.meta.free, (list) => freeLists.push(list), 'the list of free pages')
    this.tree(this.meta.main, undefined, 'the main table')
    this.checkAge()
    for (const list of freeLists) this.freeList(list)
  }

  /**
   * Every transaction of the journal changes its state, and therefore writes the root pages of the table of states and
   * of the main table. Both are checked, because a partly written page may have a new header and old records.
   */
  private checkAge(): void {
    const { main, pageBytes, transaction } = this.meta
    if (main.root !== undefined) this.changed.push(main.root)
    for (const root of this.changed) {
      const age = readNumber(this.bytes.read(root * pageBytes, pageHeaderBytes), 8)
      if (age !== transaction) throw new Damage(`its content is of transaction ${age}; expected ${transaction}`)
    }
  }

  /** `onRecord` gets the value of every record; without it, records that are trees are walked too. */
  private tree(tree: CheckedTree, onRecord: ((value: Buffer) => void) | undefined, name: string): void {
    let entries = 0
    const order = new KeyOrder()
    const visit = (number: number, depth: number): void => {
      const page = this.take(number, 1)
      const kind = page.readUInt16LE(18)
      if (kind !== (depth === tree.depth ? pageFlags.leaf : pageFlags.branch)) {
        throw new Damage(`page ${number} of ${name} has an unexpected type`)
      }
      for (const [index, offset] of this.nodes(page, number).entries()) {
        // The first child of a branch has no key. Free lists have numeric keys in their own order.
        const isKeyed = onRecord === undefined && !(kind === pageFlags.branch && index === 0)
        if (isKeyed && !order.admits(keyOf(page, offset), kind))
          throw new Damage(`page ${number} has keys out of order`)
        if (kind === pageFlags.branch) {
          visit(page.readUInt32LE(offset) + page.readUInt16LE(offset + 4) * 2 ** 32, depth + 1)
        } else {
          entries++
          this.leafNode(page, number, offset, onRecord)
        }
      }
    }
    if (tree.root !== undefined) visit(tree.root, 1)
    if (entries !== tree.entries) throw new Damage(`${name} has ${entries} records; expected ${tree.entries}`)
  }

  private leafNode(
    page: Buffer,
    number: number,
    offset: number,
    onRecord: ((value: Buffer) => void) | undefined,
  ): void {
    const flags = page.readUInt16LE(offset + 4)
    const valueBytes = page.readUInt32LE(offset)
    const valueOffset = offset + nodeHeaderBytes + page.readUInt16LE(offset + 6)
    const isOverflow = (flags & nodeFlags.overflow) !== 0
    const inlineBytes = isOverflow ? 24 : valueBytes
    if ((flags & nodeFlags.duplicates) !== 0 || valueOffset + inlineBytes > this.meta.pageBytes) {
      throw new Damage(`page ${number} has a record that exceeds the page`)
    }
    if (isOverflow) {
      // A record that was shortened within its transaction keeps its pages.
      const pages = readNumber(page, valueOffset + 16)
      const needed = Math.floor((pageHeaderBytes - 1 + valueBytes) / this.meta.pageBytes) + 1
      if (pages < needed || pages > this.meta.lastPage) throw new Damage(`page ${number} has a truncated record`)
      const overflow = readNumber(page, valueOffset)
      const first = this.take(overflow, pages)
      const isAgreed =
        first.readUInt16LE(18) === pageFlags.overflow &&
        first.readUInt32LE(20) === pages &&
        readNumber(page, valueOffset + 8) <= this.meta.transaction
      if (!isAgreed) {
        throw new Damage(`page ${overflow} is not the overflow page that page ${number} refers to`)
      }
      onRecord?.(this.bytes.read(overflow * this.meta.pageBytes + pageHeaderBytes, valueBytes))
    } else if (onRecord !== undefined) {
      onRecord(page.subarray(valueOffset, valueOffset + valueBytes))
    } else if ((flags & nodeFlags.tree) !== 0) {
      if (valueBytes !== treeBytes) throw new Damage(`page ${number} has a table description of ${valueBytes} bytes`)
      const table = readTree(page, valueOffset, 0)
      if (table.root !== undefined && isStateTable(keyOf(page, offset))) this.changed.push(table.root)
      this.tree(table, undefined, 'a table')
    }
  }

  /** The offsets of a page's nodes, whose keys must be within the page. */
  private nodes(page: Buffer, number: number): number[] {
    const { pageBytes } = this.meta
    const lower = page.readUInt16LE(20)
    const upper = page.readUInt16LE(22)
    if (lower > upper || upper > pageBytes - pageHeaderBytes || lower < 2 || lower % 2 !== 0) {
      throw new Damage(`page ${number} has an invalid layout`)
    }
    const offsets: number[] = []
    for (let pointer = pageHeaderBytes; pointer < pageHeaderBytes + lower; pointer += 2) {
      const offset = page.readUInt16LE(pointer) + pageHeaderBytes
      const isInside = offset >= upper + pageHeaderBytes && offset + nodeHeaderBytes <= pageBytes
      if (!isInside || offset + nodeHeaderBytes + page.readUInt16LE(offset + 6) > pageBytes) {
        throw new Damage(`page ${number} has a record that exceeds the page`)
      }
      offsets.push(offset)
    }
    return offsets
  }

  /** Claims `count` consecutive pages, which no other part may use. */
  private take(number: number, count: number): Buffer {
    const { pageBytes, lastPage } = this.meta
    if (number < 2 || number + count - 1 > lastPage) throw new Damage(`it refers to page ${number} of ${lastPage}`)
    if ((number + count) * pageBytes > this.bytes.size) {
      throw new Damage(`page ${number} is beyond the end of the file: the file is truncated`)
    }
    for (let page = number; page < number + count; page++) this.claim(page)
    const page = this.bytes.read(number * pageBytes, pageBytes)
    if (readNumber(page, 0) !== number) throw new Damage(`page ${number} has the number of another page`)
    // lmdb would change a page of a later transaction in place.
    if (readNumber(page, 8) > this.meta.transaction)
      throw new Damage(`page ${number} has a transaction number from the future`)
    return page
  }

  private claim(page: number): void {
    if (this.taken.has(page)) throw new Damage(`page ${page} is used twice`)
    this.taken.set(page)
  }

  /** A count, then entries: a page number, 0 for none, or a negative length followed by the first page of a run. */
  private freeList(list: Buffer): void {
    if (list.length < 8) throw new Damage('a list of free pages is truncated')
    const count = readNumber(list, 0)
    if (list.length % 8 !== 0 || (count + 1) * 8 > list.length) throw new Damage('a list of free pages is truncated')
    for (let index = 1; index <= count; index++) {
      const entry = Number(list.readBigInt64LE(index * 8))
      if (entry === 0) continue
      const run = entry < 0 ? -entry : 1
      if (entry < 0 && ++index > count) throw new Damage('a list of free pages is truncated')
      const first = entry < 0 ? readNumber(list, index * 8) : entry
      if (first < 2 || first + run - 1 > this.meta.lastPage) throw new Damage(`page ${first} cannot be free`)
      for (let page = first; page < first + run; page++) this.claim(page)
    }
  }
}
