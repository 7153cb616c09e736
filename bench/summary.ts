// All figures of a run of every suite in one table, for bench/README.md.
import { formatNumber, type ResultRow, type SuiteResult } from './suite.ts'

const header = '| suite | what | measured | beside it | ratio | aim |\n|---|---|---|---|---|---|\n'

/** A Markdown table of all figures, with the machine and the commit. */
export function summaryOf(results: readonly SuiteResult[]): string {
  const [first] = results
  if (first === undefined) return ''
  const { machine, commit, seed, full } = first
  const rows = results.flatMap(({ suite, rows }) =>
    rows.filter(({ detail }) => detail !== true).map((row) => line(suite, row)),
  )
  const command = `npm run bench${full ? ' -- --full' : ''}`
  return `\`${command}\` at ${commit}, seed ${seed}, ${machine.cores} × ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}:\n\n${header}${rows.join('')}`
}

function line(suite: string, { name, value, unit, beside, aim }: ResultRow): string {
  const amount = (of: number) => `${formatNumber(of)} ${unit}`
  const cells = [
    suite,
    name,
    amount(value),
    beside === undefined ? '' : `${beside.what}: ${amount(beside.value)}`,
    beside === undefined ? '' : formatNumber(value / beside.value),
    aim === undefined ? '' : amount(aim),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
}

/** The page with the table between the two marks replaced. */
export function publishIn(page: string, size: 'quick' | 'full', table: string): string {
  const [from, to] = [`<!-- ${size} -->\n`, `<!-- end of ${size} -->\n`]
  const [start, end] = [page.indexOf(from), page.indexOf(to)]
  if (start < 0 || end < start)
    throw new Error(`the page has no marks '${from.trim()}' and '${to.trim()}' to write between`)
  return `${page.slice(0, start + from.length)}\n${table}\n${page.slice(end)}`
}
