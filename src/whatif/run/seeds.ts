import type { TraceLine } from '../facts/fact.ts'
import type { Forecast, SeedRange } from '../report/forecast.ts'

/** What several runs of one question with different seeds have in common. */
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

/** What people ask about, and the facts that bear on it. */
const topics: readonly { readonly name: string; readonly is: (fact: string) => boolean }[] = [
  { name: 'what happens to nodes', is: (fact) => fact.startsWith('node/') },
  { name: 'which workloads lose pods', is: says('terminating') },
  { name: 'where pods land', is: says('bound') },
]

/** How often each thing happens, whenever. What a pod's message says is not counted: it follows from the rest. */
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
