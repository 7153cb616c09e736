import type { StateNode } from './state-node.ts'

/** The contribution of a node to the counts, as of its last change. */
interface Standing {
  readonly name: string
  readonly isInitialized: boolean
  readonly isLeaving: boolean
  readonly isDrifted: boolean
  readonly isLeftTainted: boolean
  /** The pool whose disruption budgets count it. */
  readonly pool: string | undefined
  /** Reports whether the node is terminating or not ready, so the pool cannot lose another node. */
  readonly isBusy: boolean
}

/** The number of nodes of a pool that its disruption budgets count. */
export interface PoolCount {
  total: number
  busy: number
}

/** Nodes in the order in which pods are placed on them, and the free CPU of each node. */
export interface OrderedNodes {
  readonly nodes: readonly StateNode[]
  readonly cpuRoom: Float64Array
}

interface Lists {
  readonly staying: readonly StateNode[]
  readonly leaving: readonly StateNode[]
  readonly leavingNames: ReadonlySet<string>
}

const none: readonly StateNode[] = []

/**
 * Lists and counts of nodes. Each pass needs them, and few nodes change between passes, so only changed nodes are read.
 */
export class NodeLists {
  private readonly all: () => Iterable<StateNode>
  private readonly standings = new Map<StateNode, Standing>()
  private readonly changed = new Set<StateNode>()
  private readonly withOtherRoom = new Set<StateNode>()
  private readonly counts = new Map<string, PoolCount>()
  private drifted = 0
  private readonly leftTainted = new Set<StateNode>()
  private lists: Lists | undefined
  private ordered: (OrderedNodes & { readonly places: ReadonlyMap<StateNode, number> }) | undefined
  /** Nodes that were added, removed or moved since the order was computed. */
  private readonly outOfOrder = new Set<StateNode>()

  constructor(all: () => Iterable<StateNode>) {
    this.all = all
  }

  /** Records a change of the node, its claim, or a decision about it. */
  change(node: StateNode): void {
    this.changed.add(node)
  }

  changeRoom(node: StateNode): void {
    this.withOtherRoom.add(node)
  }

  remove(node: StateNode): void {
    this.changed.delete(node)
    this.withOtherRoom.delete(node)
    const standing = this.standings.get(node)
    if (standing === undefined) return
    this.standings.delete(node)
    this.count(node, standing, -1)
    this.forgetPlace(node)
  }

  get staying(): readonly StateNode[] {
    return this.current().staying
  }

  get leaving(): readonly StateNode[] {
    return this.current().leaving
  }

  get leavingNames(): ReadonlySet<string> {
    return this.current().leavingNames
  }

  get hasDrifted(): boolean {
    this.refresh()
    return this.drifted > 0
  }

  /** Nodes with the disruption taint that are not being removed. */
  get tainted(): readonly StateNode[] {
    this.refresh()
    return this.leftTainted.size === 0 ? none : [...this.all()].filter((node) => this.leftTainted.has(node))
  }

  get byPool(): ReadonlyMap<string, PoolCount> {
    this.refresh()
    return this.counts
  }

  /** The nodes that are not terminating. */
  get stayingInOrder(): OrderedNodes {
    const { staying } = this.current()
    if (this.ordered === undefined || this.outOfOrder.size > 0) this.ordered = this.inOrder(staying)
    const { cpuRoom, places } = this.ordered
    for (const node of this.withOtherRoom) {
      const at = places.get(node)
      if (at !== undefined) cpuRoom[at] = node.cpuRoom
    }
    this.withOtherRoom.clear()
    return this.ordered
  }

  private current(): Lists {
    this.refresh()
    if (this.lists !== undefined) return this.lists
    const staying: StateNode[] = []
    const leaving: StateNode[] = []
    for (const node of this.all()) (node.isLeaving ? leaving : staying).push(node)
    this.lists = { staying, leaving, leavingNames: new Set(leaving.map(({ name }) => name)) }
    return this.lists
  }

  private refresh(): void {
    if (this.changed.size === 0) return
    for (const node of this.changed) {
      const before = this.standings.get(node)
      const after = standingOf(node)
      this.standings.set(node, after)
      if (before !== undefined) this.count(node, before, -1)
      this.count(node, after, 1)
      this.withOtherRoom.add(node)
      const isInPlace =
        before?.name === after.name &&
        before.isInitialized === after.isInitialized &&
        before.isLeaving === after.isLeaving
      if (!isInPlace) this.forgetPlace(node)
    }
    this.changed.clear()
  }

  private forgetPlace(node: StateNode): void {
    this.lists = undefined
    this.outOfOrder.add(node)
  }

  /**
   * Few nodes are created or deleted between two passes, so only these are sorted. The free CPU of other nodes is up to
   * date or in `withOtherRoom`.
   */
  private inOrder(staying: readonly StateNode[]): NonNullable<NodeLists['ordered']> {
    const { ordered, outOfOrder } = this
    const made = ordered === undefined ? orderNodes(staying) : reordered(ordered, outOfOrder, this.standings)
    outOfOrder.clear()
    return { ...made, places: new Map(made.nodes.map((node, at) => [node, at])) }
  }

  private count(node: StateNode, { pool, isBusy, isDrifted, isLeftTainted }: Standing, by: 1 | -1): void {
    if (isDrifted) this.drifted += by
    if (isLeftTainted && by === 1) this.leftTainted.add(node)
    else if (isLeftTainted) this.leftTainted.delete(node)
    if (pool === undefined) return
    const count = this.counts.get(pool) ?? { total: 0, busy: 0 }
    this.counts.set(pool, count)
    count.total += by
    if (isBusy) count.busy += by
  }
}

function standingOf(node: StateNode): Standing {
  const { name, isInitialized, isLeaving, isDrifted, isReady } = node
  const isCounted = node.isManaged && isInitialized && !node.isTerminating
  return {
    name,
    isInitialized,
    isLeaving,
    isDrifted,
    isLeftTainted: node.isTaintedForDisruption && !isLeaving,
    pool: isCounted ? (node.pool ?? '') : undefined,
    isBusy: !isReady || isLeaving,
  }
}

export function orderNodes(nodes: readonly StateNode[]): OrderedNodes {
  const ordered = nodes.toSorted(byReadiness)
  return { nodes: ordered, cpuRoom: Float64Array.from(ordered, ({ cpuRoom }) => cpuRoom) }
}

/** The nodes of `before` with the added nodes, without the removed ones. */
function reordered(
  before: OrderedNodes,
  moved: ReadonlySet<StateNode>,
  standings: ReadonlyMap<StateNode, Standing>,
): OrderedNodes {
  const coming = [...moved].filter((node) => standings.get(node)?.isLeaving === false).sort(byReadiness)
  const nodes: StateNode[] = []
  const room: number[] = []
  let next = 0
  const addComing = (until?: StateNode): void => {
    for (; next < coming.length; next++) {
      const node = coming[next] as StateNode
      if (until !== undefined && byReadiness(node, until) > 0) return
      nodes.push(node)
      room.push(node.cpuRoom)
    }
  }
  for (const [at, node] of before.nodes.entries()) {
    if (moved.has(node)) continue
    addComing(node)
    nodes.push(node)
    room.push(before.cpuRoom[at] as number)
  }
  addComing()
  return { nodes, cpuRoom: Float64Array.from(room) }
}

/** The nodes for which `isKept` returns true, in the same order. */
export function filterNodes({ nodes, cpuRoom }: OrderedNodes, isKept: (node: StateNode) => boolean): OrderedNodes {
  const kept: StateNode[] = []
  const room: number[] = []
  for (const [at, node] of nodes.entries()) {
    if (!isKept(node)) continue
    kept.push(node)
    room.push(cpuRoom[at] as number)
  }
  return { nodes: kept, cpuRoom: Float64Array.from(room) }
}

function byReadiness(a: StateNode, b: StateNode): number {
  if (a.isInitialized !== b.isInitialized) return a.isInitialized ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
