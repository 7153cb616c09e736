// Forecasts for other tools: Markdown for a pull request, JUnit XML for a CI system.
import type { Forecast, ImpactCounts } from '../whatif/report/forecast.ts'
import { span } from '../whatif/report/phrases.ts'
import type { WorkloadEntry } from '../wire/forecast-entries.ts'

const rows: readonly (readonly [string, keyof ImpactCounts])[] = [
  ['pods deleted', 'podsDeleted'],
  ['pods moved', 'podsMoved'],
  ['pods pending at the end', 'podsPending'],
  ['disruption budgets violated', 'workloadsBelowBudget'],
]

/** Formats a forecast as a comment: the verdict first, details collapsed. Text from the cluster is escaped. */
export function forecastMarkdown(forecast: Forecast): string {
  const { verdict, reason, question, caused, baseline, answer, expectations, notes, seconds, seed, kubernetes } =
    forecast
  const unmet = expectations.filter(({ holds }) => !holds)
  const lines = [
    `### ${verdict}: ${plain(question)}`,
    '',
    `${plain(reason.slice(0, 1).toUpperCase() + reason.slice(1))}.`,
    '',
    '| | caused by the change | happens anyway |',
    '|---|---:|---:|',
    ...rows.map(([name, key]) => `| ${name} | ${caused[key]} | ${baseline[key]} |`),
    '',
    ...answer.lines.map((line) => `- ${plain(line)}`),
    ...unmet.map(({ kind, violation }) => `- **Expectation ${kind} is not met**: ${plain(violation?.text ?? '')}`),
    '',
    ...workloadTable(forecast.workloads),
    ...(notes.length === 0
      ? []
      : [
          '<details><summary>Assumptions</summary>',
          '',
          ...notes.map(({ text }) => `- ${plain(text)}`),
          '',
          '</details>',
          '',
        ]),
    `${span(seconds * 1000)} of virtual time, Kubernetes ${plain(kubernetes)}, seed ${plain(seed)}.`,
  ]
  return `${lines.join('\n')}\n`
}

const mostWorkloads = 20

function workloadTable(workloads: readonly WorkloadEntry[]): readonly string[] {
  if (workloads.length === 0) return []
  const time = (seconds: number) => (seconds === 0 ? '–' : span(seconds * 1000))
  const more = workloads.length - mostWorkloads
  return [
    '| workload | ready | lowest | unavailable | below budget | moved | pending |',
    '|---|---:|---:|---:|---:|---:|---|',
    ...workloads.slice(0, mostWorkloads).map((entry) => {
      const { namespace, name, ready, replicas, lowestReady, deleted, moved, pending } = entry
      const cells = [
        plain(`${namespace}/${name}`),
        `${ready.before} → ${ready.after} of ${replicas}`,
        `${lowestReady.count} at ${span(lowestReady.at * 1000)}`,
        time(entry.timeUnavailable),
        time(entry.timeBelowBudget),
        deleted === 0 ? '–' : `${moved} of ${deleted}`,
        pending.map(({ reason, count }) => `${count}: ${plain(reason)}`).join('; ') || '–',
      ]
      return `| ${cells.join(' | ')} |`
    }),
    ...(more > 0 ? ['', `and ${more} more workloads`] : []),
    '',
  ]
}

/** One test case for the verdict, and one for each expectation. */
export function forecastJunit(forecast: Forecast): string {
  const { verdict, reason, question, expectations } = forecast
  const cases = [
    { name: `verdict: ${verdict}`, failure: verdict === 'SAFE' ? undefined : reason },
    ...expectations.map(({ kind, path, violation }) => ({ name: path === '' ? kind : path, failure: violation?.text })),
  ]
  const failures = cases.filter(({ failure }) => failure !== undefined).length
  const items = cases.map(({ name, failure }) =>
    failure === undefined
      ? `  <testcase classname="berth" name="${xml(name)}"/>`
      : `  <testcase classname="berth" name="${xml(name)}"><failure message="${xml(failure)}"/></testcase>`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${xml(question)}" tests="${cases.length}" failures="${failures}">`,
    ...items,
    '</testsuite>',
    '',
  ].join('\n')
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
])

/** Removes control characters other than tab and line breaks, because XML cannot contain them. */
function xml(text: string): string {
  const allowed = [...text].filter((one) => one >= ' ' || one === '\t' || one === '\n')
  return allowed.map((one) => escapes.get(one) ?? one).join('')
}

/** Escapes Markdown, so that names and messages of a cluster cannot add markup. */
function plain(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]|]/g, '\\$&')
    .replaceAll(/[&<>]/g, (one) => escapes.get(one) as string)
    .replaceAll(/\s+/g, ' ')
}
