// Reads a dump that is too large for one string, item by item.
import type { Fields, MutableFields } from '../base/fields.ts'
import { wrongQuestion } from './command.ts'

const quote = 34
const backslash = 92
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93
const colon = 58
const comma = 44

/**
 * Yields the elements of the list `items` of one JSON object or several in a row, and skips its other fields. Items of a typed list
 * get their apiVersion and kind from it; items that are lists are flattened. Throws a CommandError if the text is not such an object
 * or is truncated.
 */
export async function* itemsOf(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<unknown> {
  const scanner = new ItemScanner(file)
  for await (const chunk of chunks) for (const item of scanner.take(chunk)) yield* flattened(item)
  scanner.finish()
}

function* flattened(item: unknown): Generator<unknown> {
  const { kind, apiVersion, items } = (item ?? {}) as Fields
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) yield item
  else for (const inner of items) yield* flattened(typed(inner, { apiVersion, kind }))
}

/** The items of a NodeList are Nodes. */
function typed(item: unknown, { apiVersion, kind }: Fields): unknown {
  if (typeof kind !== 'string' || kind === 'List' || typeof item !== 'object' || item === null) return item
  return { apiVersion, kind: kind.replace(/List$/, ''), ...item }
}

class ItemScanner {
  private readonly file: string
  /** Bytes of an item that started in an earlier chunk. */
  private readonly parts: Buffer[] = []
  private depth = 0
  private isInText = false
  private isEscaped = false
  /** The current top-level key, while it can still be `items`. */
  private key = ''
  private keyBytes: number[] | undefined
  /** The key of a field has been read; its value follows. */
  private isValue = false
  /** The fields kind and apiVersion of the list. */
  private readonly type: MutableFields = {}
  /** Items without a kind that precede the kind of the list. */
  private readonly untyped: unknown[] = []
  private isInItems = false
  private hasItems = false

  constructor(file: string) {
    this.file = file
  }

  *take(chunk: Buffer): Generator<unknown> {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (this.isInText) {
        this.inText(byte)
        continue
      }
      switch (byte) {
        case quote:
          this.isInText = true
          if (this.depth === 1) this.keyBytes = []
          break
        case openBrace:
        case openBracket:
          if (this.depth === 0 && byte !== openBrace) throw this.wrong('expected an object')
          if (this.depth === 1 && byte === openBracket && this.key === 'items') {
            this.isInItems = true
            this.hasItems = true
          }
          if (this.isInItems && this.depth === 2) from = at
          this.depth++
          break
        case closeBrace:
        case closeBracket:
          this.depth--
          if (this.depth < 0) throw this.wrong('unbalanced brackets')
          if (this.isInItems && this.depth === 2) {
            yield* this.item(chunk.subarray(from, at + 1))
            from = at + 1
          }
          if (this.depth === 1) this.isInItems = false
          if (this.depth === 0) yield* this.end()
          break
        case colon:
        case comma:
          if (this.depth === 1) this.isValue = byte === colon
      }
    }
    if (this.isInItems && this.depth > 2) this.parts.push(chunk.subarray(from))
  }

  finish(): void {
    if (this.depth > 0) throw this.wrong('unexpected end of file')
  }

  private inText(byte: number): void {
    if (this.isEscaped) {
      this.isEscaped = false
    } else if (byte === backslash) {
      this.isEscaped = true
    } else if (byte === quote) {
      this.isInText = false
      if (this.keyBytes !== undefined) {
        const text = String.fromCharCode(...this.keyBytes)
        if (!this.isValue) this.key = text
        else if (this.key === 'kind' || this.key === 'apiVersion') this.type[this.key] = text
        this.keyBytes = undefined
      }
      return
    }
    if (this.keyBytes !== undefined && this.keyBytes.length < 64) this.keyBytes.push(byte)
  }

  /** Another object may follow. */
  private *end(): Generator<unknown> {
    if (!this.hasItems) throw this.wrong('no list of items found')
    this.hasItems = false
    this.isValue = false
    for (const item of this.untyped) yield typed(item, this.type)
    this.untyped.length = 0
    this.type['kind'] = undefined
  }

  private *item(last: Buffer): Generator<unknown> {
    const item = this.parsed(last)
    if (typeof (item as Fields)['kind'] === 'string') yield item
    else if (this.type['kind'] === undefined || this.type['apiVersion'] === undefined) this.untyped.push(item)
    else yield typed(item, this.type)
  }

  private parsed(last: Buffer): unknown {
    const bytes = this.parts.length === 0 ? last : Buffer.concat([...this.parts, last])
    this.parts.length = 0
    try {
      return JSON.parse(bytes.toString('utf8'))
    } catch {
      throw this.wrong('an item is not valid JSON')
    }
  }

  private wrong(why: string): Error {
    return wrongQuestion(`${this.file} is not valid JSON: ${why}`)
  }
}
