// Descriptions of changes of rows, and of Events.
import type { EventRow, NodeRow, PodRow, Transition } from '../../src/wire/console-wire.ts'
import { flags, has, N, P, podState, podStateNames } from './rows.ts'

export interface Happening {
  readonly at: number
  readonly what: string
  readonly about: { readonly kind: 'node' | 'pod' | 'other'; readonly key: string }
  readonly tone: '' | 'good' | 'warn' | 'bad' | 'odd'
  /** An Event of Kubernetes with its reporting component. */
  readonly by?: string
  readonly count?: number
}

/** The description of a transition; undefined if it is not relevant. */
export function happeningsOf(transition: Transition): readonly Happening[] {
  const [, at, table, key] = transition
  const found: Happening[] = []
  const say = (what: string, tone: Happening['tone'] = '') =>
    found.push({ at, what, tone, about: { kind: table === 'n' ? 'node' : 'pod', key } })
  if (table === 'n') nodeWords(transition[4], transition[5], say)
  else podWords(transition[4], transition[5], say)
  return found
}

type Say = (what: string, tone?: Happening['tone']) => void

function podWords(before: PodRow | null, after: PodRow | null, say: Say): void {
  if (after === null) {
    say('gone')
    return
  }
  if (before === null) say('created')
  const node = after[P.node]
  if (node !== '' && node !== (before?.[P.node] ?? '')) say(`placed on ${node}`, 'good')
  const nominated = after[P.nominated]
  if (nominated !== '' && nominated !== (before?.[P.nominated] ?? '') && node === '')
    say(`nominated for ${nominated}`, 'odd')
  const state = after[P.state]
  if (state === before?.[P.state]) return
  if (state === podState.running) say('running', 'good')
  else if (state === podState.notReady) say(before === null ? 'not ready' : 'no longer ready', 'warn')
  else if (state === podState.terminating) say('terminating', 'bad')
  else if (state === podState.gated) say('gated by a scheduling gate', 'odd')
  else if (state > podState.terminating) say(podStateNames[state].toLowerCase(), state === podState.failed ? 'bad' : '')
}

const healthWords = ['ready', 'not ready', 'no heartbeat: Ready is Unknown', 'new'] as const

function nodeWords(before: NodeRow | null, after: NodeRow | null, say: Say): void {
  if (after === null) {
    say('node removed', 'bad')
    return
  }
  if (before === null) say('node added')
  const health = after[N.health]
  if (health !== before?.[N.health] && health !== 3) say(healthWords[health], health === 0 ? 'good' : 'bad')
  const old = before?.[N.taints] ?? []
  for (const taint of after[N.taints]) if (!old.includes(taint)) say(`tainted ${taint}`, 'warn')
  for (const taint of old) if (!after[N.taints].includes(taint)) say(`no longer tainted ${taint}`)
  const cordoned = has(after, flags.cordoned)
  if (cordoned !== (before !== null && has(before, flags.cordoned)))
    say(cordoned ? 'cordoned' : 'uncordoned', cordoned ? 'warn' : '')
  const cidrs = after[N.podCidrs]
  if (cidrs !== '' && cidrs !== before?.[N.podCidrs]) say(`given ${cidrs}`)
}

export function happeningOfEvent([at, type, reason, kind, key, message, count, component]: EventRow): Happening {
  return {
    at,
    what: `${reason}: ${message}`,
    tone: type === 'Warning' ? 'warn' : '',
    about: { kind: kind === 'Pod' ? 'pod' : kind === 'Node' ? 'node' : 'other', key },
    by: component,
    count,
  }
}

/** Of changes at the same instant, the later one also comes first. */
export function newestFirst(happenings: readonly Happening[]): readonly Happening[] {
  return [...happenings].reverse().sort((a, b) => b.at - a.at)
}

/** Entries from before the connection and from the connection may overlap. */
export function eventsOnce(earlier: readonly EventRow[], later: readonly EventRow[]): readonly EventRow[] {
  const seen = new Set<string>()
  return [...earlier, ...later].filter(([at, , reason, kind, key, , count]) => {
    const name = `${at} ${reason} ${kind} ${key} ${count}`
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

/** Matches any of the words, ignoring case. */
export function matchingHappenings(happenings: readonly Happening[], text: string): readonly Happening[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return happenings
  return happenings.filter(({ what, about, by = '' }) => `${about.key} ${what} ${by}`.toLowerCase().includes(wanted))
}
