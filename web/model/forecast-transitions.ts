import type {
  ConsoleForecast,
  ForecastNodeChange,
  ForecastPod,
  NodeRow,
  PodRow,
  PodStateCode,
  Transition,
} from '../../src/wire/console-wire.ts'
import type { ClusterModel } from './cluster.ts'
import { flags, N, P, podState } from './rows.ts'

interface TransitionMoment {
  readonly seconds: number
  readonly change: (cluster: ClusterModel) => Transition | undefined
}

/** A forecast as transitions of its cluster, so that the map can show any instant. */
export function forecastTransitions(
  forecast: ConsoleForecast,
  from: ClusterModel,
  /** The rows of nodes that are added during the forecast. */
  added: readonly NodeRow[] = [],
): readonly Transition[] {
  const rows = new Map(added.map((row) => [row[N.name], row]))
  const moments = [
    ...forecast.pods.flatMap((pod) => podMoments(pod)),
    ...forecast.nodes.map((change) => nodeMoment(change, rows)),
  ].sort((a, b) => a.seconds - b.seconds)
  const cluster = from.copy()
  const transitions: Transition[] = []
  for (const { seconds, change } of moments) {
    const found = change(cluster)
    if (found === undefined) continue
    const [, , table, key, before, after] = found
    const transition = [
      transitions.length + 1,
      forecast.startMs + seconds * 1000,
      table,
      key,
      before,
      after,
    ] as unknown as Transition
    cluster.move(transition, 'forward')
    transitions.push(transition)
  }
  return transitions
}

function podMoments(pod: ForecastPod): readonly TransitionMoment[] {
  const moments: TransitionMoment[] = []
  const at = (seconds: number | undefined, change: (before: PodRow | undefined) => PodRow | null | undefined) => {
    if (seconds === undefined) return
    moments.push({
      seconds,
      change: (cluster) => {
        const before = cluster.pods.get(pod.pod)
        const after = change(before)
        if (after === undefined || (before === undefined && after === null)) return undefined
        return [0, 0, 'p', pod.pod, before ?? null, after]
      },
    })
  }
  const turn = (state: PodStateCode) => (before: PodRow | undefined) =>
    before === undefined ? undefined : edited(before, { state })
  if (pod.isNew) at(pod.created ?? 0, () => freshPod(pod))
  const { node } = pod
  if (node !== undefined)
    at(pod.bound, (before) => (before === undefined ? undefined : edited(before, { node, state: podState.starting })))
  at(pod.started, turn(podState.running))
  at(pod.notReady, turn(podState.notReady))
  at(pod.readyAgain, turn(podState.running))
  at(pod.deleted, turn(podState.terminating))
  at(pod.gone, () => null)
  return moments
}

function freshPod(pod: ForecastPod): PodRow {
  return [pod.pod, '', podState.pending, pod.cpuMilli, pod.memoryBytes, 0, 0, 0, '', '', 0]
}

function edited(row: PodRow, change: { readonly node?: string; readonly state: PodStateCode }): PodRow {
  const copy = [...row] as unknown as { -readonly [At in keyof PodRow]: PodRow[At] }
  copy[P.state] = change.state
  if (change.node !== undefined) copy[P.node] = change.node
  return copy
}

function nodeMoment(
  { at, node, what, detail }: ForecastNodeChange,
  added: ReadonlyMap<string, NodeRow>,
): TransitionMoment {
  return {
    seconds: at,
    change: (cluster) => {
      const before = cluster.nodes.get(node)?.row
      if (before === undefined) {
        const row = what === 'created' ? added.get(node) : undefined
        return row === undefined ? undefined : [0, 0, 'n', node, null, row]
      }
      const after = what === 'deleted' ? null : editedNode(before, what, detail ?? '')
      return [0, 0, 'n', node, before, after]
    },
  }
}

function editedNode(row: NodeRow, what: ForecastNodeChange['what'], detail: string): NodeRow {
  const copy = [...row] as unknown as { -readonly [At in keyof NodeRow]: NodeRow[At] }
  switch (what) {
    case 'ready':
      copy[N.health] = detail === 'True' ? 0 : detail === 'False' ? 1 : 2
      break
    case 'tainted':
      copy[N.taints] = [...row[N.taints], detail]
      break
    case 'untainted':
      copy[N.taints] = row[N.taints].filter((taint) => taint !== detail)
      break
    case 'cordoned':
      copy[N.flags] = row[N.flags] | flags.cordoned
      break
    case 'uncordoned':
      copy[N.flags] = row[N.flags] & ~flags.cordoned
      break
    default:
      break
  }
  return copy
}
