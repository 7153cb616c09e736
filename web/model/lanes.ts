import type { NodeRow, PodRow, Transition } from '../../src/wire/console-wire.ts'
import { flags, has, N, P, podState, statusOf } from './rows.ts'

/** A part of a lane in which the state does not change. */
export interface LaneSegment {
  readonly from: number
  readonly to: number
  /** A class of swatches. */
  readonly swatch: string
  readonly text: string
}

/** The states of one node or pod over time. */
export interface Lane {
  readonly key: string
  readonly segments: readonly LaneSegment[]
}

interface LaneState {
  readonly swatch: string
  readonly text: string
}

const absent: LaneState = { swatch: '', text: '' }

function nodeState(row: NodeRow | null): LaneState {
  if (row === null) return absent
  if (row[N.health] === 2) return { swatch: 'health-unknown', text: 'no heartbeat' }
  if (row[N.health] === 1) return { swatch: 'health-notready', text: 'not ready' }
  if (row[N.health] === 3) return { swatch: 'health-new', text: 'new' }
  if (has(row, flags.cordoned)) return { swatch: 'cordoned', text: 'cordoned' }
  return { swatch: 'health-ready', text: 'ready' }
}

const podSwatches = [
  'pod-nominated',
  'pod-nominated',
  'pod-starting',
  'pod-running',
  'pod-notready',
  'pod-terminating',
  'pod-done',
  'pod-done',
] as const

function podLane(row: PodRow | null): LaneState {
  if (row === null) return absent
  const where = row[P.node] === '' ? '' : ` on ${row[P.node]}`
  const text = row[P.state] === podState.pending ? 'Pending' : statusOf(row)
  return { swatch: podSwatches[row[P.state]], text: `${text}${where}` }
}

const swatchTexts: ReadonlyMap<string, string> = new Map([
  ['health-ready', 'ready'],
  ['cordoned', 'cordoned'],
  ['health-notready', 'not ready'],
  ['health-unknown', 'no heartbeat'],
  ['health-new', 'new'],
  ['pod-nominated', 'pending'],
  ['pod-starting', 'starting'],
  ['pod-running', 'running'],
  ['pod-notready', 'not ready'],
  ['pod-terminating', 'terminating'],
  ['pod-done', 'ended'],
])

/** The colors in use and their meaning. */
export function laneLegend(lanes: readonly Lane[]): readonly (readonly [swatch: string, text: string])[] {
  const used = new Set(lanes.flatMap(({ segments }) => segments.map(({ swatch }) => swatch)))
  return [...swatchTexts].filter(([swatch]) => used.has(swatch))
}

/** The lanes of the nodes or pods that changed last in a period. `transitions` are in order. */
export function lanesOf(
  transitions: readonly Transition[],
  table: 'n' | 'p',
  { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
): readonly Lane[] {
  const changes = new Map<string, Transition[]>()
  for (let at = transitions.length - 1; at >= 0; at--) {
    const transition = transitions[at] as Transition
    if (transition[2] !== table || transition[1] < from || transition[1] > to) continue
    const list = changes.get(transition[3])
    if (list !== undefined) list.push(transition)
    else if (changes.size < most) changes.set(transition[3], [transition])
  }
  return [...changes].map(([key, newestFirst]) => ({ key, segments: segmentsOf(newestFirst.reverse(), from, to) }))
}

function segmentsOf(transitions: readonly Transition[], from: number, to: number): readonly LaneSegment[] {
  const segments: LaneSegment[] = []
  let since = from
  const [first] = transitions
  let state = first === undefined ? absent : stateOf(first, 4)
  const close = (until: number) => {
    if (state.swatch !== '' && until > since) segments.push({ from: since, to: until, ...state })
  }
  for (const transition of transitions) {
    const next = stateOf(transition, 5)
    if (next.swatch === state.swatch && next.text === state.text) continue
    close(transition[1])
    since = transition[1]
    state = next
  }
  close(to)
  return segments
}

const stateOf = (transition: Transition, side: 4 | 5): LaneState =>
  transition[2] === 'n' ? nodeState(transition[side]) : podLane(transition[side])
