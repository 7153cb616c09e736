import { describe, expect, test } from 'vitest'
import {
  choosePalette,
  type OutputColumn,
  plainPalette,
  printAnswer,
  renderTable,
  type TextSink,
  toYaml,
} from './output.ts'

interface Row {
  readonly name: string
  readonly pods: number
  readonly zone?: string
}

const columns: readonly OutputColumn<Row>[] = [
  { header: 'NAME', cell: (row) => row.name },
  { header: 'PODS', cell: (row) => row.pods, align: 'right', style: () => 'red' },
  { header: 'ZONE', cell: (row) => row.zone, wide: true },
]
const rows: readonly Row[] = [
  { name: 'node-1', pods: 3 },
  { name: 'node-10', pods: 110, zone: 'a' },
]

function sink(isTTY: boolean): TextSink & { readonly text: () => string } {
  const written: string[] = []
  return { isTTY, columns: undefined, write: (text) => void written.push(text), text: () => written.join('') }
}

function printed(format: 'table' | 'wide' | 'json' | 'yaml', some: readonly Row[] = rows): string {
  const out = sink(false)
  printAnswer(out, { format, columns, rows: some, value: { items: some }, palette: plainPalette, empty: 'No nodes.' })
  return out.text()
}

describe('answers', () => {
  test('prints rows as a table', () => {
    expect(printed('table')).toBe('NAME      PODS\nnode-1       3\nnode-10    110\n')
  })

  test('prints wide columns with -o wide, and <none> for absent values', () => {
    expect(printed('wide')).toBe('NAME      PODS   ZONE\nnode-1       3   <none>\nnode-10    110   a\n')
  })

  test('prints the value as JSON and YAML', () => {
    expect(JSON.parse(printed('json'))).toEqual({ items: rows })
    expect(printed('yaml')).toBe('items:\n- name: node-1\n  pods: 3\n- name: node-10\n  pods: 110\n  zone: a\n')
  })

  test('prints a sentence instead of an empty table, and an empty value as JSON', () => {
    expect(printed('table', [])).toBe('No nodes.\n')
    expect(JSON.parse(printed('json', []))).toEqual({ items: [] })
  })
})

describe('tables', () => {
  test('removes line breaks and control characters from cells', () => {
    const table = renderTable([{ header: 'M', cell: (row: string) => row }], ['a\nb\u001b[2Jc'])
    expect(table).toBe('M\na b [2Jc\n')
  })

  test('pads wide characters by their width on the screen', () => {
    const table = renderTable(
      [
        { header: 'A', cell: (row: readonly string[]) => row[0] },
        { header: 'B', cell: (row: readonly string[]) => row[1] },
      ],
      [
        ['漢字', 'x'],
        ['abcd', 'y'],
      ],
    )
    expect(table).toBe('A      B\n漢字   x\nabcd   y\n')
  })
})

describe('color', () => {
  test.each([
    ['on a terminal', true, {}, true],
    ['not on a pipe', false, {}, false],
    ['not with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('chooses color: %s', (_name, isTTY, env, colored) => {
    const text = choosePalette(sink(isTTY), env).paint('red', 'x')
    expect(text).toBe(colored ? '\u001b[31mx\u001b[39m' : 'x')
  })

  test('keeps the alignment of colored cells', () => {
    const palette = choosePalette(sink(true), {})
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the color codes
    expect(renderTable(columns, rows, palette).replaceAll(/\u001b\[\d+m/g, '')).toBe(renderTable(columns, rows))
  })
})

describe('YAML', () => {
  test('prints YAML in the format of kubectl', () => {
    const value = {
      kind: 'Pod',
      apiVersion: 'v1',
      spec: { b: ['x', { d: 1, c: 'yes' }], a: undefined, text: 'a\nb\n' },
    }
    expect(toYaml(value)).toBe(
      "apiVersion: v1\nkind: Pod\nspec:\n  b:\n  - x\n  - c: 'yes'\n    d: 1\n  text: |\n    a\n    b\n",
    )
  })

  test('repeats shared values in YAML instead of using anchors', () => {
    const shared = { a: 1 }
    expect(toYaml({ x: shared, y: shared })).toBe("x:\n  a: 1\n'y':\n  a: 1\n")
  })
})
