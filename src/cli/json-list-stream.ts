// Reads a dump that is too large for one string, item by item.
import { wrongQuestion } from './command.ts'

const quote = 34
const backslash = 92
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

/**
 * Yields the elements of the list `items` of one JSON object, and skips its other fields. Throws a CommandError if the text is
 * not such an object or is truncated.
 */
export async function* itemsOf(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<unknown> {
  const scanner = new ItemScanner(file)
  for await (const chunk of chunks) yield* scanner.take(chunk)
  scanner.finish()
}

class ItemScanner {
  private readonly file: string
  /** Bytes of an item that started in an earlier chunk. */
  private readonly parts: Buffer[] = []
  private depth = 0
  private isInText = false
  private isEscaped = false
  /** A top-level key, as long as it may be `items`. */
  private key = ''
  private keyBytes: number[] | undefined
  private isInItems = false
  private hasItems = false
  private isDone = false

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
            yield this.item(chunk.subarray(from, at + 1))
            from = at + 1
          }
          if (this.depth === 1) this.isInItems = false
          if (this.depth === 0) this.isDone = true
      }
    }
    if (this.isInItems && this.depth > 2) this.parts.push(chunk.subarray(from))
  }

  finish(): void {
    if (!this.isDone) throw this.wrong('unexpected end of file')
    if (!this.hasItems) throw this.wrong('no list of items found')
  }

  private inText(byte: number): void {
    if (this.isEscaped) {
      this.isEscaped = false
    } else if (byte === backslash) {
      this.isEscaped = true
    } else if (byte === quote) {
      this.isInText = false
      if (this.keyBytes !== undefined) {
        this.key = String.fromCharCode(...this.keyBytes)
        this.keyBytes = undefined
      }
      return
    }
    if (this.keyBytes !== undefined && this.keyBytes.length < 64) this.keyBytes.push(byte)
  }

  private item(last: Buffer): unknown {
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
