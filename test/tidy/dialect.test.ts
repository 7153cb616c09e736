import { describe, expect, it } from 'vitest'
import { parseSource, type SourceFile, sourcesUnder } from './project.ts'

const files = [...sourcesUnder('src'), ...sourcesUnder('web')]

describe('the dialect', () => {
  it('writes constants in camelCase', () => {
    const capitals = files.flatMap(({ path, code }) =>
      [...code.matchAll(/\bconst ([A-Z][A-Z0-9_]+)\b/g)].map((match) => `${path}: ${match[1]}`),
    )
    expect(capitals).toEqual([])
  })

  it('writes private members with `private`, not with `#`', () => {
    const hashed = files.filter(({ code }) => /\bthis\.#\w/.test(code)).map(({ path }) => path)
    expect(hashed).toEqual([])
  })
})

describe('names of types', () => {
  const isProduction = (path: string): boolean => !/\.(test|fixture)\.tsx?$/.test(path)
  const tests = [...sourcesUnder('test'), ...sourcesUnder('bench')]

  it.each([
    ['src and web', files.filter(({ path }) => isProduction(path))],
    ['tests and benchmarks', [...tests, ...files.filter(({ path }) => !isProduction(path))]],
  ])('every one-word type name has one meaning in %s', (_where, sources) => {
    expect(reusedNames(sources)).toEqual([])
  })

  it('reports a one-word type name that two files export', () => {
    const [one, other] = ['src/a.ts', 'src/b.ts'].map((path) => parseSource(path, 'export interface Plan {}'))
    expect(reusedNames([one!, other!])).toEqual(['Plan is exported by src/a.ts and src/b.ts: say what each is'])
  })
})

/** Names of one word that several files export as a type. Kubernetes' own kinds have the names that they have. */
function reusedNames(sources: readonly SourceFile[]): readonly string[] {
  const exporters = new Map<string, string[]>()
  for (const { path, code } of sources) {
    if (path.startsWith('src/library/kubernetes-types')) continue
    for (const [, name = ''] of code.matchAll(
      /^export (?:declare |abstract )*(?:interface|type|class) ([A-Z][a-z0-9]*)\b/gm,
    ))
      exporters.set(name, [...(exporters.get(name) ?? []), path])
  }
  return [...exporters]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is exported by ${paths.join(' and ')}: say what each is`)
}

describe('names of tests', () => {
  it('names of tests state the behavior without the title of their group', () => {
    const tests = [...files, ...sourcesUnder('test')].filter(({ path }) =>
      /\.(test|console|cluster)\.tsx?$|-suite\.ts$/.test(path),
    )
    expect(tests.flatMap(incompleteNames)).toEqual([])
  })

  it('reports a name that continues the title of its group', () => {
    const source = parseSource(
      'src/a.test.ts',
      ['are removed', 'removes a taint'].map((name) => `it('${name}')`).join('\n'),
    )
    expect(incompleteNames(source)).toEqual(["src/a.test.ts: 'are removed' names no subject"])
  })
})

/** A name that starts with one of these words continues the title of its group, so a search for the name does not show what it tests. */
const continuing =
  /\)?\.?(?:\b(?:it|test)(?:\.each\(.*\))?|^\s*[\])}]*\))\('((?:of|is|are|in|on|at|by|with|without|and|but|to|from|than|even|have|also|as|was|were|can|cannot|may|must|be|do|that|give|get|tell|take|come|use|wait|write|read|report|refuse|reject|answer|send|add|act|show|leave|end|exist|include|carry|differ|count) [^']*)'/gm

function incompleteNames({ path, text }: SourceFile): readonly string[] {
  return [...text.matchAll(continuing)].map(([, name]) => `${path}: '${name}' names no subject`)
}
