import type { Json } from '../api/objects/meta.ts'
import type { ReleaseApi } from '../api/releases/release-api.ts'
import { forgetRecent } from '../base/recent.ts'
import { maxValues, tooManyValues } from '../base/value-limits.ts'
import { bodyLimits, loadYaml, repeatedKeys } from '../base/yaml.ts'
import { jsonProblem } from '../registry/decode/json-problem.ts'
import { maxErrorText } from '../registry/errors/field-error.ts'
import { outlineOf, parseSharing, stringEnd, TooManyMembers } from './json-text.ts'
import { mediaTypeOf } from './media.ts'
import { decodeProtobuf } from './protobuf/decode.ts'
import { protobufType } from './protobuf/render.ts'

export type DecodedBody =
  | { readonly kind: 'value'; readonly value: Json; readonly strict: readonly string[] }
  | { readonly kind: 'malformed'; readonly message: string; readonly isYaml?: true }
  | { readonly kind: 'unsupported'; readonly mediaType: string }

/** Deeper than any Kubernetes object; protects recursive parsers from a stack overflow. */
const maxDepth = 500

// Bytes that are not UTF-8 become U+FFFD, and a byte order mark is not JSON, as in Go.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A JSON or YAML body as a plain value. `__proto__` is an ordinary key. */
export function decodeBody(
  body: Uint8Array,
  contentType: string | undefined,
  supported: readonly string[],
  api: ReleaseApi,
): DecodedBody {
  forgetLargeBodies(body.length)
  const mediaType = mediaTypeOf(contentType)
  if (mediaType !== '' && !supported.includes(mediaType)) return { kind: 'unsupported', mediaType }
  if (mediaType === protobufType) {
    const decoded = decodeProtobuf(body, api)
    return decoded.kind === 'object' ? { kind: 'value', value: decoded.value, strict: [] } : decoded
  }
  const text = decoder.decode(body)
  return mediaType.endsWith('yaml') ? decodeYaml(text) : decodeJson(text)
}

const largeBytes = 16 * 1024
const maxLargeBytes = 4 * 1024 * 1024
let largeBytesRead = 0

/** Remembered large bodies are limited by length: `Recent` limits only their number. */
function forgetLargeBodies(length: number): void {
  if (length <= largeBytes) return
  largeBytesRead += length
  if (largeBytesRead <= maxLargeBytes) return
  largeBytesRead = length
  forgetRecent()
}

/** Reads the first document only, as Go's yaml does. */
function decodeYaml(text: string): DecodedBody {
  const json = text.startsWith('{') ? plainJson(text) : undefined
  if (json !== undefined) return { kind: 'value', value: json, strict: [] }
  if (yamlParts(text) > maxYamlParts) {
    const message = `yaml: exceeded max number of lines and commas of ${maxYamlParts}; larger bodies must be JSON`
    return { kind: 'malformed', message, isYaml: true }
  }
  try {
    return { kind: 'value', value: (loadYaml(text, bodyLimits)[0] ?? null) as Json, strict: [] }
  } catch (error) {
    return withRepeatedKeys(text) ?? { kind: 'malformed', message: (error as Error).message, isYaml: true }
  }
}

/** Parsing YAML takes ten times as long as parsing JSON. Clients of Kubernetes send JSON, also for server-side apply. */
const maxYamlParts = 20_000

const blockText = /^( *)[\w./-]+: *[|>][-+\d]*\r?$/
const mayHideText = /["'[\]{}&*!#]/
/** A quoted text or a flow collection that ends in its line. */
const closedText = /^ *(?:- +)*[\w./-]+: *(?:"[^"'\\#]*"|'[^"'\\#]*'|\{[^"'&*!#{}[\]]*\}|\[[^"'&*!#{}[\]]*\])\r?$/

/**
 * The number of lines and commas of a YAML text. The lines of a block scalar count as one, as long as nothing before it could
 * make it another token.
 */
function yamlParts(text: string): number {
  let parts = 0
  let isPlain = true
  let indent = -1
  for (let from = 0; from < text.length && parts <= maxYamlParts; ) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end
    const line = text.slice(from, to)
    from = to + 1
    if (indent >= 0 && (line.trim() === '' || line.startsWith(' '.repeat(indent + 1)))) continue
    indent = -1
    parts++
    for (let at = line.indexOf(','); at >= 0; at = line.indexOf(',', at + 1)) parts++
    const block = isPlain ? blockText.exec(line) : null
    if (block !== null) indent = block[1]?.length ?? 0
    else if (mayHideText.test(line) && !closedText.test(line)) isPlain = false
  }
  return parts
}

// Clients that apply send JSON, which is a subset of YAML. Reading it as JSON takes a twentieth of the time. Undefined
// for text that YAML could read differently: numbers that are not integers, escaped characters, characters that YAML
// treats as space or refuses, merge keys, and duplicate names.
function plainJson(text: string): Json | undefined {
  const outline = outlineOf(text)
  const isPlain = outline.hasPlainNumbers && outline.depth <= maxDepth && outline.values <= maxValues
  if (!isPlain || unlikeJson.test(text)) return undefined
  try {
    const { value, members } = parseSharing(text, outline)
    return members === outline.members ? value : undefined
  } catch {
    return undefined
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: YAML refuses most of them.
const unlikeJson = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\\[u/]|"<<"/

/** A document whose only problem is a duplicate key in a mapping. */
function withRepeatedKeys(text: string): DecodedBody | undefined {
  try {
    const value = (loadYaml(text, bodyLimits, 'last')[0] ?? null) as Json
    const lines = repeatedKeys(text, bodyLimits).slice(0, maxStrictErrors)
    return { kind: 'value', value, strict: [['yaml: unmarshal errors:', ...lines].join('\n  ')] }
  } catch {
    return undefined
  }
}

export function decodeJson(text: string): DecodedBody {
  const outline = outlineOf(text)
  if (outline.depth > maxDepth) return { kind: 'malformed', message: 'exceeded max depth' }
  if (outline.values > maxValues) return { kind: 'malformed', message: tooManyValues }
  try {
    const { value, members } = parseSharing(text, outline)
    const duplicates = members === outline.members ? [] : findDuplicates(text)
    return { kind: 'value', value, strict: duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`) }
  } catch (error) {
    if (error instanceof TooManyMembers) return { kind: 'malformed', message: error.message }
    return { kind: 'malformed', message: jsonProblem(text) ?? String(error) }
  }
}

// Upstream's list of strict errors ends at this number (sigs.k8s.io/json, saveStrictError).
const maxStrictErrors = 100

interface OpenValue {
  readonly path: string
  readonly keys: Set<string> | undefined
  index: number
  key: string
}

/**
 * Paths of duplicate keys in a JSON text, which JSON.parse merges silently; strict field validation reports them. The
 * text is valid JSON.
 */
export function findDuplicates(text: string): readonly string[] {
  const found = new Set<string>()
  let length = 0
  const stack: OpenValue[] = []
  let expectKey = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    const top = stack[stack.length - 1]
    if (char === '"') {
      const end = stringEnd(text, i)
      if (expectKey && top?.keys !== undefined) {
        const key = JSON.parse(text.slice(i, end + 1)) as string
        if (top.keys.has(key)) {
          const path = top.path === '' ? key : `${top.path}.${key}`
          found.add(path)
          length += path.length
          if (found.size >= maxStrictErrors || length > maxErrorText) break
        }
        top.keys.add(key)
        top.key = key
        expectKey = false
      }
      i = end
    } else if (char === '{') {
      stack.push({ path: childPath(top), keys: new Set(), index: 0, key: '' })
      expectKey = true
    } else if (char === '[') {
      stack.push({ path: childPath(top), keys: undefined, index: 0, key: '' })
      expectKey = false
    } else if (char === '}' || char === ']') stack.pop()
    else if (char === ',' && top !== undefined) {
      if (top.keys === undefined) top.index++
      else expectKey = true
    }
  }
  return [...found]
}

function childPath(frame: OpenValue | undefined): string {
  if (frame === undefined) return ''
  if (frame.keys === undefined) return `${frame.path}[${frame.index}]`
  return frame.path === '' ? frame.key : `${frame.path}.${frame.key}`
}
