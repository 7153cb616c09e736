import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { lookupTable } from '../base/lookup-table.ts'

/** One file of the console as it is served. */
export interface ConsoleFile {
  readonly type: string
  readonly body: Uint8Array
  readonly gzipped: Uint8Array
  readonly tag: string
}

const types = lookupTable<string>({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
})

let loaded: ReadonlyMap<string, ConsoleFile> | undefined

/** The files of the console that the build created, by their path below `/console/`; empty without a build. */
export function loadConsoleFiles(): ReadonlyMap<string, ConsoleFile> {
  loaded ??= read()
  return loaded
}

function read(): ReadonlyMap<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>()
  for (const place of ['./console', '../console', '../../dist/console']) {
    const folder = fileURLToPath(new URL(place, import.meta.url))
    let names: readonly string[]
    try {
      names = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw error
    }
    for (const path of names) {
      const shown = path.replace(/\.gz$/, '')
      const type = types[extname(shown)]
      if (type === undefined) continue
      const content = readFileSync(path)
      const isGzip = shown !== path
      const body = isGzip ? gunzipSync(content) : content
      const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 20)}"`
      const name = shown.slice(folder.length + 1).replaceAll('\\', '/')
      files.set(name, { type, body, gzipped: isGzip ? content : gzipSync(body), tag })
    }
    if (files.size > 0) return files
  }
  return files
}

/** The browser code of a page that opens from disk, which the build created; undefined without a build. */
export function loadPageCode(
  page: 'report' | 'export' = 'report',
): { readonly script: string; readonly style: string } | undefined {
  for (const place of [`./${page}`, `../${page}`, `../../dist/${page}`]) {
    const folder = fileURLToPath(new URL(place, import.meta.url))
    try {
      const text = (name: string) => gunzipSync(readFileSync(join(folder, `${name}.gz`))).toString('utf8')
      return { script: text(`${page}.js`), style: text(`${page}.css`) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}

/** Cryptographically random. */
export const unguessable = (): string => randomBytes(24).toString('base64url')
