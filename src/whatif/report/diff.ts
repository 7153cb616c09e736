import type { Forecast, PodEntry } from './forecast.ts'
import { span } from './phrases.ts'

/** The comparison of two forecasts. */
export interface ForecastDiff {
  readonly apiVersion: 'berth.dev/v1alpha1'
  readonly kind: 'ForecastDiff'
  readonly a: string
  readonly b: string
  readonly isSame: boolean
  readonly numbers: readonly NumberRow[]
  /** Pods, and groups of pods of a workload, whose outcome differs. */
  readonly objects: readonly ObjectRow[]
  readonly nodes: readonly NodeDifference[]
}

export interface NumberRow {
  readonly what: string
  readonly a: string
  readonly b: string
}

export interface ObjectRow {
  readonly object: string
  readonly change:
    | 'moved'
    | 'earlier'
    | 'later'
    | 'deleted only in A'
    | 'deleted only in B'
    | 'placed differently'
    | 'pending in one only'
  readonly a: string
  readonly b: string
}

export interface NodeDifference {
  readonly node: string
  readonly podsA: number
  readonly podsB: number
  readonly a: string
  readonly b: string
}

// Smaller differences in time are not reported.
const sameSeconds = 0.5

export function diffForecasts(a: Forecast, b: Forecast): ForecastDiff {
  const numbers = numberRows(a, b)
  const objects = objectRows(a, b)
  const nodes = nodeRows(a, b)
  return {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'ForecastDiff',
    a: a.question,
    b: b.question,
    isSame: objects.length === 0 && nodes.length === 0 && numbers.every((row) => row.a === row.b),
    numbers,
    objects,
    nodes,
  }
}

function numberRows(a: Forecast, b: Forecast): readonly NumberRow[] {
  const at = (seconds: number | undefined) => (seconds === undefined ? 'never' : span(seconds * 1000))
  const share = ({ requested, allocatable }: { readonly requested: number; readonly allocatable: number }) =>
    allocatable === 0 ? '0%' : `${((100 * requested) / allocatable).toFixed(1)}%`
  const rows: readonly (readonly [string, (forecast: Forecast) => string])[] = [
    ['pods deleted', ({ answer }) => String(answer.deleted)],
    ['first deletion', ({ answer }) => at(answer.firstDeletion)],
    ['last deletion', ({ answer }) => at(answer.lastDeletion)],
    ['not replaced', ({ answer }) => String(answer.lost)],
    ['pods pending', ({ answer }) => String(answer.pending)],
    ['budgets violated', ({ answer }) => answer.budgetsBroken.join(', ') || 'none'],
    ['recovered', ({ answer }) => at(answer.wellAgain)],
    ['loops', ({ loops }) => String(loops.length)],
    ['pods running', ({ after }) => String(after.pods.running)],
    ['nodes ready', ({ after }) => `${after.nodesReady}/${after.nodes}`],
    ['cpu requested', ({ after }) => share(after.cpu)],
    ['memory requested', ({ after }) => share(after.memory)],
    ['room for pods', ({ after }) => String(after.room)],
    ['fragmentation', ({ after }) => `${(100 * after.fragmentation).toFixed(1)}%`],
  ]
  return rows.map(([what, read]) => ({ what, a: read(a), b: read(b) }))
}

/** Pods with generated names have different names in each run, so they are compared by workload. */
function objectRows(a: Forecast, b: Forecast): readonly ObjectRow[] {
  const stable = (forecast: Forecast) => new Map(forecast.pods.filter(isStable).map((pod) => [pod.pod, pod]))
  const podsA = stable(a)
  const podsB = stable(b)
  const names = [...new Set([...podsA.keys(), ...podsB.keys()])].sort()
  const rows = names.flatMap((name) => podRows(name, podsA.get(name), podsB.get(name)))
  return [...rows, ...groupRows(a, b)]
}

function isStable({ isNew, group }: PodEntry): boolean {
  return !isNew || group === undefined
}

function podRows(name: string, a: PodEntry | undefined, b: PodEntry | undefined): readonly ObjectRow[] {
  const deletedA = a?.deleted
  const deletedB = b?.deleted
  const text = (pod: PodEntry | undefined): string => {
    if (pod?.deleted !== undefined) return `deleted at ${span(pod.deleted * 1000)}`
    if (pod?.pending !== undefined) return 'pending'
    return pod?.node === undefined ? 'unchanged' : `on ${pod.node}`
  }
  const row = (change: ObjectRow['change']): readonly ObjectRow[] => [{ object: name, change, a: text(a), b: text(b) }]
  if (deletedA !== undefined && deletedB === undefined) return row('deleted only in A')
  if (deletedA === undefined && deletedB !== undefined) return row('deleted only in B')
  if (deletedA !== undefined && deletedB !== undefined) {
    if (Math.abs(deletedA - deletedB) < sameSeconds) return []
    return row(deletedB < deletedA ? 'earlier' : 'later')
  }
  if ((a?.pending === undefined) !== (b?.pending === undefined)) return row('pending in one only')
  return a !== undefined && b !== undefined && a.node !== b.node ? row('moved') : []
}

function groupRows(a: Forecast, b: Forecast): readonly ObjectRow[] {
  const groupsA = landingsByGroup(a)
  const groupsB = landingsByGroup(b)
  return [...new Set([...groupsA.keys(), ...groupsB.keys()])].sort().flatMap((group): readonly ObjectRow[] => {
    const [textA, textB] = [groupsA.get(group) ?? 'none', groupsB.get(group) ?? 'none']
    return textA === textB ? [] : [{ object: group, change: 'placed differently', a: textA, b: textB }]
  })
}

/** For each workload, the number of its new pods per node, and the number of new pods that are pending. */
function landingsByGroup({ pods }: Forecast): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>()
  for (const { pod, group, isNew, node, pending } of pods) {
    if (!isNew || group === undefined) continue
    const name = `${pod.slice(0, pod.indexOf('/'))}/${group}`
    const places = counts.get(name) ?? new Map<string, number>()
    const place = pending === undefined ? (node ?? 'no node') : 'pending'
    places.set(place, (places.get(place) ?? 0) + 1)
    counts.set(name, places)
  }
  return new Map(
    [...counts].map(([name, places]) => [
      name,
      [...places]
        .sort(([x], [y]) => (x < y ? -1 : 1))
        .map(([place, count]) => `${place} ${count}`)
        .join(', '),
    ]),
  )
}

function nodeRows(a: Forecast, b: Forecast): readonly NodeDifference[] {
  const nodesA = new Map(a.nodes.map((node) => [node.node, node]))
  const nodesB = new Map(b.nodes.map((node) => [node.node, node]))
  const text = (node: Forecast['nodes'][number] | undefined): string => {
    if (node === undefined || node.state === 'removed') return 'removed'
    return [
      `${node.pods} pods`,
      ...(node.isReady ? [] : ['not ready']),
      ...(node.isCordoned ? ['cordoned'] : []),
      ...node.taints,
    ].join(', ')
  }
  return [...new Set([...nodesA.keys(), ...nodesB.keys()])].sort().flatMap((name) => {
    const [one, other] = [nodesA.get(name), nodesB.get(name)]
    if (text(one) === text(other)) return []
    return [{ node: name, podsA: one?.pods ?? 0, podsB: other?.pods ?? 0, a: text(one), b: text(other) }]
  })
}
