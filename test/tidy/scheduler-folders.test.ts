import { describe, expect, test } from 'vitest'
import { readImportTable } from './import-table.ts'
import { foldersIn, read, resolveImport, type SourceFile, sourcesUnder } from './project.ts'

const table = readImportTable(read('docs/architecture.md'), 'folder')
const order = [...table.keys()]
const production = sourcesUnder('src/scheduler').filter((file) => !file.isTest && !/\.fixture\.ts$/.test(file.path))

/** The folder of a file in src/scheduler; undefined for files that are not in a folder. */
function folderOf(path: string): string | undefined {
  const [, module, folder, file] = path.split('/')
  return module === 'scheduler' && file !== undefined ? folder : undefined
}

function forbiddenImports(file: SourceFile): readonly string[] {
  const folder = folderOf(file.path)
  if (folder === undefined) return []
  return file.imports.flatMap(({ specifier, line }) => {
    const target = resolveImport(file.path, specifier)
    if (!target.startsWith('src/scheduler/')) return []
    const other = folderOf(target) ?? 'src/scheduler'
    if (other === folder || table.get(folder)?.mayImport.has(other)) return []
    return [`${file.path}:${line} imports ${other}; add it to the table in docs/architecture.md only if it is above`]
  })
}

describe('the folders of src/scheduler', () => {
  test('the folders of src/scheduler are all listed in docs/architecture.md', () => {
    expect(order.toSorted()).toEqual([...foldersIn('src/scheduler')])
  })

  test('the folders of src/scheduler may import only folders above them, so that there are no cycles', () => {
    const below = order.flatMap((folder, at) =>
      [...(table.get(folder)?.mayImport ?? [])].filter((other) => !order.slice(0, at).includes(other)),
    )
    expect(below).toEqual([])
  })

  test('folders of src/scheduler import only what the table allows', () => {
    expect(production.flatMap(forbiddenImports)).toEqual([])
  })

  test('reports a forbidden import of a scheduler folder', () => {
    const imports = [{ specifier: '../preemption/preempt.ts', typeOnly: true, line: 3 }]
    const file: SourceFile = { path: 'src/scheduler/contract/contract.ts', text: '', code: '', isTest: false, imports }
    expect(forbiddenImports(file)).toHaveLength(1)
  })
})
