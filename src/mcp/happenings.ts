import { encodeJson } from '../base/exact-json.ts'
import type { Fact } from '../whatif/facts/fact.ts'
import { listed, span } from '../whatif/report/phrases.ts'
import { oneLine } from './cluster-text.ts'
import type { Fork } from './fork.ts'

/** The facts of a fork after a given number of facts: counts, and one line each. */
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

/** The omitted facts: steps are actions of the caller, and other facts imply recoveries and starts. */
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
  const lines = facts.length > factsAlone ? groupedLines(facts) : facts.map(lineOf)
  return { counts: { ...counts }, lines, state: stateOf(fork) }
}

// More facts are grouped, because a failed zone has thousands of them.
const factsAlone = 20
const lineLength = 300

function lineOf({ atMs, about, key, what, detail }: Fact): string {
  return oneLine(`+${span(atMs)} ${about.toLowerCase()} ${key} ${what}${detailText(detail)}`).slice(0, lineLength)
}

function detailText(detail: unknown): string {
  if (detail === undefined) return ''
  return ` ${typeof detail === 'string' ? detail : encodeJson(detail)}`
}

/** Facts whose detail is the place, which differs between pods. */
const placed: ReadonlySet<Fact['what']> = new Set(['bound', 'gone', 'notReady', 'created', 'deleted', 'ended'])

/** One line for the same fact about many pods or nodes, with the first and the last time. */
function groupedLines(facts: readonly Fact[]): readonly string[] {
  const groups = new Map<string, Fact[]>()
  for (const fact of facts) {
    const key = `${fact.about} ${fact.what}${placed.has(fact.what) ? '' : detailText(fact.detail)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [fact])
    else group.push(fact)
  }
  return [...groups.values()].map((group) => {
    const [first, last] = [group[0] as Fact, group.at(-1) as Fact]
    if (group.length === 1) return lineOf(first)
    const time = first.atMs === last.atMs ? `+${span(first.atMs)}` : `+${span(first.atMs)} to +${span(last.atMs)}`
    const what = `${first.what}${placed.has(first.what) ? '' : detailText(first.detail)}`
    const names = listed(namesOf(group), namesShown)
    return oneLine(`${time} ${group.length} ${first.about.toLowerCase()}s ${what.slice(0, 160)}: ${names}`).slice(
      0,
      lineLength,
    )
  })
}

const namesShown = 5

/** Pods of a workload by its name, with their number. */
function namesOf(facts: readonly Fact[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { key, group } of facts) {
    const name = group === undefined ? key : `${key.slice(0, key.indexOf('/') + 1)}${group}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`))
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
