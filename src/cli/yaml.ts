// Reads Kubernetes objects from files, folders and standard input, with their source.
import { join } from 'node:path'
import { parseJson as parseExactly } from '../base/exact-json.ts'
import { fileLimits, loadYaml, YamlError } from '../base/yaml.ts'
import { type Ports, wrongQuestion } from './command.ts'

export interface Source {
  readonly file: string
  /** Counted from 1; documents without content are not counted. */
  readonly document: number
  /** The first line of the document, counted from 1. */
  readonly line: number
  /** Position in a `List`, counted from 0. */
  readonly item?: number
}

export interface SourcedObject {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown }
  readonly source: Source
}

/** `web.yaml:12: document 2, item 3` */
export function describeSource({ file, line, document, item }: Source): string {
  return `${file}:${line}: document ${document}${item === undefined ? '' : `, item ${item}`}`
}

/** Reads every path: a file, a folder (its .yaml, .yml and .json files in name order), or `-` for standard input. */
export async function readObjects(
  paths: readonly string[],
  ports: Pick<Ports, 'files' | 'readStdin'>,
  { recursive = false }: { readonly recursive?: boolean } = {},
): Promise<readonly SourcedObject[]> {
  const objects: SourcedObject[] = []
  for (const path of paths) {
    if (path === '-') {
      objects.push(...parseObjects(await ports.readStdin(), 'standard input'))
      continue
    }
    switch (await ports.files.kindOf(path)) {
      case 'absent':
        throw wrongQuestion(`${path}: no such file or directory`)
      case 'file':
        objects.push(...parseObjects(await ports.files.readText(path), path))
        break
      case 'folder': {
        const files = await manifestsIn(path, ports, recursive)
        if (files.length === 0) throw wrongQuestion(`${path}: no .yaml, .yml or .json file in this directory`)
        for (const file of files) objects.push(...parseObjects(await ports.files.readText(file), file))
      }
    }
  }
  return objects
}

async function manifestsIn(folder: string, ports: Pick<Ports, 'files'>, recursive: boolean): Promise<string[]> {
  const found: string[] = []
  for (const name of await ports.files.list(folder)) {
    const path = join(folder, name)
    const kind = await ports.files.kindOf(path)
    if (kind === 'folder' && recursive) found.push(...(await manifestsIn(path, ports, recursive)))
    if (kind === 'file' && /\.(ya?ml|json)$/i.test(name)) found.push(path)
  }
  return found
}

/** Parses YAML or JSON with any number of documents. Throws a CommandError that names file, line and document. */
export function parseObjects(text: string, file: string): readonly SourcedObject[] {
  return parseDocuments(text, file).flatMap(({ value, source }) => flattenList(value, source))
}

interface ParsedDocument {
  readonly value: unknown
  readonly source: Source
}

/** Parses documents that need not be Kubernetes objects. */
export function parseDocuments(text: string, file: string): readonly ParsedDocument[] {
  const content = text.startsWith('\ufeff') ? text.slice(1) : text
  // JSON is valid YAML, but JSON.parse is about twenty times faster on a large dump.
  if (/^\s*[{[]/.test(content)) {
    const json = parseJsonStream(content, file)
    if (json.kind === 'parsed') return json.documents
    if (/\.json$/i.test(file)) throw json.error
    try {
      return parseYaml(content, file)
    } catch {
      throw json.error
    }
  }
  return parseYaml(content, file)
}

function parseYaml(text: string, file: string): readonly ParsedDocument[] {
  const documents: ParsedDocument[] = []
  for (const part of splitYaml(text)) {
    for (const value of loadPart(part, file, documents.length + 1)) {
      if (value === null) continue
      documents.push({ value, source: { file, document: documents.length + 1, line: part.line } })
    }
  }
  return documents
}

interface Part {
  readonly text: string
  readonly line: number
}

/** Splits at `---` in the first column, which YAML reserves for this purpose. The line of a part is the line of its first content. */
function splitYaml(text: string): readonly Part[] {
  const lines = text.split('\n')
  const starts = [0, ...lines.flatMap((line, at) => (/^---(\s|$)/.test(line) ? [at] : []))]
  return starts.flatMap((start, at) => {
    const part = lines.slice(start, starts[at + 1] ?? lines.length)
    const first = part.findIndex((line) => !/^(---)?\s*(#.*)?$/.test(line))
    return first < 0 ? [] : [{ text: part.slice(first).join('\n'), line: start + first + 1 }]
  })
}

function loadPart(part: Part, file: string, document: number): readonly unknown[] {
  try {
    return loadYaml(part.text, fileLimits)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const line = part.line + error.line
    throw wrongQuestion(`${describeSource({ file, line, document })} is not valid YAML: ${error.reason}`)
  }
}

type JsonStream =
  | { readonly kind: 'parsed'; readonly documents: readonly ParsedDocument[] }
  | { readonly kind: 'failed'; readonly error: Error }

/** One JSON value, or several in a row as jq prints them. */
function parseJsonStream(text: string, file: string): JsonStream {
  const documents: ParsedDocument[] = []
  let from = 0
  while (from < text.length) {
    const source = { file, document: documents.length + 1, line: lineAt(text, firstContent(text, from)) }
    let value = parseJson(text.slice(from))
    let end = text.length
    if (value.kind === 'failed' && value.at !== undefined) {
      // The value may be complete and followed by another one.
      const whole = parseJson(text.slice(from, from + value.at))
      if (whole.kind === 'parsed') {
        end = from + value.at
        value = whole
      }
    }
    if (value.kind === 'failed') {
      const line = lineAt(text, from + (value.at ?? text.length - from))
      const reason = value.at === undefined ? 'unexpected end of input; the file may be incomplete' : value.reason
      const place = describeSource({ ...source, line })
      return { kind: 'failed', error: wrongQuestion(`${place} is not valid JSON: ${reason}`) }
    }
    documents.push({ value: value.value, source })
    from = firstContent(text, end)
  }
  return { kind: 'parsed', documents }
}

type JsonAttempt =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly reason: string; readonly at: number | undefined }

function parseJson(text: string): JsonAttempt {
  try {
    return { kind: 'parsed', value: parseExactly(text) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /^(.*?)(?: in JSON)? at position (\d+)/s.exec(message)
    const at = position === null || Number(position[2]) >= text.trimEnd().length ? undefined : Number(position[2])
    const reason = (position?.[1] ?? message).replaceAll(/\s+/g, ' ')
    return { kind: 'failed', reason: reason.charAt(0).toLowerCase() + reason.slice(1), at }
  }
}

function firstContent(text: string, from: number): number {
  const content = /\S/g
  content.lastIndex = from
  return content.exec(text)?.index ?? text.length
}

function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}

function flattenList(value: unknown, source: Source): readonly SourcedObject[] {
  const object = requireObject(value, source)
  if (!object.kind.endsWith('List') || !Array.isArray(object['items'])) return [{ object, source }]
  const itemKind = object.kind.slice(0, -'List'.length)
  return object['items'].flatMap((item: unknown, at) => {
    // Items of typed lists have no apiVersion and kind; they follow from the list.
    const typed = itemKind !== '' && isMapping(item) ? { apiVersion: object.apiVersion, kind: itemKind, ...item } : item
    return flattenList(typed, { ...source, item: at })
  })
}

function requireObject(value: unknown, source: Source): SourcedObject['object'] {
  const place = describeSource(source)
  if (!isMapping(value)) throw wrongQuestion(`${place} is ${describeValue(value)}, not a Kubernetes object`)
  for (const field of ['apiVersion', 'kind'] as const) {
    if (typeof value[field] !== 'string' || value[field] === '') {
      throw wrongQuestion(`${place}: ${field} is missing; a Kubernetes object has apiVersion and kind`)
    }
  }
  return value as SourcedObject['object']
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : `a ${typeof value}`
}
