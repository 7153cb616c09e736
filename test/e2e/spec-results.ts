export interface SpecResult {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly seconds: number
  /** The reason of a failure or a skip. */
  readonly message: string
}

/**
 * Reads the specs that ran from the JUnit report of a process of the suite. The report also lists every spec that was not
 * selected, as skipped without a reason.
 */
export function parseJUnit(xml: string): readonly SpecResult[] {
  const results: SpecResult[] = []
  for (const part of xml.split('<testcase name="[It] ').slice(1)) {
    const [name = '', rest = ''] = splitAt(part, '"')
    const status = attribute(rest, 'status')
    const seconds = Number(attribute(rest, 'time'))
    const skipped = attribute(rest.slice(rest.indexOf('<skipped')), 'message')
    if (status === 'passed') results.push({ name: unescapeXml(name), outcome: 'passed', seconds, message: '' })
    else if (status === 'skipped' || status === 'pending') {
      if (skipped !== 'skipped')
        results.push({ name: unescapeXml(name), outcome: 'skipped', seconds, message: unescapeXml(skipped) })
    } else results.push({ name: unescapeXml(name), outcome: 'failed', seconds, message: failureOf(rest, status) })
  }
  return results
}

function failureOf(testcase: string, status: string): string {
  const from = testcase.search(/<(failure|error) /)
  if (from < 0) return status
  const text = testcase.slice(testcase.indexOf('>', from) + 1)
  return unescapeXml(text.slice(0, Math.max(0, text.indexOf('</'))))
}

function attribute(text: string, name: string): string {
  const from = text.indexOf(` ${name}="`)
  if (from < 0) return ''
  const value = text.slice(from + name.length + 3)
  return value.slice(0, value.indexOf('"'))
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return [text.slice(0, at), text.slice(at)]
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#34;', '"'],
  ['&#39;', "'"],
  ['&#xA;', '\n'],
  ['&#x9;', '\t'],
  ['&amp;', '&'],
])

function unescapeXml(text: string): string {
  return text.replace(/&[a-zA-Z0-9#]{2,4};/g, (entity) => entities.get(entity) ?? entity)
}

/** The name of the special interest group at the start of a spec. */
export function sigOf(name: string): string {
  return /^\[(sig-[a-z-]+)\]/.exec(name)?.[1] ?? 'other'
}

/** A row per SIG, and a closing line. */
export function summaryOf(results: readonly SpecResult[], elapsed: string): readonly string[] {
  const sigs = [...new Set(results.map(({ name }) => sigOf(name)))].sort()
  const rowOf = (title: string, own: readonly SpecResult[]) => {
    const count = (outcome: SpecResult['outcome']) => own.filter((result) => result.outcome === outcome).length
    const skipped = count('skipped') === 0 ? '' : ` ${String(count('skipped')).padStart(4)} skipped`
    return `${title.padEnd(24)} ${String(count('passed')).padStart(4)} passed ${String(count('failed')).padStart(4)} failed${skipped}`
  }
  const rows = sigs.map((sig) =>
    rowOf(
      sig,
      results.filter(({ name }) => sigOf(name) === sig),
    ),
  )
  return [...rows, `${rowOf('all', results)} in ${elapsed}`]
}
