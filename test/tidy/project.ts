// The repository as the house rules see it: files, their text without comments and strings, their imports.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

export interface Import {
  readonly specifier: string
  /** `import type`, or a list in which every name is a type: nothing of it exists at run time. */
  readonly typeOnly: boolean
  readonly line: number
}

export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string
  readonly text: string
  /** The text with comments and the contents of strings blanked out; lines and columns are kept. */
  readonly code: string
  readonly imports: readonly Import[]
  readonly isTest: boolean
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export function exists(path: string): boolean {
  return existsSync(join(root, path))
}

export function filesUnder(folder: string, matches: RegExp): readonly string[] {
  if (!exists(folder)) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => matches.test(path) && !/(^|\/)(node_modules|dist|golden|traces|results)\//.test(path))
    .sort()
}

export function foldersIn(folder: string): readonly string[] {
  if (!exists(folder)) return []
  return readdirSync(join(root, folder))
    .filter((name) => statSync(join(root, folder, name)).isDirectory())
    .sort()
}

const known = new Map<string, readonly SourceFile[]>()

/** Every TypeScript file below the folder. */
export function sourcesUnder(folder: string): readonly SourceFile[] {
  const found = known.get(folder) ?? filesUnder(folder, /\.tsx?$/).map((path) => parseSource(path, read(path)))
  known.set(folder, found)
  return found
}

export function parseSource(path: string, text: string): SourceFile {
  const { code, strings } = blank(text)
  return { path, text, code, imports: importsIn(code, strings), isTest: /\.test\.tsx?$/.test(path) }
}

/** Relative specifiers as paths from the root; packages stay as they are. */
export function resolveImport(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : specifier
}

export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

type Strings = ReadonlyMap<number, string>

/**
 * One pass over the text that knows comments, strings, template literals and regular expressions. Blanked characters
 * become spaces, so positions stay valid; quotes are kept, and the contents of strings are remembered by where they begin.
 */
function blank(text: string): { readonly code: string; readonly strings: Strings } {
  const out = text.split('')
  const strings = new Map<number, string>()
  const erase = (from: number, to: number) => {
    for (let at = from; at < to; at++) if (out[at] !== '\n') out[at] = ' '
  }
  // Each entry is a depth of braces at which a `}` returns to the template literal around it.
  const templates: number[] = []
  let braces = 0
  let at = 0
  const skipTemplate = (from: number) => {
    let to = from
    while (to < text.length && text[to] !== '`' && !(text[to] === '$' && text[to + 1] === '{'))
      to += text[to] === '\\' ? 2 : 1
    erase(from, to)
    if (text[to] === '$') {
      templates.push(braces++)
      return to + 2
    }
    return to + 1
  }
  while (at < text.length) {
    const two = text.slice(at, at + 2)
    const one = text[at]
    if (two === '//' || two === '/*') {
      const end = two === '//' ? text.indexOf('\n', at) : text.indexOf('*/', at) + 2
      const to = end < 2 ? text.length : end
      erase(at, to)
      at = to
    } else if (one === "'" || one === '"') {
      let to = at + 1
      while (to < text.length && text[to] !== one && text[to] !== '\n') to += text[to] === '\\' ? 2 : 1
      strings.set(at, text.slice(at + 1, to))
      erase(at + 1, to)
      at = to + 1
    } else if (one === '`') {
      at = skipTemplate(at + 1)
    } else if (one === '/' && startsRegExp(out, at)) {
      let to = at + 1
      let inClass = false
      while (to < text.length && text[to] !== '\n' && (inClass || text[to] !== '/')) {
        if (text[to] === '[') inClass = true
        if (text[to] === ']') inClass = false
        to += text[to] === '\\' ? 2 : 1
      }
      erase(at + 1, to)
      at = to + 1
    } else {
      if (one === '{') braces++
      if (one === '}' && templates.at(-1) === --braces) {
        templates.pop()
        at = skipTemplate(at + 1)
        continue
      }
      at++
    }
  }
  return { code: out.join(''), strings }
}

/** A slash divides after a value and starts a regular expression after anything else. */
function startsRegExp(out: readonly string[], at: number): boolean {
  const before = out
    .slice(Math.max(0, at - 40), at)
    .join('')
    .trimEnd()
  return (
    before === '' ||
    /[(,=:[!&|?{};+\-*%<>~^]$|\b(return|typeof|case|in|of|else|do|void|throw|await|yield)$/.test(before)
  )
}

function importsIn(code: string, strings: Strings): readonly Import[] {
  const statement = /\b(?:import|export)\b([^'";]*?\bfrom\s*|\s*|\s*\(\s*)(?=['"])/g
  return [...code.matchAll(statement)].flatMap((match) => {
    const specifier = strings.get(match.index + match[0].length)
    if (specifier === undefined) return []
    return [{ specifier, typeOnly: isTypeOnly(match[1]!), line: lineAt(code, match.index) }]
  })
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true
  const names = /^\s*\{([^}]*)\}\s*from\s*$/.exec(clause)?.[1]
  if (names === undefined) return false
  const list = names.split(',').filter((name) => name.trim() !== '')
  return list.length > 0 && list.every((name) => /^\s*type\s/.test(name))
}
