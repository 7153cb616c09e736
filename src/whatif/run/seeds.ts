import type { TraceLine } from '../facts/fact.ts'
import type { Forecast, SeedRange } from '../report/forecast.ts'

/** Compares several runs of one question with different seeds. */
export function rangeOfSeeds(forecasts: readonly Forecast[]): SeedRange {
  const wellAgain = forecasts.map(({ answer }) => answer.wellAgain)
  const tallies = forecasts.map(({ timeline }) => tally(timeline))
  const facts = new Set(tallies.flatMap((counts) => [...counts.keys()]))
  const varying = [...facts]
    .map((fact) => ({ fact, times: rangeOf(tallies.map((counts) => counts.get(fact) ?? 0)) }))
    .filter(({ times: [least, most] }) => least !== most)
    .sort((a, b) => b.times[1] - b.times[0] - (a.times[1] - a.times[0]) || (a.fact < b.fact ? -1 : 1))
  return {
    runs: forecasts.length,
    deleted: rangeOf(forecasts.map(({ answer }) => answer.deleted)),
    pending: rangeOf(forecasts.map(({ answer }) => answer.pending)),
    ...(wellAgain.every((at) => at !== undefined) ? { wellAgain: rangeOf(wellAgain) } : {}),
    certain: facts.size - varying.length,
    facts: facts.size,
    sure: topics.filter(({ is }) => facts.size > 0 && !varying.some(({ fact }) => is(fact))).map(({ name }) => name),
    open: topics.filter(({ is }) => varying.some(({ fact }) => is(fact))).map(({ name }) => name),
    varying,
  }
}

const says = (what: string) => (fact: string) => fact.split(' ')[1] === what

/** Topics of the report, and the facts that belong to them. */
const topics: readonly { readonly name: string; readonly is: (fact: string) => boolean }[] = [
  { name: 'node changes', is: (fact) => fact.startsWith('node/') },
  { name: 'workloads that lose pods', is: says('terminating') },
  { name: 'pod placement', is: says('bound') },
]

/**
 * The number of occurrences of each fact, at any time. Messages of unschedulable pods are omitted, because they follow
 * from other facts.
 */
function tally(lines: readonly TraceLine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { what, object, detail } of lines) {
    if (what === 'step' || what === 'unschedulable') continue
    const fact = `${object} ${what}${typeof detail === 'string' ? ` ${detail}` : ''}`
    counts.set(fact, (counts.get(fact) ?? 0) + 1)
  }
  return counts
}

function rangeOf(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)]
}
