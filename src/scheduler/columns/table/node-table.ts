import { deepEqual } from '../../../api/equality.ts'
import type { Node } from '../../../api/objects/node.ts'
import { encodeJson } from '../../../base/exact-json.ts'
import type { ParsedPod } from '../../contract/parsed-pod.ts'
import { ChangeLog, changeKinds } from './change-log.ts'
import { ImageStates } from './image-states.ts'
import { LabelColumn } from './label-column.ts'
import { NodeRow } from './node-row.ts'
import { NodeTree } from './node-tree.ts'
import { PlacedShapes } from './placed-shapes.ts'
import { TermRegistry } from './term-registry.ts'

const initialCapacity = 64

/** The amounts of one resource on all nodes. */
export interface AmountColumn {
  allocatable: Float64Array
  requested: Float64Array
}

/**
 * The nodes in columns: one typed array per figure and one row per node. Rows are reused. The columns mirror the
 * NodeRow objects, which the plain evaluator reads.
 */
export class NodeTable {
  readonly log = new ChangeLog()
  readonly images = new ImageStates()
  readonly terms = new TermRegistry()
  readonly rows: (NodeRow | undefined)[] = []
  capacity = initialCapacity
  /** 1 where a node exists. */
  exists = new Uint8Array(initialCapacity)
  readonly cpuMilli = amountColumn(initialCapacity)
  readonly memoryBytes = amountColumn(initialCapacity)
  readonly ephemeralStorageBytes = amountColumn(initialCapacity)
  /** `requested` is the number of pods. */
  readonly pods = amountColumn(initialCapacity)
  readonly nonZeroCpuMilli = { requested: new Float64Array(initialCapacity) }
  readonly nonZeroMemoryBytes = { requested: new Float64Array(initialCapacity) }
  /** Nodes with equal taints and equal spec.unschedulable have the same id. */
  taintIds = new Int32Array(initialCapacity)
  /** Nodes with equal declared features have the same id. */
  featureIds = new Int32Array(initialCapacity)
  nodeCount = 0
  /** Increases when the set of nodes or their order changes. */
  membership = 0
  private readonly tree = new NodeTree()
  private readonly byName = new Map<string, NodeRow>()
  private readonly free: number[] = []
  private readonly scalars = new Map<string, AmountColumn>()
  private readonly labels = new Map<string, LabelColumn>()
  private readonly taintSets = new Map<string, number>()
  private readonly featureSets = new Map<string, number>()
  private shapes: PlacedShapes | undefined
  private ordered: { readonly membership: number; readonly nodes: readonly NodeRow[] } | undefined

  row(name: string): NodeRow | undefined {
    return this.byName.get(name)
  }

  /** The row of an existing node. */
  node(name: string): NodeRow | undefined {
    const row = this.byName.get(name)
    return row?.exists === true ? row : undefined
  }

  /** The lowest priority of the pods on the node of a row. */
  lowestPriority(row: number): number {
    return this.rows[row]?.lowestPriority ?? Number.POSITIVE_INFINITY
  }

  /** All nodes in upstream's order. */
  nodes(): readonly NodeRow[] {
    if (this.ordered?.membership !== this.membership) {
      const nodes = this.tree.list().map((name) => this.byName.get(name) as NodeRow)
      this.ordered = { membership: this.membership, nodes }
    }
    return this.ordered.nodes
  }

  scalar(name: string): AmountColumn {
    let column = this.scalars.get(name)
    if (column === undefined) {
      column = amountColumn(this.capacity)
      this.scalars.set(name, column)
      for (const row of this.rows) if (row !== undefined) mirrorScalar(column, name, row)
    }
    return column
  }

  label(key: string): LabelColumn {
    let column = this.labels.get(key)
    if (column === undefined) {
      column = new LabelColumn(key, this.capacity)
      this.labels.set(key, column)
      for (const row of this.rows) if (row?.exists === true) column.set(row.row, labelOf(row.node, key))
    }
    return column
  }

  /** The rows by shape of their pods. */
  placed(): PlacedShapes {
    this.shapes ??= new PlacedShapes(this.rows)
    return this.shapes
  }

  setNode(node: Node): void {
    const row = this.open(node.metadata.name)
    if (!row.exists) {
      this.nodeCount++
      this.membership++
      this.tree.add(node)
      this.images.add(node)
      row.setNode(node)
      this.mirrorNode(row)
      this.log.push(changeKinds.node, row.row)
      return
    }
    const before = row.node
    if (!sameForScheduling(before, node)) {
      // A node that moves to another zone changes its position in the order.
      if (this.tree.update(before, node)) this.membership++
      if (!deepEqual(before.status?.images, node.status?.images)) {
        this.images.remove(before)
        this.images.add(node)
      }
      row.setNode(node)
      this.mirrorNode(row)
      this.log.push(changeKinds.node, row.row)
    } else row.node = node
  }

  dropNode(name: string): void {
    const row = this.byName.get(name)
    if (row === undefined || !row.exists) return
    this.tree.remove(row.node)
    this.images.remove(row.node)
    row.dropNode()
    this.nodeCount--
    this.membership++
    this.mirrorNode(row)
    this.log.push(changeKinds.node, row.row)
    this.release(row)
  }

  /** Logs a change of something that belongs to the node, such as its volumes. */
  touch(name: string): void {
    const row = this.node(name)
    if (row !== undefined) this.log.push(changeKinds.node, row.row)
  }

  /** Returns the row of the pod. A node that is not added yet also gets a row. */
  addPod(name: string, pod: ParsedPod): NodeRow {
    const row = this.open(name)
    row.addPod(pod)
    this.shapes?.add(pod, row.row)
    this.terms.add(pod.shape)
    this.mirrorPods(row, pod)
    this.log.push(changeKinds.podAdded, row.row, pod)
    return row
  }

  removePod(row: NodeRow, pod: ParsedPod): void {
    if (!row.removePod(pod)) return
    this.shapes?.remove(pod, row.row)
    this.mirrorPods(row, pod)
    this.log.push(changeKinds.podRemoved, row.row, pod)
    this.release(row)
  }

  replacePod(row: NodeRow, before: ParsedPod, after: ParsedPod): void {
    if (before.shape === after.shape && before.isTerminating === after.isTerminating) {
      row.replacePod(before, after)
      this.log.push(changeKinds.podTouched, row.row)
      return
    }
    row.removePod(before)
    this.log.push(changeKinds.podRemoved, row.row, before)
    row.addPod(after)
    this.shapes?.remove(before, row.row)
    this.shapes?.add(after, row.row)
    this.terms.add(after.shape)
    this.mirrorPods(row, before)
    this.mirrorPods(row, after)
    this.log.push(changeKinds.podAdded, row.row, after)
  }

  private open(name: string): NodeRow {
    let row = this.byName.get(name)
    if (row === undefined) {
      const at = this.free.pop() ?? this.rows.length
      if (at >= this.capacity) this.grow()
      row = new NodeRow(name, at)
      this.rows[at] = row
      this.byName.set(name, row)
    }
    return row
  }

  private release(row: NodeRow): void {
    if (row.exists || row.pods.length > 0) return
    this.rows[row.row] = undefined
    this.byName.delete(row.name)
    this.free.push(row.row)
  }

  private mirrorNode(row: NodeRow): void {
    const at = row.row
    this.exists[at] = row.exists ? 1 : 0
    const { allocatable } = row
    this.cpuMilli.allocatable[at] = allocatable.cpuMilli
    this.memoryBytes.allocatable[at] = allocatable.memoryBytes
    this.ephemeralStorageBytes.allocatable[at] = allocatable.ephemeralStorageBytes
    this.pods.allocatable[at] = allocatable.pods
    for (const [name, column] of this.scalars) mirrorScalar(column, name, row)
    for (const [key, column] of this.labels) column.set(at, row.exists ? labelOf(row.node, key) : undefined)
    this.taintIds[at] = intern(this.taintSets, taintSignature(row.node))
    this.featureIds[at] = intern(this.featureSets, (row.node.status?.declaredFeatures ?? []).join(' '))
    this.mirrorRequests(row)
  }

  private mirrorPods(row: NodeRow, pod: ParsedPod): void {
    this.mirrorRequests(row)
    if (pod.shape.requests.scalars.size === 0) return
    for (const name of pod.shape.requests.scalars.keys()) {
      const column = this.scalars.get(name)
      if (column !== undefined) mirrorScalar(column, name, row)
    }
  }

  private mirrorRequests(row: NodeRow): void {
    const at = row.row
    const { requested, nonZeroRequested } = row
    this.cpuMilli.requested[at] = requested.cpuMilli
    this.memoryBytes.requested[at] = requested.memoryBytes
    this.ephemeralStorageBytes.requested[at] = requested.ephemeralStorageBytes
    this.pods.requested[at] = row.pods.length
    this.nonZeroCpuMilli.requested[at] = nonZeroRequested.cpuMilli
    this.nonZeroMemoryBytes.requested[at] = nonZeroRequested.memoryBytes
  }

  private grow(): void {
    this.capacity *= 2
    const { capacity } = this
    this.exists = grownBytes(this.exists, capacity)
    for (const column of [this.cpuMilli, this.memoryBytes, this.ephemeralStorageBytes, this.pods])
      growColumn(column, capacity)
    for (const column of this.scalars.values()) growColumn(column, capacity)
    for (const column of this.labels.values()) column.grow(capacity)
    this.nonZeroCpuMilli.requested = grown(this.nonZeroCpuMilli.requested, capacity)
    this.nonZeroMemoryBytes.requested = grown(this.nonZeroMemoryBytes.requested, capacity)
    this.taintIds = grownInts(this.taintIds, capacity)
    this.featureIds = grownInts(this.featureIds, capacity)
  }
}

// Kubelets update the status every few seconds; most updates only change timestamps, which no plugin reads.
function sameForScheduling(a: Node, b: Node): boolean {
  return (
    same(a.metadata.labels, b.metadata.labels) &&
    same(a.spec, b.spec) &&
    same(a.status?.allocatable, b.status?.allocatable) &&
    same(a.status?.images, b.status?.images) &&
    same(a.status?.declaredFeatures, b.status?.declaredFeatures)
  )
}

function same(a: unknown, b: unknown): boolean {
  return a === b || deepEqual(a, b)
}

function taintSignature({ spec }: Node): string {
  const taints = spec?.taints ?? []
  if (taints.length === 0) return spec?.unschedulable === true ? '!' : ''
  return encodeJson([spec?.unschedulable === true, taints.map(({ key, value, effect }) => [key, value ?? '', effect])])
}

function labelOf(node: Node, key: string): string | undefined {
  const value: unknown = node.metadata.labels?.[key]
  return typeof value === 'string' ? value : undefined
}

function intern(known: Map<string, number>, text: string): number {
  let id = known.get(text)
  if (id === undefined) {
    id = known.size
    known.set(text, id)
  }
  return id
}

function mirrorScalar(column: AmountColumn, name: string, row: NodeRow): void {
  column.allocatable[row.row] = row.allocatable.scalars.get(name) ?? 0
  column.requested[row.row] = row.requested.scalars.get(name) ?? 0
}

function amountColumn(capacity: number): AmountColumn {
  return { allocatable: new Float64Array(capacity), requested: new Float64Array(capacity) }
}

function growColumn(column: AmountColumn, capacity: number): void {
  column.allocatable = grown(column.allocatable, capacity)
  column.requested = grown(column.requested, capacity)
}

function grown(before: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const after = new Float64Array(capacity)
  after.set(before)
  return after
}

function grownInts(before: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const after = new Int32Array(capacity)
  after.set(before)
  return after
}

function grownBytes(before: Uint8Array, capacity: number): Uint8Array<ArrayBuffer> {
  const after = new Uint8Array(capacity)
  after.set(before)
  return after
}
