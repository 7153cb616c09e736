/** Columns padded to their widest cell and separated by three spaces, as kubectl prints them. Cells must be one line. */
export function textTable(headers: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.map((row) => row.map((cell) => (cell === '' ? '<none>' : cell)))
  const widths = headers.map((header, at) =>
    shown.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), header.length),
  )
  return [headers, ...shown].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('   ')
      .trimEnd(),
  )
}
