import { describe, expect, test } from 'vitest'
import { bannedModules, bans, portFiles, portsOf } from './banned-names.ts'
import { lineAt, parseSource, type SourceFile, sourcesUnder } from './project.ts'

function bannedIn(file: SourceFile): readonly string[] {
  const ports = portsOf(file.path)
  const names = bans
    .filter((ban) => !ports.has(ban.port))
    .flatMap((ban) => {
      const match = ban.pattern.exec(file.code)
      return match === null
        ? []
        : [`${file.path}:${lineAt(file.code, match.index)} names ${ban.name}; use ${ban.instead}`]
    })
  const modules = file.imports.flatMap(({ specifier, typeOnly, line }) =>
    bannedModules
      .filter((ban) => !typeOnly && ban.pattern.test(specifier) && !ports.has(ban.port))
      .map((ban) => `${file.path}:${line} imports ${specifier}; use ${ban.instead}`),
  )
  return [...names, ...modules]
}

describe('sources of differences between runs', () => {
  // Tests may read fixtures and the environment. Reviewers check that they do not sleep or use randomness.
  const sources = sourcesUnder('src').filter((file) => !file.isTest)

  test('allows clocks, randomness and I/O in port files only', () => {
    expect(sources.flatMap(bannedIn)).toEqual([])
  })

  test('requires a reason for every port file', () => {
    expect(portFiles.filter(({ because }) => because.length < 5)).toEqual([])
  })

  test.each([
    ['Date.now()', 'Date.now'],
    ['const t = new Date()', 'new Date()'],
    ['const t = new Date', 'new Date()'],
    ['const t = Date()', 'Date()'],
    ['performance.now()', 'performance.now'],
    ['setTimeout(f, 1)', 'timers'],
    ['globalThis.setTimeout(f, 1)', 'timers'],
    ['Math.random()', 'Math.random'],
    ['webcrypto.getRandomValues(bytes)', 'crypto random'],
    ["process.env['HOME']", 'process.env'],
    ['a.localeCompare(b)', 'Intl and locale'],
    ["console.log('x')", 'console'],
    ["import { readFileSync } from 'node:fs'", 'node:fs'],
    ["import http from 'node:http'", 'node:http'],
    ["const lmdb = await import('lmdb')", 'lmdb'],
  ])('finds `%s`', (text, name) => {
    const found = bannedIn(parseSource('src/scheduler/cycle.ts', text))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(name)
  })

  test.each([
    ['new Date(now)'],
    ['new Date( now )'],
    ['toDate(x)'],
    ['clock.setTimeout(f)'],
    ["import type { Stats } from 'node:fs'"],
    ["// Date.now is upstream's clock"],
  ])('accepts `%s`', (text) => {
    expect(bannedIn(parseSource('src/scheduler/cycle.ts', text))).toEqual([])
  })

  test('allows a port file only the names of its port', () => {
    expect(bannedIn(parseSource('src/store/journal/open-store.ts', "import { open } from 'lmdb'"))).toEqual([])
    expect(bannedIn(parseSource('src/store/journal/open-store.ts', 'Date.now()'))).toHaveLength(1)
  })
})
