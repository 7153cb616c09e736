import { lookupTable } from '../../base/lookup-table.ts'

/** The syntax error of a JSON text, with the message of Go's scanner (encoding/json); undefined for valid JSON. */
export function jsonProblem(text: string): string | undefined {
  return new Scanner(text).problem()
}

type JsonPosition = 'key' | 'first key' | 'colon' | 'value' | 'first value' | 'after member' | 'after element' | 'end'

const literals = lookupTable<string>({ t: 'true', f: 'false', n: 'null' })
const closing = { '{': '}', '[': ']' } as const

class Scanner {
  private readonly text: string
  private at = 0
  private firstProblem: string | undefined

  constructor(text: string) {
    this.text = text
  }

  problem(): string | undefined {
    const open: ('{' | '[')[] = []
    let place: JsonPosition = 'value'
    while (this.firstProblem === undefined) {
      this.skipSpace()
      const char = this.text[this.at]
      if (char === undefined) return place === 'end' ? undefined : 'unexpected end of JSON input'
      place = this.step(char, place, open)
    }
    return this.firstProblem
  }

  private step(char: string, place: JsonPosition, open: ('{' | '[')[]): JsonPosition {
    const afterValue = (): JsonPosition => {
      const top = open.at(-1)
      return top === undefined ? 'end' : top === '{' ? 'after member' : 'after element'
    }
    const top = open.at(-1)
    const closes = top !== undefined && char === closing[top]
    if (closes && (place === 'first key' || place === 'first value' || place.startsWith('after'))) {
      this.at++
      open.pop()
      return afterValue()
    }
    switch (place) {
      case 'end':
        return this.fail('after top-level value')
      case 'first key':
      case 'key':
        if (char !== '"') return this.fail('looking for beginning of object key string')
        this.string()
        return 'colon'
      case 'colon':
        if (char !== ':') return this.fail('after object key')
        this.at++
        return 'value'
      case 'after member':
      case 'after element':
        if (char !== ',') {
          return this.fail(place === 'after member' ? 'after object key:value pair' : 'after array element')
        }
        this.at++
        return place === 'after member' ? 'key' : 'value'
      default:
        if (char !== '{' && char !== '[') {
          this.scalar(char)
          return afterValue()
        }
        this.at++
        open.push(char)
        return char === '{' ? 'first key' : 'first value'
    }
  }

  private scalar(char: string): void {
    const literal = literals[char]
    if (char === '"') this.string()
    else if (literal !== undefined) this.literal(literal)
    else if (char === '-' || isDigit(char)) this.number()
    else this.fail('looking for beginning of value')
  }

  private literal(word: string): void {
    for (let i = 1; i < word.length; i++) {
      this.at++
      if (this.text[this.at] === word[i]) continue
      this.fail(`in literal ${word} (expecting ${quoted(word[i]!)})`)
      return
    }
    this.at++
  }

  private number(): void {
    if (this.text[this.at] === '-') this.at++
    if (!isDigit(this.text[this.at])) return void this.fail('in numeric literal')
    if (this.text[this.at] === '0') this.at++
    else this.digits()
    if (this.text[this.at] === '.') {
      this.at++
      if (!isDigit(this.text[this.at])) return void this.fail('after decimal point in numeric literal')
      this.digits()
    }
    if (!/[eE]/.test(this.text[this.at] ?? '')) return
    this.at++
    if (/[+-]/.test(this.text[this.at] ?? '')) this.at++
    if (!isDigit(this.text[this.at])) return void this.fail('in exponent of numeric literal')
    this.digits()
  }

  private digits(): void {
    while (isDigit(this.text[this.at])) this.at++
  }

  private string(): void {
    for (this.at++; ; this.at++) {
      const char = this.text[this.at]
      if (char === undefined || char < ' ') return void this.fail('in string literal')
      if (char === '"') break
      if (char === '\\' && !this.escape()) return
    }
    this.at++
  }

  private escape(): boolean {
    this.at++
    if (this.text[this.at] !== 'u') {
      if (/["\\/bfnrt]/.test(this.text[this.at] ?? '')) return true
      this.fail('in string escape code')
      return false
    }
    for (let i = 0; i < 4; i++) {
      this.at++
      if (/[0-9a-fA-F]/.test(this.text[this.at] ?? '')) continue
      this.fail('in \\u hexadecimal character escape')
      return false
    }
    return true
  }

  private skipSpace(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) this.at++
  }

  private fail(where: string): JsonPosition {
    const char = this.text[this.at]
    this.firstProblem =
      char === undefined ? 'unexpected end of JSON input' : `invalid character ${quoted(char)} ${where}`
    return 'end'
  }
}

const isDigit = (char: string | undefined) => char !== undefined && char >= '0' && char <= '9'

/** Quotes a character as Go's quoteChar does. */
function quoted(char: string): string {
  if (char === "'") return String.raw`'\''`
  if (char === '"') return `'"'`
  const code = char.charCodeAt(0)
  // Go reads bytes, and shows the first byte of a character as a character.
  if (code > 0x7f) return `'${String.fromCharCode(Buffer.from(char)[0] as number)}'`
  if (code >= 0x20 && code !== 0x7f) return `'${JSON.stringify(char).slice(1, -1)}'`
  const short = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' }[code]
  return short === undefined ? `'\\x${code.toString(16).padStart(2, '0')}'` : `'\\${short}'`
}
