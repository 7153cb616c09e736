import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { labels } from '../../api/well-known.ts'
import { freshNode } from '../scenario/fresh-node.ts'
import { nodesOf, type UpgradeStrategy, unavailableOf } from '../scenario/upgrade-strategy.ts'

export interface OldNode {
  readonly name: string
  readonly node: Node
  /** `drained`: the node waits for its removal; with an upgrade in place, it is being upgraded. */
  state: 'waiting' | 'draining' | 'drained' | 'skipped' | 'done'
  fromMs: number
  drainedMs: number
  /** Set if the node has a pod without a controller, as for `kubectl drain` without --force. */
  isRefused: boolean
  isForced: boolean
}

export interface FreshNode {
  readonly name: string
  /** The old node that it replaces. */
  readonly like: string
  readonly object: KubeObject
  readonly existsAtMs: number
  state: 'starting' | 'created' | 'ready'
}

/** The pools of a set of nodes, by the label of the strategy, in the order of their names. */
export function poolsOf(nodes: readonly Node[], strategy: UpgradeStrategy): readonly UpgradePool[] {
  const { poolLabel } = strategy
  if (poolLabel === undefined) return [new UpgradePool(nodes, strategy)]
  const pools = new Map<string, Node[]>()
  for (const node of nodes) {
    const pool = node.metadata.labels?.[poolLabel] ?? ''
    pools.set(pool, [...(pools.get(pool) ?? []), node])
  }
  return [...pools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => new UpgradePool(members, strategy))
}

/** The nodes of one pool during its upgrade, and the limits of the strategy. The pool decides; the controller acts. */
export class UpgradePool {
  readonly old: readonly OldNode[]
  readonly fresh: FreshNode[] = []
  private readonly comingUp = new Set<FreshNode>()
  /** The old nodes by state. A pool may have thousands of nodes, and every change of a pod is a step. */
  private readonly inState: Readonly<Record<OldNode['state'], Set<OldNode>>>
  readonly strategy: UpgradeStrategy
  hasStarted = false
  private readonly surge: number
  private readonly unavailable: number
  private readonly batchSize: number
  /** Blue-green: the end of the last batch, and whether one is being drained. */
  private batchEndedMs = Number.NEGATIVE_INFINITY
  private isInBatch = false
  private hasSurged = false
  /** The number of old nodes that new nodes have copied so far. */
  private modeled = 0
  private soakEndsMs: number | undefined

  constructor(nodes: readonly Node[], strategy: UpgradeStrategy) {
    this.strategy = strategy
    this.old = nodes.map((node) => ({
      name: node.metadata.name,
      node,
      state: 'waiting',
      fromMs: 0,
      drainedMs: 0,
      isRefused: false,
      isForced: false,
    }))
    const none = () => new Set<OldNode>()
    this.inState = { waiting: new Set(this.old), draining: none(), drained: none(), skipped: none(), done: none() }
    const size = nodes.length
    const zones = new Set(nodes.map(({ metadata }) => metadata.labels?.[labels.zone] ?? '')).size
    const surge = nodesOf(strategy.maxSurge, size, 'up')
    const unavailable = unavailableOf(strategy, size)
    this.surge = Math.max(surge, (strategy.surgePerZone ?? 0) * zones)
    // As for Deployments, a percentage may be rounded to zero, but one of the limits must be positive.
    this.unavailable = this.surge === 0 && unavailable === 0 ? 1 : unavailable
    this.batchSize =
      strategy.blueGreen === undefined ? size : Math.max(1, nodesOf(strategy.blueGreen.batch, size, 'up'))
  }

  isOver(): boolean {
    const isDrained = this.count('done') === this.size
    return isDrained && (this.strategy.inPlace === true || this.readyCount() >= this.size)
  }

  /** A skipped node is no longer part of the pool. */
  private get size(): number {
    return this.old.length - this.count('skipped')
  }

  move(node: OldNode, state: OldNode['state']): void {
    this.inState[node.state].delete(node)
    node.state = state
    this.inState[state].add(node)
  }

  draining(): readonly OldNode[] {
    return [...this.inState.draining]
  }

  /** The number of nodes beyond the size of the pool. */
  extra(): number {
    if (this.strategy.inPlace === true) return 0
    return this.fresh.length - this.coming().filter(({ state }) => state === 'starting').length - this.count('done')
  }

  /** Old nodes whose drain may begin now. */
  drainable(mayStart: (node: OldNode) => boolean): readonly OldNode[] {
    const room = this.strategy.blueGreen === undefined ? this.rollingRoom() : this.batchRoom()
    const chosen: OldNode[] = []
    for (const node of this.inState.waiting) {
      if (chosen.length >= room) break
      if (mayStart(node)) chosen.push(node)
    }
    if (chosen.length > 0) this.isInBatch = true
    return chosen
  }

  private rollingRoom(): number {
    const { drainsAtOnce, inPlace, surgesFirst } = this.strategy
    if (surgesFirst === true && !this.hasSurged) {
      this.hasSurged = this.fresh.length > 0 && this.comingUp.size === 0
      if (!this.hasSurged) return 0
    }
    const atOnce = drainsAtOnce === undefined ? this.surge + this.unavailable : this.unavailable
    const busy = this.count('draining') + this.count('drained')
    const ready = this.readyCount()
    const available = this.count('waiting') + ready + (inPlace === true ? this.count('done') : 0)
    return Math.min(Math.max(1, atOnce) - busy, available - (this.size - this.unavailable))
  }

  private batchRoom(): number {
    const isGreenReady = this.readyCount() >= this.size
    return isGreenReady && !this.isInBatch && this.soakEndsMs === undefined ? this.batchSize : 0
  }

  /** Blue-green: the soak time begins when all nodes of a batch are drained. */
  finishBatch(now: number): void {
    if (this.strategy.blueGreen === undefined) return
    if (this.isInBatch && this.count('draining') === 0) {
      this.isInBatch = false
      this.batchEndedMs = now
      this.soakEndsMs = now + this.strategy.soakMs
    }
    if (this.soakEndsMs !== undefined && this.soakEndsMs <= now) this.soakEndsMs = undefined
  }

  /** Drained nodes whose soak time, or upgrade in place, has ended. */
  removable(now: number): readonly OldNode[] {
    return [...this.inState.drained].filter((node) => this.removedAtMs(node) <= now)
  }

  private removedAtMs({ drainedMs }: OldNode): number {
    const { blueGreen, soakMs, inPlace, nodeStartupMs } = this.strategy
    if (blueGreen === undefined) return drainedMs + soakMs + (inPlace === true ? nodeStartupMs : 0)
    const isDrained = this.count('waiting') + this.count('draining') === 0
    return isDrained ? this.batchEndedMs + soakMs + blueGreen.poolSoakMs : Number.POSITIVE_INFINITY
  }

  /** Requests as many new nodes as the strategy allows now. Each is like the old node that it replaces. */
  launch(now: number): void {
    const { inPlace, blueGreen, nodeStartupMs } = this.strategy
    if (inPlace === true) return
    const surge = blueGreen === undefined ? this.surge : this.old.length
    for (; this.fresh.length < this.size; ) {
      const existing = this.size - this.count('done') + this.fresh.length
      if (existing >= this.size + surge) return
      const { node } = this.nextModel()
      const name = `${node.metadata.name}-next`
      const fresh: FreshNode = {
        name,
        like: node.metadata.name,
        object: freshNode(node, name),
        existsAtMs: now + nodeStartupMs,
        state: 'starting',
      }
      this.fresh.push(fresh)
      this.comingUp.add(fresh)
    }
  }

  private nextModel(): OldNode {
    let model = this.old[this.modeled++] as OldNode
    while (model.state === 'skipped') model = this.old[this.modeled++] as OldNode
    return model
  }

  /** Reports whether the upgrade can continue only after pods are evicted. */
  waitsOnlyForPods(): boolean {
    const isQuiet = this.comingUp.size === 0 && this.soakEndsMs === undefined
    return isQuiet && this.count('drained') === 0
  }

  /** The next deadline. */
  nextAt(now: number): number {
    const { drainTimeoutMs } = this.strategy
    const times = [
      ...this.coming().map(({ existsAtMs }) => existsAtMs),
      ...[...this.inState.drained].map((node) => this.removedAtMs(node)),
      ...(drainTimeoutMs === undefined ? [] : [...this.inState.draining].map(({ fromMs }) => fromMs + drainTimeoutMs)),
      ...(this.soakEndsMs === undefined ? [] : [this.soakEndsMs]),
    ]
    return Math.min(Number.POSITIVE_INFINITY, ...times.filter((at) => at > now))
  }

  private readyCount(): number {
    return this.fresh.length - this.comingUp.size
  }

  /** New nodes that are not Ready yet. */
  coming(): readonly FreshNode[] {
    return [...this.comingUp]
  }

  nowReady(fresh: FreshNode): void {
    fresh.state = 'ready'
    this.comingUp.delete(fresh)
  }

  private count(state: OldNode['state']): number {
    return this.inState[state].size
  }
}
