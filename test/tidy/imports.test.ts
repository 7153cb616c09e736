import { describe, expect, test } from 'vitest'
import { moduleOf, readImportTable } from './import-table.ts'
import { foldersIn, resolveImport, type SourceFile, sourcesUnder } from './project.ts'

const table = readImportTable()
const sources = [...sourcesUnder('src'), ...sourcesUnder('web')]

/** Tests may import every module that is assembled with the module under test. */
const production = sources.filter((file) => !file.isTest && !/\.(fixture|contract-suite)\.ts$/.test(file.path))

function forbiddenImports(file: SourceFile): readonly string[] {
  const module = moduleOf(file.path)
  return file.imports.flatMap(({ specifier, line }) => {
    const target = resolveImport(file.path, specifier)
    if (!/^(src|web|test|bench|scripts)\//.test(target)) return []
    const other = moduleOf(target)
    if (other === module || table.get(module)?.mayImport.has(other)) return []
    const allowed = [...(table.get(module)?.mayImport ?? [])].join(', ') || 'nothing'
    return [`${file.path}:${line} imports ${other}; ${module} may import ${allowed} (docs/architecture.md)`]
  })
}

/** The shell implements the Controller contract. All other code in these folders is pure. */
const shell = /^(src\/controllers\/[^/]+|src\/scheduler)\/(controller|scheduler|index)\.ts$/

function runtimeValues(file: SourceFile): readonly string[] {
  if (!/^src\/(controllers|scheduler)\//.test(file.path) || shell.test(file.path)) return []
  return file.imports
    .filter(({ specifier, typeOnly }) => !typeOnly && moduleOf(resolveImport(file.path, specifier)) === 'runtime')
    .map(({ line }) => `${file.path}:${line} imports values of runtime; only controller.ts, scheduler.ts, index.ts may`)
}

/** A program of a thread handles messages as soon as it is loaded, so it would take the messages of another thread. */
function threadPrograms(file: SourceFile): readonly string[] {
  return file.imports
    .filter(({ specifier, typeOnly }) => !typeOnly && /-worker\.ts$/.test(specifier))
    .map(({ line }) => `${file.path}:${line} imports values of a program of a thread; import types only`)
}

describe('imports', () => {
  test('programs of threads are imported for their types only', () => {
    expect(production.flatMap(threadPrograms)).toEqual([])
  })

  test('the table in docs/architecture.md lists every module', () => {
    expect([...table.keys()]).toEqual(expect.arrayContaining(['base', 'api', 'cli', 'index.ts', 'web']))
    expect(foldersIn('src').filter((folder) => !table.has(folder))).toEqual([])
  })

  test('modules import what the table allows', () => {
    expect(production.flatMap(forbiddenImports)).toEqual([])
  })

  test('only the shells of the scheduler and the controllers import values of runtime', () => {
    expect(production.flatMap(runtimeValues)).toEqual([])
  })

  test('the browser imports no values of the API module', () => {
    const values = sourcesUnder('web')
      .filter((file) => !file.isTest)
      .flatMap((file) => file.imports.map((found) => ({ ...found, file: file.path })))
      .filter((found) => !found.typeOnly && resolveImport(found.file, found.specifier).startsWith('src/'))
    expect(values.map((found) => `${found.file}:${found.line} imports ${found.specifier}; use import type`)).toEqual([])
  })

  test('relative imports have an extension, and exports have names', () => {
    const wrong = sources.flatMap((file) => [
      ...file.imports
        .filter(({ specifier }) => specifier.startsWith('.') && !/\.(tsx?|m?js|json|css)(\?\w+)?$/.test(specifier))
        .map(({ specifier, line }) => `${file.path}:${line} '${specifier}' needs its .ts`),
      ...(/\bexport default\b/.test(file.code) && !/\.config\.ts$/.test(file.path)
        ? [`${file.path} has a default export; name it`]
        : []),
    ])
    expect(wrong).toEqual([])
  })

  test('reports a forbidden import', () => {
    const file: SourceFile = {
      path: 'src/base/heap.ts',
      text: '',
      code: '',
      isTest: false,
      imports: [{ specifier: '../store/store.ts', typeOnly: true, line: 3 }],
    }
    expect(forbiddenImports(file)).toEqual([
      'src/base/heap.ts:3 imports store; base may import nothing (docs/architecture.md)',
    ])
  })
})
