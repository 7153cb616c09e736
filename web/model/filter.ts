import type { PodRow } from '../../src/wire/console-wire.ts'
import type { ClusterModel, NodeCell } from './cluster.ts'
import { looksLikeSelector, parseSelector } from './label-selector.ts'
import { N, P } from './rows.ts'

/** The text of a search box as a filter of nodes and pods. */
export interface Filter {
  readonly text: string
  /** The reason why the filter is invalid. An invalid filter matches everything. */
  readonly problem?: string
  pod(pod: PodRow, cluster: ClusterModel): boolean
  /** Matches the name and the labels of the node, or those of its pods. */
  node(cell: NodeCell, cluster: ClusterModel): boolean
}

export const everything: Filter = { text: '', pod: () => true, node: () => true }

/** A label selector if it has an operator, otherwise a part of a name. */
export function parseFilter(text: string): Filter {
  const wanted = text.trim()
  if (wanted === '') return everything
  if (!looksLikeSelector(wanted)) return byName(wanted.toLowerCase())
  const selector = parseSelector(wanted)
  if (!selector.ok) return { ...everything, text: wanted, problem: selector.message }
  const pod = (row: PodRow, cluster: ClusterModel) => selector.matches(cluster.labelsOf(row[P.labels]))
  return {
    text: wanted,
    pod,
    node: (cell, cluster) => selector.matches(cluster.labelsOf(cell.row[N.labels])) || anyPod(cell, cluster, pod),
  }
}

function byName(wanted: string): Filter {
  const pod = (row: PodRow) => row[P.key].toLowerCase().includes(wanted)
  return {
    text: wanted,
    pod,
    node: (cell, cluster) => cell.row[N.name].toLowerCase().includes(wanted) || anyPod(cell, cluster, pod),
  }
}

function anyPod(cell: NodeCell, cluster: ClusterModel, pod: Filter['pod']): boolean {
  for (const key of cell.pods) {
    const row = cluster.pods.get(key)
    if (row !== undefined && pod(row, cluster)) return true
  }
  return false
}
