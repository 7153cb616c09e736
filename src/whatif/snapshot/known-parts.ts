import { encodeJson, parseJson } from '../../base/exact-json.ts'

/** An object or list that several lines have in the same position. */
interface KnownPart {
  /** The names of members and the indices of items that lead to it. */
  readonly path: readonly (string | number)[]
  /** Its member as JSON, such as `"labels":{"app":"web"}`. */
  readonly text: string
  /** The length of the name in this text, with quotes and colon. */
  readonly nameLength: number
  readonly value: object
}

/**
 * The first character of the placeholder of a part that is not parsed. A line without this escape has no string with
 * this character.
 */
const placeholderStart = '\u0001'
const placeholderEscape = '\\u0001'

// The minimum length. Parsing a shorter text is as fast as finding it.
const shortestText = 48

const mostSkipped = 64

/**
 * Parses lines of JSON, such as the pods of a workload, whose texts are equal except for names, addresses and times. A
 * part of a line that is known from earlier lines is not parsed again: it is the same object. The result is that of
 * `parseJson`.
 *
 * A part is found by its text. In a valid line, the text is the member itself and not part of a string: the character
 * before it is `{` or `,`, so that the quote of its name opens a string.
 */
export class KnownPartParser {
  private parts: readonly KnownPart[] = []
  private last: object | undefined
  /** The number of lines from which parts are still learned. */
  private lessons = 0
  /** The number of lines to skip before parts are learned again, and the number of lines to skip the next time. */
  private skipped = 0
  private nextSkipped = 1

  parse(text: string): unknown {
    if (this.parts.length === 0 || text.includes(placeholderEscape)) {
      this.missed()
      return parseJson(text)
    }
    const found: KnownPart[] = []
    let short = ''
    let from = 0
    for (const part of this.parts) {
      const at = text.indexOf(part.text, from)
      if (at < 0 || !opensMember(text, at)) continue
      short += `${text.slice(from, at + part.nameLength)}"${placeholderEscape}${found.length}"`
      from = at + part.text.length
      found.push(part)
    }
    if (found.length < this.parts.length) this.missed()
    else if (this.lessons === 0) this.nextSkipped = 1
    if (found.length === 0) return parseJson(text)
    const value = parseJson(short + text.slice(from))
    return found.every((part, index) => put(value, part, index)) ? value : parseJson(text)
  }

  /** Learns the parts that an object of the last line shares with the previous object. */
  learn(object: object): void {
    const { last } = this
    this.last = object
    if (this.lessons === 0 || last === undefined) return
    this.lessons--
    const parts: KnownPart[] = []
    collectShared(last, object, [], parts)
    this.parts = parts
  }

  /** Records that a line differs. If lines continue to differ, parts are learned from fewer lines. */
  private missed(): void {
    if (this.skipped > 0) {
      this.skipped--
      return
    }
    if (this.lessons === 0) {
      this.skipped = this.nextSkipped - 1
      this.nextSkipped = Math.min(this.nextSkipped * 2, mostSkipped)
    }
    // The next line may share more with this line than this line shares with the previous one, which may have another
    // owner.
    this.lessons = 2
  }
}

/** Reports whether the quote in this position opens the name of a member. */
function opensMember(text: string, at: number): boolean {
  const before = text[at - 1]
  return before === '{' || before === ','
}

/** Replaces the placeholder of a part. Returns false if the placeholder is not in the position of the part. */
function put(value: unknown, { path, value: part }: KnownPart, index: number): boolean {
  let parent = value as Record<string | number, unknown>
  const last = path.length - 1
  for (let depth = 0; depth < last; depth++) {
    const inner = parent[path[depth] as string]
    if (typeof inner !== 'object' || inner === null) return false
    parent = inner as Record<string | number, unknown>
  }
  const name = path[last] as string
  if (parent[name] !== placeholderStart + index) return false
  parent[name] = part
  return true
}

function collectShared(a: object, b: object, path: readonly (string | number)[], parts: KnownPart[]): void {
  const [before, after] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const isList = Array.isArray(b)
  for (const name of Object.keys(b)) {
    if (!Object.hasOwn(a, name)) continue
    const [known, value] = [before[name], after[name]]
    if (typeof value !== 'object' || value === null || typeof known !== 'object' || known === null) continue
    const place = [...path, isList ? Number(name) : name]
    if (known !== value || isList) collectShared(known, value, place, parts)
    else addPart(name, value, place, parts)
  }
}

function addPart(name: string, value: object, path: KnownPart['path'], parts: KnownPart[]): void {
  const nameText = `${JSON.stringify(name)}:`
  const text = nameText + encodeJson(value)
  if (text.length >= shortestText) parts.push({ path, text, nameLength: nameText.length, value })
}
