// Cuts the cells of a table so that it fits a width.
import { cutEnd } from '../whatif/report/fitted-text.ts'
import { shortNames } from '../whatif/report/short-names.ts'

interface FittedColumn {
  readonly header: string
  readonly align?: 'left' | 'right'
  readonly cut?: 'middle' | 'end'
  /** Not cut below this width. */
  readonly least?: number
}

// The minimum width of a column, unless all of its cells are narrower.
const leastMessage = 14
const leastName = 12

/** The width of a column below which it is not cut. */
export function leastWidthOf({ header, align, cut, least = 0 }: FittedColumn, width: number): number {
  if (align === 'right') return width
  return Math.min(width, Math.max(least, cut === 'end' ? leastMessage : leastName, header.length))
}

/** Cuts the widest texts first, and never numbers. `room` is the width without the gaps between columns. */
export function fitCells(
  cells: readonly (readonly string[])[],
  columns: readonly FittedColumn[],
  room: number,
  widthOf: (text: string) => number,
): readonly (readonly string[])[] {
  const widths = columns.map((column, at) =>
    cells.reduce((widest, line) => Math.max(widest, widthOf(line[at] ?? '')), widthOf(column.header)),
  )
  const total = widths.reduce((sum, width) => sum + width, 0)
  if (total <= room) return cells
  const fitted = fittedWidths(widths, columns, total - room)
  const texts = columns.map((column, at) => {
    const all = cells.map((line) => line[at] ?? '')
    const width = fitted[at] as number
    if (width >= (widths[at] as number)) return all
    return column.cut === 'end' ? all.map((text) => cutEnd(text, width)) : cutNames(all, width)
  })
  return cells.map((_, row) => texts.map((column) => column[row] as string))
}

/** Takes `excess` characters from the widest columns: from messages first, then from names. */
function fittedWidths(widths: readonly number[], columns: readonly FittedColumn[], excess: number): readonly number[] {
  const fitted = [...widths]
  let left = excess
  for (const cut of ['end', 'middle'] as const) {
    for (; left > 0; left--) {
      let widest = -1
      for (const [at, column] of columns.entries()) {
        const width = fitted[at] as number
        if (column.align === 'right' || (column.cut ?? 'middle') !== cut) continue
        if (width <= leastWidthOf(column, width)) continue
        if (widest < 0 || width > (fitted[widest] as number)) widest = at
      }
      if (widest < 0) break
      fitted[widest] = (fitted[widest] as number) - 1
    }
  }
  return fitted
}

// Shares of the width for the start of a name, in the order of the attempts.
const starts = [0.4, 0.2, 0.6, 0, 0.8]

/** Names without their common suffix. If they are still too long, cuts them where they stay distinct. */
export function cutNames(names: readonly string[], width: number): readonly string[] {
  const distinct = [...new Set(names)]
  const shortened = shortNames(distinct.filter((name) => name !== '<none>'))
  let best: ReadonlyMap<string, string> = new Map()
  let most = -1
  for (const share of starts) {
    const cut = new Map(distinct.map((name) => [name, cutAt(shortened(name), width, share)]))
    const different = new Set(cut.values()).size
    if (different > most) {
      best = cut
      most = different
    }
    if (different === distinct.length) break
  }
  return names.map((name) => best.get(name) ?? name)
}

function cutAt(text: string, width: number, share: number): string {
  if (text.length <= width) return text
  const left = Math.round((width - 1) * share)
  const right = width - 1 - left
  return `${text.slice(0, left)}…${right === 0 ? '' : text.slice(-right)}`
}
