import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { releaseOf } from '../../src/api/releases/release-of.ts'

export interface GoldenCase {
  readonly id: string
  readonly given: unknown
  readonly want: unknown
}

export interface GoldenFile {
  readonly area: string
  readonly path: string
  /** The area, after the folder of its release where it is in one: `v1.35/schedule`. */
  readonly name: string
  readonly release: KubernetesRelease
}

/** The input is invalid: the folder does not exist, has no vectors, or has an invalid line. */
export class GoldenError extends Error {
  override readonly name = 'GoldenError'
}

const ending = /\.jsonl(\.gz)?$/

const releasePattern = /^v\d+\.\d+$/

/**
 * The vectors of a folder and of its folders that are named after a release, such as `v1.35`. Files outside such a folder
 * are of v1.36.
 */
export function findGoldenFiles(folder: string): GoldenFile[] {
  const name = basename(resolve(folder))
  const files = releasePattern.test(name)
    ? filesOf(folder, releaseNamed(name, folder), `${name}/`)
    : [
        ...filesOf(folder, releaseNamed('v1.36', folder), ''),
        ...namesIn(folder)
          .filter((child) => releasePattern.test(child))
          .flatMap((child) => {
            const path = join(folder, child)
            return filesOf(path, releaseNamed(child, path), `${child}/`)
          }),
      ]
  if (files.length === 0) throw new GoldenError(`${folder}: holds no *.jsonl.gz`)
  return files
}

function filesOf(folder: string, release: KubernetesRelease, prefix: string): GoldenFile[] {
  return namesIn(folder)
    .filter((name) => ending.test(name))
    .map((name) => {
      const area = name.replace(ending, '')
      return { area, path: join(folder, name), name: `${prefix}${area}`, release }
    })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    throw new GoldenError(`${folder}: no such folder of golden vectors`)
  }
}

function releaseNamed(version: string, folder: string): KubernetesRelease {
  const release = releaseOf(version)
  if (!release.ok) throw new GoldenError(`${folder}: ${release.message}`)
  return release.value
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
