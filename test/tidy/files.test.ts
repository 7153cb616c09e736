import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exists, filesUnder, read, resolveImport, root, type SourceFile, sourcesUnder } from './project.ts'

const maxLines = 500

/** Expected output of tests; `test/golden` and `test/traces` are answers of real components. */
const recordedFiles = (): readonly string[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.split(sep).join('/')}`)
    .filter((path) => /\.(jsonl|txt|snap)$/.test(path) && !/^test\/(golden|traces)\//.test(path))

const everywhere = ['src', 'web', 'test', 'bench', 'examples'].flatMap(sourcesUnder)

describe('files', () => {
  test(`no source file is longer than ${maxLines} lines`, () => {
    const others = [...filesUnder('scripts', /\.(mjs|go)$/), ...filesUnder('web', /\.css$/)]
    const long = [...everywhere.map((file) => file.path), ...others]
      .map((path) => ({ path, lines: read(path).split('\n').length }))
      .filter(({ lines }) => lines > maxLines)
    expect(long.map(({ path, lines }) => `${path} has ${lines} lines: it is probably two ideas`)).toEqual([])
  })

  test('file names are kebab-case, and no file is a catch-all such as utils or helpers', () => {
    const odd = everywhere
      .map((file) => file.path)
      .filter((path) => {
        const name = path.split('/').at(-1)!
        return !/^[a-z0-9]+([-.][a-z0-9]+)*\.tsx?$/.test(name) || /^(utils?|helpers?|common|types|misc)\./.test(name)
      })
    expect(odd).toEqual([])
  })

  test('every file in src is used by a program or a test', () => {
    expect(unreachable().map((path) => `${path} is imported by nothing that runs: use it or remove it`)).toEqual([])
  })

  test('comments contain no promises and no names of machines or people', () => {
    const patterns: readonly (readonly [RegExp, string])[] = [
      [/\b(TODO|FIXME|XXX)\b/, 'a promise: do it, or write it in docs/compatibility.md'],
      [/(\/home\/|\/Users\/|\/root\/|\/work\/|[A-Z]:\\Users\\)/, 'a path of one machine'],
    ]
    const paths = [...sourcesUnder('src'), ...sourcesUnder('web'), ...sourcesUnder('bench')].map((file) => file.path)
    const docs = [...filesUnder('docs', /\.md$/), ...filesUnder('examples', /./)]
    const found = [...paths, ...docs].flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, at) =>
          patterns.filter(([pattern]) => pattern.test(line)).map(([, why]) => `${path}:${at + 1} has ${why}`),
        ),
    )
    expect(found).toEqual([])
  })

  test('no recorded file of a test contains a path of a machine', () => {
    const found = recordedFiles().filter((path) => /"(\/home\/|\/Users\/|\/root\/|\/work\/|\/tmp\/)/.test(read(path)))
    expect(found).toEqual([])
  })

  test('no test is focused, and a skip gives its reason', () => {
    const found = everywhere
      .filter((file) => file.isTest)
      .flatMap((file) =>
        file.text.split('\n').flatMap((line, at) => {
          if (/^\s*(it|test|describe)\.(only|todo)\b/.test(line)) return [`${file.path}:${at + 1} is focused or empty`]
          const skips = /\b(it|test|describe)\.skip\(/.test(line)
          return skips && !/\/\/ .{10,}/.test(`${file.text.split('\n')[at - 1] ?? ''}${line}`)
            ? [`${file.path}:${at + 1} is skipped without a reason in a comment`]
            : []
        }),
      )
    expect(found).toEqual([])
  })
})

/** The entry points that are built into dist/. */
const entries: ReadonlySet<string> = new Set([
  'src/index.ts',
  'src/cli/main.ts',
  'src/cli/search-worker.ts',
  'src/cli/survival-worker.ts',
  'src/cli/webhook-worker.ts',
  'src/matchers/matchers.ts',
  'src/matchers/vitest.ts',
  'src/matchers/jest.ts',
])

/** Follows imports from what is run: the entry points, tests, programs in test/, bench, scripts and examples. */
function unreachable(): readonly string[] {
  const byPath = new Map(everywhere.map((file) => [file.path, file]))
  const isRoot = (file: SourceFile) => file.isTest || !file.path.startsWith('src/') || entries.has(file.path)
  const pending = everywhere.filter(isRoot)
  const reached = new Set(pending.map((file) => file.path))
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    for (const { specifier } of file.imports) {
      const next = byPath.get(resolveImport(file.path, specifier))
      if (next !== undefined && !reached.has(next.path)) {
        reached.add(next.path)
        pending.push(next)
      }
    }
  }
  return [...byPath.keys()].filter((path) => path.startsWith('src/') && !reached.has(path) && exists(path))
}
