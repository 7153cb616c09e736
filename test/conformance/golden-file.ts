import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export interface GoldenCase {
  readonly id: string
  readonly given: unknown
  readonly want: unknown
}

export interface GoldenFile {
  readonly area: string
  readonly path: string
}

/** The question was wrong: no such folder, no vectors in it, a line that cannot be read. */
export class GoldenError extends Error {
  override readonly name = 'GoldenError'
}

const ENDING = /\.jsonl(\.gz)?$/

export function findGoldenFiles(folder: string): GoldenFile[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    throw new GoldenError(`${folder}: no such folder of golden vectors`)
  }
  const files = names.filter((name) => ENDING.test(name)).sort()
  if (files.length === 0) throw new GoldenError(`${folder}: holds no *.jsonl.gz`)
  return files.map((name) => ({ area: name.replace(ENDING, ''), path: join(folder, name) }))
}

export function readGoldenFile(path: string): GoldenCase[] {
  let text: string
  try {
    const bytes = readFileSync(path)
    text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  } catch (error) {
    throw new GoldenError(`${path}: cannot be read: ${(error as Error).message}`)
  }
  return text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [readLine(line, `${path}:${i + 1}`)]))
}

function readLine(line: string, place: string): GoldenCase {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch (error) {
    throw new GoldenError(`${place}: not JSON: ${(error as Error).message}`)
  }
  if (typeof parsed !== 'object' || parsed === null || !('given' in parsed) || !('want' in parsed)) {
    throw new GoldenError(`${place}: not an object with "given" and "want"`)
  }
  const { given, want } = parsed
  const id = typeof given === 'object' && given !== null && 'id' in given ? String(given.id) : place
  return { id, given, want }
}
