import type { ClusterModel, NodeCell } from '../model/cluster.ts'
import { healthNames, N, worstTaint } from '../model/rows.ts'
import type { NodeGroup } from './layout.ts'

/** The keys by which nodes are grouped, in addition to labels. */
export const virtualKeys: ReadonlyMap<string, (cell: NodeCell) => string> = new Map([
  ['zone', ({ row }) => row[N.zone] || 'no zone'],
  ['health', ({ row }) => healthNames[row[N.health]]],
  ['taint', ({ row }) => (worstTaint(row) === 'none' ? 'no taint' : worstTaint(row))],
  ['kubelet', ({ row }) => row[N.kubelet] || 'unknown version'],
] satisfies readonly (readonly [string, (cell: NodeCell) => string])[])

const byName = new Intl.Collator('en', { numeric: true }).compare

/** Nodes by one or two keys, in natural order; nodes without the label come last. */
export function groupNodes(cluster: ClusterModel, by: string, then: string): readonly NodeGroup[] {
  const first = keyValue(cluster, by)
  const second = then === '' || then === by ? undefined : keyValue(cluster, then)
  const groups = new Map<string, { parent: string; title: string; nodes: string[] }>()
  for (const cell of cluster.nodes.values()) {
    const outer = first(cell)
    const parent = second === undefined ? '' : outer
    const title = second === undefined ? outer : second(cell)
    const id = `${parent}\n${title}`
    const group = groups.get(id)
    if (group === undefined) groups.set(id, { parent, title, nodes: [cell.row[N.name]] })
    else group.nodes.push(cell.row[N.name])
  }
  const sorted = [...groups.values()].sort((a, b) => last(a.parent, b.parent) || last(a.title, b.title))
  for (const { nodes } of sorted) nodes.sort(byName)
  return sorted
}

const isAbsent = (title: string) => title.startsWith('no ')
const last = (a: string, b: string) => Number(isAbsent(a)) - Number(isAbsent(b)) || byName(a, b)

function keyValue(cluster: ClusterModel, key: string): (cell: NodeCell) => string {
  if (key === '') return () => 'All nodes'
  const virtual = virtualKeys.get(key)
  if (virtual !== undefined) return virtual
  const absent = `no ${shortKey(key)}`
  return ({ row }) => {
    const labels = cluster.labelsOf(row[N.labels])
    return Object.hasOwn(labels, key) ? (labels[key] as string) || '""' : absent
  }
}

/** `karpenter.sh/nodepool` → `nodepool`. */
export const shortKey = (key: string) => key.slice(key.lastIndexOf('/') + 1)

const mostValues = 150

/** Labels that divide the nodes into groups: more than one value, and fewer than nodes. */
export function groupingKeys(cluster: ClusterModel): readonly string[] {
  const values = new Map<string, Set<string>>()
  for (const { row } of cluster.nodes.values()) {
    for (const [key, value] of Object.entries(cluster.labelsOf(row[N.labels]))) {
      const set = values.get(key)
      if (set === undefined) values.set(key, new Set([value]))
      else if (set.size <= mostValues) set.add(value)
    }
  }
  const most = Math.min(mostValues, Math.max(2, cluster.nodes.size * 0.6))
  return [...values]
    .filter(([, set]) => set.size > 1 && set.size <= most)
    .map(([key]) => key)
    .filter((key) => key !== 'topology.kubernetes.io/zone')
    .sort((a, b) => rank(a) - rank(b) || byName(a, b))
}

/** Labels that usually name the pool of a node. */
export const poolLabels: readonly string[] = [
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'node.kubernetes.io/pool',
  'nodepool',
  'pool',
]

const rank = (key: string) => {
  const at = poolLabels.indexOf(key)
  if (at >= 0) return at
  return key.includes('instance-type') ? 20 : key.includes('kubernetes.io/') ? 40 : 30
}

/** The label that names the pool of a node, if the nodes have one. */
export function poolLabelOf(cluster: ClusterModel): string | undefined {
  for (const { row } of cluster.nodes.values()) {
    const labels = cluster.labelsOf(row[N.labels])
    const found = poolLabels.find((key) => Object.hasOwn(labels, key))
    if (found !== undefined) return found
  }
  return undefined
}

/** The part of each name that differs within its group: `ip-10-0-12-34.ec2.internal` → `12-34`. */
export function distinctNames(names: readonly string[]): ReadonlyMap<string, string> {
  const [first = ''] = names
  if (names.length < 2) return new Map([[first, first]])
  let front = first.length
  let back = first.length
  for (const name of names) {
    front = Math.min(front, common(first, name, false))
    back = Math.min(back, common(first, name, true))
  }
  while (front > 0 && isWord(first[front - 1])) front--
  while (back > 0 && isWord(first[first.length - back])) back--
  return new Map(
    names.map((name) => {
      const end = Math.max(name.length - back, Math.min(name.length, front + 1))
      return [name, name.slice(Math.min(front, end - 1), end) || name]
    }),
  )
}

const isWord = (letter: string | undefined) => letter !== undefined && /[a-z0-9]/.test(letter)

function common(a: string, b: string, fromEnd: boolean): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && (fromEnd ? a.at(-1 - count) === b.at(-1 - count) : a[count] === b[count])) count++
  return count
}
