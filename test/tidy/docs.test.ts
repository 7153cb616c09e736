import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exists, filesUnder, read, root } from './project.ts'

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].filter(exists),
  ...['docs', 'examples', 'bench', 'web', 'test'].flatMap((folder) => filesUnder(folder, /\.md$/)),
]

/** Links and images, without those in code. */
function linksIn(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map((match) => match[1]!)
}

/** The anchor that GitHub generates for a heading. */
function anchorsIn(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6}\s+(.+)$/gm)]
  return new Set(
    headings.map((match) =>
      match[1]!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  )
}

function deadLinks(page: string): readonly string[] {
  return linksIn(read(page))
    .filter((link) => !/^[a-z]+:/i.test(link))
    .flatMap((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), decodeURIComponent(path))
      if (target.startsWith('..') || !existsSync(join(root, target)))
        return [`${page} links to ${link}, which is not there`]
      if (anchor === undefined || !target.endsWith('.md') || anchorsIn(read(target)).has(anchor)) return []
      return [`${page} links to ${link}, but ${target} has no such heading`]
    })
}

/** Links such as [`NodeMonitor.runPass`](node-monitor.ts), whose names the file does not declare. */
function undeclaredNames(page: string): readonly string[] {
  const links = [...read(page).matchAll(/\[`([\w.]+)`\]\(([^)\s]+\.tsx?)\)/g)]
  return links.flatMap(([, names = '', link = '']) => {
    const target = join(dirname(page), link)
    if (!exists(target)) return []
    const missing = names.split('.').filter((name) => !declares(read(target), name))
    return missing.map((name) => `${page} links to ${name} in ${link}, which does not declare it`)
  })
}

function declares(source: string, name: string): boolean {
  const declaration = String.raw`^(export )?(async )?(function|class|interface|type|const) ${name}\b`
  const member = String.raw`^ +((private|static|async|get) )*${name}(<[^(]*>)?\(`
  return new RegExp(`${declaration}|${member}`, 'm').test(source)
}

describe('documentation', () => {
  test('the documentation has all required pages', () => {
    const wanted = [
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'LICENSE',
      'docs/architecture.md',
      'docs/compatibility.md',
    ]
    expect(wanted.filter((page) => !exists(page))).toEqual([])
  })

  test('the documentation has no dead links', () => {
    expect(pages.flatMap(deadLinks)).toEqual([])
  })

  test('links to functions, classes and methods that the linked source file declares', () => {
    expect(pages.flatMap(undeclaredNames)).toEqual([])
    expect(declares('function a() {}\nclass B {\n  private c(): void {}\n}', 'c')).toBe(true)
    expect(declares('function a() {}\nb.c()', 'c')).toBe(false)
  })

  test('every "matches" in docs/compatibility.md names its test, and the test exists', () => {
    const rows = read('docs/compatibility.md')
      .split('\n')
      .filter((line) => /^\|[^|]*\|\s*matches\s*\|/.test(line))
    const unproven = rows.filter((row) => {
      const tests = [
        ...row
          .split('|')
          .at(-2)!
          .matchAll(/`([^`]+)`/g),
      ].map((match) => match[1]!)
      return tests.length === 0 || tests.some((path) => !exists(path))
    })
    expect(unproven).toEqual([])
  })

  test('decisions are numbered without gaps', () => {
    const numbers = filesUnder('docs/decisions', /\/\d{4}-[a-z0-9-]+\.md$/).map((path) =>
      Number(/\/(\d{4})-/.exec(path)![1]),
    )
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    expect(numbers.length).toBeGreaterThan(0)
  })
})
