// Prints results as aligned tables, JSON or YAML.
import { encodeJson } from '../base/exact-json.ts'
import { dumpYaml } from '../base/yaml-text.ts'
import { usualWidth, wrapped } from '../whatif/report/fitted-text.ts'
import { choice, type OptionSpec } from './command.ts'
import { fitCells, leastWidthOf } from './fit-cells.ts'

export interface TextSink {
  readonly write: (text: string) => void
  readonly isTTY: boolean
  /** The output is a regular file. */
  readonly isFile?: boolean
  /** Width of the terminal; undefined for a file or a pipe. */
  readonly columns: number | undefined
}

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml'

export const outputFormats = ['table', 'wide', 'json', 'yaml'] as const satisfies readonly OutputFormat[]

/** The `-o` option of a command that prints objects. */
export function outputOption(): OptionSpec<OutputFormat> {
  return choice({ short: 'o', summary: 'Output format', choices: outputFormats, default: 'table' })
}

export interface OutputColumn<Row> {
  readonly header: string
  readonly cell: (row: Row) => string | number | undefined
  readonly align?: 'left' | 'right'
  /** Shown only with `-o wide`. */
  readonly wide?: boolean
  /** Omitted if the table does not fit otherwise, starting with the last column. */
  readonly optional?: boolean
  /** The position at which a long cell is cut: in the middle for names (default), at the end for messages. */
  readonly cut?: 'middle' | 'end'
  /** The minimum width. Before the column becomes narrower, optional columns are omitted and others are cut. */
  readonly least?: number
  readonly style?: (row: Row) => Style | undefined
}

/** Prints rows as a table or a value as JSON or YAML. The value is stable and complete. */
export function printAnswer<Row>(
  sink: TextSink,
  answer: {
    readonly format: OutputFormat
    readonly columns: readonly OutputColumn<Row>[]
    readonly rows: readonly Row[]
    readonly value: unknown
    readonly palette: TextPalette
    /** Printed instead of a table without rows. */
    readonly empty?: string
  },
): void {
  printValue(sink, answer.format, answer.value, () => {
    if (answer.rows.length === 0 && answer.empty !== undefined) return `${answer.empty}\n`
    const columns = answer.columns.filter((column) => answer.format === 'wide' || column.wide !== true)
    const palette = answer.format === 'wide' ? anyWidth(answer.palette) : answer.palette
    return renderTable(columns, answer.rows, palette)
  })
}

/** Prints a value as JSON or YAML, or as its text. */
export function printValue(sink: TextSink, format: string, value: unknown, text: () => string): void {
  sink.write(format === 'json' ? toJson(value) : format === 'yaml' ? toYaml(value) : text())
}

const gap = '   '

/**
 * Columns are padded to their widest cell and separated by three spaces, as in kubectl. If the palette has a width, texts
 * are cut so that the table fits it; numbers never are.
 */
export function renderTable<Row>(
  all: readonly OutputColumn<Row>[],
  rows: readonly Row[],
  palette: TextPalette = plainPalette,
): string {
  const columns = palette.width === undefined ? all : fittingColumns(all, rows, palette.width)
  const full = rows.map((row) => columns.map((column) => cellText(column.cell(row))))
  const cells =
    palette.width === undefined
      ? full
      : fitCells(full, columns, palette.width - gap.length * (columns.length - 1), displayWidth)
  const widths = columns.map((column, at) =>
    cells.reduce((widest, line) => Math.max(widest, displayWidth(line[at]!)), displayWidth(column.header)),
  )
  const line = (texts: readonly string[], paint: (at: number, padded: string) => string) =>
    texts
      .map((value, at) => {
        const space = ' '.repeat(widths[at]! - displayWidth(value))
        if (columns[at]!.align === 'right') return space + paint(at, value)
        return at === columns.length - 1 ? paint(at, value) : paint(at, value) + space
      })
      .join(gap)
      .trimEnd()
  const header = line(
    columns.map((column) => column.header),
    (_at, value) => palette.paint('bold', value),
  )
  const body = cells.map((texts, row) =>
    line(texts, (at, value) => palette.paint(columns[at]!.style?.(rows[row]!), value)),
  )
  return `${[header, ...body].join('\n')}\n`
}

/** Removes optional columns if even the narrowest cells are too wide. */
function fittingColumns<Row>(
  columns: readonly OutputColumn<Row>[],
  rows: readonly Row[],
  most: number,
): readonly OutputColumn<Row>[] {
  const least = columns.map((column) => {
    const width = rows.reduce(
      (widest, row) => Math.max(widest, displayWidth(cellText(column.cell(row)))),
      displayWidth(column.header),
    )
    return leastWidthOf(column, width)
  })
  const shown = columns.map((_, at) => at)
  const total = () => shown.reduce((sum, at) => sum + least[at]! + gap.length, -gap.length)
  for (let at = columns.length - 1; at > 0 && total() > most; at--)
    if (columns[at]?.optional === true) shown.splice(shown.indexOf(at), 1)
  return shown.map((at) => columns[at]!)
}

function cellText(value: string | number | undefined): string {
  if (value === undefined || value === '') return '<none>'
  // A cell is one line: control characters from names or messages must not move the cursor.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
  return String(value).replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

/** The width of a text in terminal cells; wide East Asian characters and emoji take two, combining marks none. */
function displayWidth(value: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches plain ASCII, whose width is its length
  if (/^[\u0000-\u007f]*$/.test(value)) return value.length
  let width = 0
  for (const character of value) {
    if (/\p{Mark}|\u200d|\ufe0f/u.test(character)) continue
    width +=
      /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(
        character,
      )
        ? 2
        : 1
  }
  return width
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** The colors of a text, and the width that its tables must fit. */
export interface TextPalette {
  readonly paint: (style: Style | undefined, value: string) => string
  /** Absent: any width. */
  readonly width?: number
}

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

export const plainPalette: TextPalette = { paint: (_style, value) => value }

const colorPalette: TextPalette = {
  paint: (style, value) =>
    style === undefined ? value : `\u001b[${codes[style][0]}m${value}\u001b[${codes[style][1]}m`,
}

/** Color only on a terminal, and not with NO_COLOR (no-color.org) or a dumb terminal. */
export function choosePalette(sink: TextSink, env: Environment): TextPalette {
  const refused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return { ...(sink.isTTY && !refused ? colorPalette : plainPalette), width: widthOf(sink, env) }
}

/** Breaks lines at spaces so that they fit the width of the palette, if it has one. Not for tables. */
export function wrapLines(text: string, { width }: TextPalette): string {
  if (width === undefined) return text
  return text
    .split('\n')
    .flatMap((line) => wrapped(line, width))
    .join('\n')
}

/** For `-o wide`. */
export function anyWidth({ paint }: TextPalette): TextPalette {
  return { paint }
}

type Environment = Readonly<Record<string, string | undefined>>

const leastWidth = 40

/** $COLUMNS, or the width of the terminal, or 110 if there is no terminal. */
export function widthOf(sink: TextSink, env: Environment): number {
  const wanted = Number(env['COLUMNS'] ?? '')
  const width = Number.isInteger(wanted) && wanted > 0 ? wanted : (sink.columns ?? usualWidth)
  return Math.max(leastWidth, width)
}

export function toJson(value: unknown): string {
  return `${encodeJson(value, 2) ?? 'null'}\n`
}

export function toYaml(value: unknown, order: 'sorted' | 'given' = 'sorted'): string {
  return dumpYaml(value, order)
}
