import type { DrainReport } from '../../wire/forecast-entries.ts'

/** The disruption budgets that refuse evictions, with the number of pods, highest number first. */
export function budgetsThatBlock(
  blocked: DrainReport['blocked'],
): readonly { readonly budget: string; readonly pods: number }[] {
  const counts = new Map<string, number>()
  for (const { pod, why } of blocked) {
    const name = /^The disruption budget (\S+) (?:needs|does not allow)/.exec(why)?.[1]
    if (name === undefined) continue
    const budget = `${pod.slice(0, pod.indexOf('/'))}/${name}`
    counts.set(budget, (counts.get(budget) ?? 0) + 1)
  }
  return [...counts]
    .map(([budget, pods]) => ({ budget, pods }))
    .sort((a, b) => b.pods - a.pods || (a.budget < b.budget ? -1 : 1))
}
