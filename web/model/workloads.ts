// The workloads of the console: their replicas, their pods, and their disruption budgets.
import type { BudgetRow } from '../../src/wire/console-tables.ts'
import type { PodRow, Transition } from '../../src/wire/console-wire.ts'
import type { ClusterModel } from './cluster.ts'
import { parseSelector } from './label-selector.ts'
import { N, namespaceOf, P, podState } from './rows.ts'
import { counted, countText } from './words.ts'

export interface WorkloadStanding {
  /** `namespace/Kind/name`. */
  readonly key: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
  /** Undefined if only the pods of the workload are known. */
  readonly wanted: number | undefined
  readonly ready: number
  readonly updated: number | undefined
  readonly createdMs: number
  readonly trouble: string
  readonly pods: readonly PodRow[]
  readonly restarts: number
  readonly zones: ReadonlyMap<string, number>
  /** The node with most of its pods. */
  readonly worst: { readonly node: string; readonly pods: number } | undefined
  readonly budgets: readonly BudgetRow[]
}

const hashLabel = 'pod-template-hash'

/** The key of the workload of a pod; a ReplicaSet of a Deployment counts as the Deployment. Empty: the pod has no owner. */
export function workloadKeyOf(pod: PodRow, cluster: ClusterModel): string {
  const owner = pod[P.owner]
  if (owner === '') return ''
  const [kind = '', name = ''] = owner.split('/')
  const namespace = namespaceOf(pod[P.key])
  if (kind === 'ReplicaSet') {
    const hash = cluster.labelsOf(pod[P.labels])[hashLabel]
    if (hash !== undefined && name.endsWith(`-${hash}`))
      return `${namespace}/Deployment/${name.slice(0, -hash.length - 1)}`
  }
  return `${namespace}/${owner}`
}

export function standingsOf(cluster: ClusterModel): readonly WorkloadStanding[] {
  const pods = new Map<string, PodRow[]>()
  for (const pod of cluster.pods.values()) {
    const key = workloadKeyOf(pod, cluster)
    if (key === '') continue
    const list = pods.get(key)
    if (list === undefined) pods.set(key, [pod])
    else list.push(pod)
  }
  const rows = cluster.small.rows('workloads')
  const budgets = budgetsByLabels(cluster)
  const keys = new Set([...rows.keys(), ...pods.keys()])
  // Finished Jobs do not count as workloads.
  return [...keys].flatMap((key) =>
    key.includes('/Job/') && !rows.has(key) ? [] : [standingOf(cluster, key, pods.get(key) ?? [], budgets)],
  )
}

type BudgetsOf = (pod: PodRow) => readonly BudgetRow[]

/** The budgets of a pod. Pods share few label sets, so answers are kept for each. */
function budgetsByLabels(cluster: ClusterModel): BudgetsOf {
  const all = [...cluster.small.rows('budgets').values()].map((row) => {
    const selector = parseSelector(row[2])
    return {
      row,
      namespace: namespaceOf(row[0]),
      matches: row[2] === '' ? () => true : selector.ok ? selector.matches : () => false,
    }
  })
  const known = new Map<string, readonly BudgetRow[]>()
  return (pod) => {
    const namespace = namespaceOf(pod[P.key])
    const id = `${namespace} ${pod[P.labels]}`
    const found = known.get(id)
    if (found !== undefined) return found
    const labels = cluster.labelsOf(pod[P.labels])
    const matching = all.filter((one) => one.namespace === namespace && one.matches(labels)).map(({ row }) => row)
    known.set(id, matching)
    return matching
  }
}

function standingOf(
  cluster: ClusterModel,
  key: string,
  pods: readonly PodRow[],
  budgetsOf: BudgetsOf,
): WorkloadStanding {
  const [namespace = '', kind = '', name = ''] = key.split('/')
  const row = cluster.small.rows('workloads').get(key)
  const zones = new Map<string, number>()
  const nodes = new Map<string, number>()
  let restarts = 0
  let ready = 0
  let oldest = 0
  for (const pod of pods) {
    restarts += pod[P.restarts] ?? 0
    if (pod[P.state] === podState.running) ready++
    if (oldest === 0 || pod[P.createdMs] < oldest) oldest = pod[P.createdMs]
    const node = pod[P.node]
    if (node === '' || pod[P.state] > podState.terminating) continue
    nodes.set(node, (nodes.get(node) ?? 0) + 1)
    const zone = cluster.nodes.get(node)?.row[N.zone] ?? ''
    zones.set(zone, (zones.get(zone) ?? 0) + 1)
  }
  let worst: WorkloadStanding['worst']
  // The next drain is not on a node that is already lost.
  const isReady = (node: string) => cluster.nodes.get(node)?.row[N.health] === 0
  const drained = [...nodes].some(([node]) => isReady(node)) ? [...nodes].filter(([node]) => isReady(node)) : nodes
  for (const [node, count] of drained) if (count > (worst?.pods ?? 0)) worst = { node, pods: count }
  return {
    key,
    namespace,
    kind,
    name,
    wanted: row?.[1],
    ready,
    updated: row?.[3],
    createdMs: row?.[4] ?? oldest,
    trouble: row?.[5] ?? '',
    pods,
    restarts,
    zones: new Map([...zones].sort(([a], [b]) => (a < b ? -1 : 1))),
    worst,
    budgets: pods[0] === undefined ? [] : budgetsOf(pods[0]),
  }
}

export interface Outlook {
  readonly tone: 'bad' | 'warn' | 'good' | ''
  readonly text: string
}

/** The effect of a drain on a workload: of the node with most of its pods. */
export function nextDrain({ kind, worst, ready, budgets }: WorkloadStanding): Outlook {
  if (worst === undefined) return { tone: '', text: 'no pod on a node' }
  if (kind === 'DaemonSet') return { tone: '', text: 'pods stay on the node' }
  if (ready === 0) return { tone: 'warn', text: 'no pod is ready' }
  const closed = budgets.find(([, , , , , , allowed]) => allowed <= 0)
  if (budgets.length > 1)
    return { tone: 'bad', text: `blocked: ${counted(budgets.length, 'budget')} select the same pods` }
  if (closed !== undefined) return { tone: 'bad', text: `blocked by budget ${closed[0].split('/')[1]}` }
  const [budget] = budgets
  if (budget !== undefined) {
    const allowed = budget[6]
    if (worst.pods <= allowed) return { tone: 'good', text: `${counted(worst.pods, 'pod moves', 'pods move')}` }
    return { tone: 'good', text: `${counted(worst.pods, 'pod moves', 'pods move')}, ${allowed} at a time` }
  }
  if (worst.pods >= ready) return { tone: 'bad', text: 'all ready pods at once, without a budget' }
  // Ignores a small part of many pods.
  const isMany = worst.pods > 1 && worst.pods >= 0.1 * ready
  return { tone: isMany ? 'warn' : '', text: `${countText(worst.pods)} of ${counted(ready, 'pod')} at once` }
}

/** The lowest number of ready pods since their highest number. A new workload has not lost pods. */
export function lowestSincePeak(series: readonly number[]): number {
  const peak = series.indexOf(Math.max(...series))
  return Math.min(...series.slice(peak))
}

/** Ready pods of each workload at equal intervals, computed backward from the present. */
export function readySeries(
  cluster: ClusterModel,
  standings: readonly WorkloadStanding[],
  transitions: readonly Transition[],
  { from, to, samples }: { readonly from: number; readonly to: number; readonly samples: number },
): ReadonlyMap<string, readonly number[]> {
  const step = (to - from) / (samples - 1)
  const current = new Map<string, number>()
  const series = new Map<string, number[]>()
  for (const { key, ready } of standings) {
    current.set(key, ready)
    series.set(key, new Array(samples).fill(ready))
  }
  // Workloads without changes have the current value for the whole period.
  const touched = new Set<string>()
  let at = samples - 1
  const record = (until: number) => {
    for (; at >= 0 && from + at * step >= until; at--)
      for (const key of touched) (series.get(key) as number[])[at] = current.get(key) as number
  }
  for (let next = transitions.length - 1; next >= 0; next--) {
    const transition = transitions[next] as Transition
    if (transition[1] < from) break
    if (transition[2] !== 'p') continue
    const [, when, , , before, after] = transition
    const change = Number(before?.[P.state] === podState.running) - Number(after?.[P.state] === podState.running)
    if (change === 0) continue
    const key = workloadKeyOf((before ?? after) as PodRow, cluster)
    if (!current.has(key)) continue
    record(when)
    touched.add(key)
    current.set(key, (current.get(key) as number) + change)
  }
  record(Number.NEGATIVE_INFINITY)
  return series
}
