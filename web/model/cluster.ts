import type { LabelSet, NodeRow, PodRow, Transition } from '../../src/wire/console-wire.ts'
import { expandLabels } from './compact-rows.ts'
import type { Labels } from './label-selector.ts'
import { F, holds, N, P, podState } from './rows.ts'
import { SmallModel } from './small-model.ts'

/** A node with the sums of its pods. */
export interface NodeCell {
  row: NodeRow
  cpuMilli: number
  memoryBytes: number
  /** Pods that use resources. */
  podCount: number
  /** Requested extended resources. */
  devices: number
  terminating: number
  /** All pods on the node, including finished ones. */
  readonly pods: Set<string>
  readonly nominated: Set<string>
}

const noLabels: Labels = {}

/** The cluster in the browser: rows, and sums that are updated row by row. */
export class ClusterModel {
  readonly nodes = new Map<string, NodeCell>()
  readonly pods = new Map<string, PodRow>()
  /** Pods without a node. */
  readonly unplaced = new Set<string>()
  readonly podsByState: number[] = [0, 0, 0, 0, 0, 0, 0, 0]
  /** Increases when nodes are added, removed, or move to another zone, which changes the layout of the map. */
  shape = 0
  readonly small: SmallModel
  private readonly labelSets: Map<number, Labels>
  /** Pods on nodes that do not exist, by node. */
  private readonly homeless = new Map<string, Set<string>>()

  constructor(labelSets: Map<number, Labels> = new Map(), small = new SmallModel()) {
    this.labelSets = labelSets
    this.small = small
  }

  /** An independent copy for another time. */
  copy(): ClusterModel {
    const copy = new ClusterModel(this.labelSets, this.small)
    for (const { row } of this.nodes.values()) copy.putNode(row)
    for (const row of this.pods.values()) copy.putPod(row)
    return copy
  }

  labelsOf(set: number): Labels {
    return this.labelSets.get(set) ?? noLabels
  }

  addLabels(sets: readonly LabelSet[]): void {
    for (const set of sets) this.labelSets.set(set[0], expandLabels(set, this.labelSets))
  }

  putNode(row: NodeRow): NodeRow | undefined {
    const name = row[N.name]
    const present = this.nodes.get(name)
    if (present !== undefined) {
      const before = present.row
      present.row = row
      if (before[N.zone] !== row[N.zone] || before[N.labels] !== row[N.labels]) this.shape++
      return before
    }
    const cell: NodeCell = {
      row,
      cpuMilli: 0,
      memoryBytes: 0,
      podCount: 0,
      devices: 0,
      terminating: 0,
      pods: new Set(),
      nominated: new Set(),
    }
    this.nodes.set(name, cell)
    this.shape++
    for (const key of this.homeless.get(name) ?? []) {
      const pod = this.pods.get(key)
      if (pod !== undefined) this.place(pod, 1)
    }
    this.homeless.delete(name)
    return undefined
  }

  dropNode(name: string): NodeRow | undefined {
    const cell = this.nodes.get(name)
    if (cell === undefined) return undefined
    this.nodes.delete(name)
    this.shape++
    const left = new Set([...cell.pods, ...cell.nominated])
    if (left.size > 0) this.homeless.set(name, left)
    return cell.row
  }

  putPod(row: PodRow): PodRow | undefined {
    const key = row[P.key]
    const before = this.pods.get(key)
    if (before !== undefined) this.count(before, -1)
    this.pods.set(key, row)
    this.count(row, 1)
    return before
  }

  dropPod(key: string): PodRow | undefined {
    const before = this.pods.get(key)
    if (before === undefined) return undefined
    this.count(before, -1)
    this.pods.delete(key)
    return before
  }

  /** Applies or reverts a transition. */
  move(transition: Transition, direction: 'forward' | 'back'): void {
    const [, , table, key, before, after] = transition
    const row = direction === 'forward' ? after : before
    if (table === 'n') {
      if (row === null) this.dropNode(key)
      else this.putNode(row as NodeRow)
    } else if (row === null) this.dropPod(key)
    else this.putPod(row as PodRow)
  }

  private count(pod: PodRow, sign: 1 | -1): void {
    const state = pod[P.state]
    this.podsByState[state] = (this.podsByState[state] ?? 0) + sign
    if (pod[P.node] === '') {
      if (sign === 1) this.unplaced.add(pod[P.key])
      else this.unplaced.delete(pod[P.key])
    }
    this.place(pod, sign)
  }

  private place(pod: PodRow, sign: 1 | -1): void {
    const key = pod[P.key]
    const node = pod[P.node]
    const nominated = pod[P.nominated]
    if (nominated !== '' && node === '') {
      const cell = this.nodes.get(nominated)
      if (cell === undefined) this.homelessOn(nominated, key, sign)
      else if (sign === 1) cell.nominated.add(key)
      else cell.nominated.delete(key)
    }
    if (node === '') return
    const cell = this.nodes.get(node)
    if (cell === undefined) {
      this.homelessOn(node, key, sign)
      return
    }
    if (sign === 1) cell.pods.add(key)
    else cell.pods.delete(key)
    if (!holds(pod)) return
    cell.cpuMilli += sign * pod[P.cpuMilli]
    cell.memoryBytes += sign * pod[P.memoryBytes]
    cell.podCount += sign
    cell.devices += sign * (pod[P.devices] ?? 0)
    if (pod[P.state] === podState.terminating) cell.terminating += sign
  }

  private homelessOn(node: string, key: string, sign: 1 | -1): void {
    const set = this.homeless.get(node) ?? new Set()
    if (sign === 1) set.add(key)
    else set.delete(key)
    if (set.size > 0) this.homeless.set(node, set)
    else this.homeless.delete(node)
  }
}

/** The price of nodes per hour; undefined if no price is known. */
export function priceOf(cluster: ClusterModel, nodes: Iterable<string>): number | undefined {
  const figures = cluster.small.rows('figures')
  if (figures.size === 0) return undefined
  let sum: number | undefined
  for (const name of nodes) {
    const price = figures.get(name)?.[F.price] ?? -1
    if (price >= 0) sum = (sum ?? 0) + price
  }
  return sum
}

export interface Totals {
  readonly nodes: number
  readonly nodesReady: number
  readonly cpuMilli: number
  readonly cpuAllocatableMilli: number
  readonly memoryBytes: number
  readonly memoryAllocatableBytes: number
  /** The sum for the nodes with a known price; undefined if there is no such node. */
  readonly pricePerHour: number | undefined
}

export function totalsOf(cluster: ClusterModel): Totals {
  let nodesReady = 0
  let cpuMilli = 0
  let cpuAllocatableMilli = 0
  let memoryBytes = 0
  let memoryAllocatableBytes = 0
  for (const cell of cluster.nodes.values()) {
    if (cell.row[N.health] === 0) nodesReady++
    cpuMilli += cell.cpuMilli
    memoryBytes += cell.memoryBytes
    cpuAllocatableMilli += cell.row[N.cpuMilli]
    memoryAllocatableBytes += cell.row[N.memoryBytes]
  }
  return {
    nodes: cluster.nodes.size,
    nodesReady,
    cpuMilli,
    cpuAllocatableMilli,
    memoryBytes,
    memoryAllocatableBytes,
    pricePerHour: priceOf(cluster, cluster.nodes.keys()),
  }
}
