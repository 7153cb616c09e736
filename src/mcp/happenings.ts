import { encodeJson } from '../base/exact-json.ts'
import type { Fact } from '../whatif/facts/fact.ts'
import { span } from '../whatif/report/phrases.ts'
import { oneLine } from './cluster-text.ts'
import type { Fork } from './fork.ts'

/** What happened on a fork since a number of facts: counts, and one line each. */
export interface Happenings {
  readonly counts: Readonly<Record<string, number>>
  readonly lines: readonly string[]
  readonly state: ForkState
}

export interface ForkState {
  readonly nodes: number
  readonly nodesReady: number
  readonly pods: Readonly<Record<string, number>>
}

/** Steps are what the caller did itself; recoveries and starts are implied by the others. */
const told: ReadonlySet<Fact['what']> = new Set([
  'created',
  'deleted',
  'ready',
  'tainted',
  'untainted',
  'cordoned',
  'uncordoned',
  'bound',
  'unschedulable',
  'disruption',
  'notReady',
  'gone',
  'ended',
])

export function happeningsSince(fork: Fork, since: number): Happenings {
  const facts = fork.run.recorder.facts.slice(since).filter(({ what }) => told.has(what))
  const counts: Record<string, number> = Object.create(null) as Record<string, number>
  for (const { about, what } of facts) {
    const name = `${about === 'Pod' ? 'pods' : 'nodes'} ${what}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return { counts: { ...counts }, lines: facts.map(lineOf), state: stateOf(fork) }
}

function lineOf({ atMs, about, key, what, detail }: Fact): string {
  const more = detail === undefined ? '' : ` ${typeof detail === 'string' ? detail : encodeJson(detail)}`
  return oneLine(`+${span(atMs)} ${about.toLowerCase()} ${key} ${what}${more}`).slice(0, 300)
}

export function stateOf({ run }: Fork): ForkState {
  const last = run.recorder.samples.at(-1)
  const pods = Object.entries(last?.pods ?? {}).filter(([, count]) => count > 0)
  return { nodes: last?.nodes ?? 0, nodesReady: last?.nodesReady ?? 0, pods: Object.fromEntries(pods) }
}

export function stateText({ nodes, nodesReady, pods }: ForkState): string {
  const states = Object.entries(pods).map(([state, count]) => `${count} ${state}`)
  return `${nodesReady}/${nodes} nodes ready; pods: ${states.join(', ') || 'none'}.`
}

export function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return parts.length === 0 ? 'Nothing happened.' : `${parts.join(', ')}.`
}
