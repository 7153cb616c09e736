import type { Outcome } from '../../api/call.ts'
import { isNodeReady } from '../../api/conditions.ts'
import { selects } from '../../api/label-selector.ts'
import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { callAction, createActionIds } from '../../runtime/actions.ts'
import type { Action, Controller, StepInput, StepOutput } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { freshDevices } from '../scenario/fresh-node.ts'
import { upgradeActor } from '../scenario/step.ts'
import type { UpgradeStrategy } from '../scenario/upgrade-strategy.ts'
import type { DrainProgress } from './drain.ts'
import { type BlockedPod, mustLeave, PodEvictor, unmanagedPods, unmanagedText } from './pod-evictor.ts'
import { type OldNode, poolsOf, type UpgradePool } from './upgrade-pool.ts'

export interface UpgradeProgress {
  /** `blocked`: no node was upgraded for an hour, and no timeout ends the wait. */
  readonly state: 'running' | 'done' | 'failed' | 'blocked'
  readonly nodes: number
  readonly upgraded: readonly string[]
  /** Nodes whose drain timed out and that were skipped. */
  readonly skipped: readonly string[]
  /** Nodes whose pods were deleted despite disruption budgets. */
  readonly forced: readonly string[]
  /** The pods of these nodes whose eviction was refused before. */
  readonly overridden: readonly BlockedPod[]
  /** The node at which the upgrade ended or waits. */
  readonly stoppedAt?: string
  readonly endedMs?: number
  /** The maximum number of nodes beyond the size of the pool. */
  readonly mostExtra: number
}

/** Upgrades pools of nodes according to a strategy. */
export interface NodeUpgrade extends Controller {
  begin(nodes: readonly Node[], strategy: UpgradeStrategy, devices: readonly ResourceSlice[]): void
  progress(): UpgradeProgress | undefined
  /** The time of its end; undefined while it runs. */
  endedAt(): number | undefined
  drains(): DrainProgress
}

export function createNodeUpgrade(): NodeUpgrade {
  const run = new UpgradeRun()
  return {
    name: upgradeActor,
    watches: ['nodes', 'pods', 'poddisruptionbudgets.policy'],
    step: (input) => run.step(input),
    begin: (nodes, strategy, devices) => run.begin(nodes, strategy, devices),
    progress: () => run.progress(),
    endedAt: () => run.endedMs,
    drains: () => run.drains(),
  }
}

// A drain without timeout that makes no progress for this time is reported as blocked.
const stalledMs = 60 * 60_000

class UpgradeRun {
  private readonly ids = createActionIds()
  private readonly evictor = new PodEvictor(this.ids)
  private readonly pools: UpgradePool[] = []
  private readonly drained: { node: string; fromMs: number; untilMs: number }[] = []
  private readonly upgraded: string[] = []
  private readonly forced: string[] = []
  private readonly overridden: BlockedPod[] = []
  private state: UpgradeProgress['state'] = 'running'
  private stoppedAt: string | undefined
  endedMs: number | undefined
  private progressMs: number | undefined
  private mostExtra = 0
  /** The devices of the nodes before the upgrade. A new node gets devices like those of the node that it replaces. */
  private devices: readonly ResourceSlice[] = []
  private actions: Action[] = []

  begin(nodes: readonly Node[], strategy: UpgradeStrategy, devices: readonly ResourceSlice[]): void {
    this.devices = devices
    this.pools.push(...poolsOf(nodes, strategy))
    this.state = 'running'
    this.endedMs = undefined
  }

  progress(): UpgradeProgress | undefined {
    if (this.pools.length === 0) return undefined
    const old = this.pools.flatMap((pool) => pool.old)
    const stoppedAt = this.stoppedAt ?? (this.state === 'blocked' ? this.firstBlocked() : undefined)
    return {
      state: this.state,
      nodes: old.length,
      upgraded: this.upgraded,
      skipped: old.filter(({ state }) => state === 'skipped').map(({ name }) => name),
      forced: this.forced,
      overridden: this.overridden,
      ...(stoppedAt === undefined ? {} : { stoppedAt }),
      ...(this.endedMs === undefined ? {} : { endedMs: this.endedMs }),
      mostExtra: this.mostExtra,
    }
  }

  drains(): DrainProgress {
    const isOpen = ({ state }: OldNode) => state === 'waiting' || state === 'draining' || state === 'skipped'
    return {
      drained: this.drained,
      open: this.pools.flatMap((pool) => pool.old.filter(isOpen).map(({ name }) => name)),
      blocked: [...this.evictor.blocked.values()],
    }
  }

  step({ results, now, view }: StepInput): StepOutput {
    this.actions = []
    for (const { id, outcome } of results) this.takeResult(id, outcome, now)
    this.evictor.begin(now)
    const pool = this.pools.find((each) => !each.isOver())
    let wakeAt = Number.POSITIVE_INFINITY
    if (pool !== undefined && this.state === 'running') {
      this.progressMs ??= now
      wakeAt = this.advance(pool, view, now)
      if (pool.isOver() && this.pools.some((each) => !each.isOver())) wakeAt = now
    }
    if (this.state === 'running' && this.pools.length > 0 && this.pools.every((each) => each.isOver()))
      this.end('done', now)
    return { actions: this.actions, ...(wakeAt === Number.POSITIVE_INFINITY ? {} : { wakeAt }) }
  }

  /** Does all due work of the pool, and returns the time of the next deadline. */
  private advance(pool: UpgradePool, view: View, now: number): number {
    const { strategy } = pool
    if (!pool.hasStarted) {
      pool.hasStarted = true
      if (strategy.cordonsAll === true) for (const { name } of pool.old) this.cordon(name, true)
    }
    for (const fresh of pool.coming()) {
      if (fresh.state === 'starting' && fresh.existsAtMs <= now) this.create(fresh)
      if (fresh.state === 'created' && isReadyNode(view, fresh.name)) pool.nowReady(fresh)
    }
    for (const node of pool.draining()) this.advanceNode(pool, node, view, now)
    pool.finishBatch(now)
    for (const node of pool.removable(now)) this.remove(pool, node, now)
    if (this.state !== 'running') return Number.POSITIVE_INFINITY
    for (const node of pool.drainable((node) => this.mayStart(pool, node, view, now)))
      this.startDrain(pool, node, view, now)
    pool.launch(now)
    for (const fresh of pool.coming()) if (fresh.state === 'starting' && fresh.existsAtMs <= now) this.create(fresh)
    this.mostExtra = Math.max(this.mostExtra, pool.extra())
    const stalledAt = (this.progressMs ?? now) + stalledMs
    const isWaiting = strategy.drainTimeoutMs === undefined && pool.waitsOnlyForPods()
    if (isWaiting && stalledAt <= now) this.end('blocked', now)
    return Math.min(
      pool.nextAt(now),
      this.evictor.nextAt,
      isWaiting ? Math.max(stalledAt, now + 1) : Number.POSITIVE_INFINITY,
    )
  }

  private advanceNode(pool: UpgradePool, node: OldNode, view: View, now: number): void {
    if (node.state !== 'draining' || this.state !== 'running') return
    const left = view.podsOn(node.name).filter((pod) => mustLeave(pod, true))
    if (left.length === 0) {
      pool.move(node, 'drained')
      node.drainedMs = now
      this.evictor.release(node.name)
      this.drained.push({ node: node.name, fromMs: node.fromMs, untilMs: now })
      this.progressMs = now
      return
    }
    const { drainTimeoutMs, onTimeout } = pool.strategy
    const isLate = drainTimeoutMs !== undefined && now - node.fromMs >= drainTimeoutMs
    if (!isLate) {
      if (!node.isRefused) this.actions.push(...this.evictor.evict(node.name, left))
      return
    }
    if (onTimeout === 'force') this.force(node, left)
    else if (onTimeout === 'skip') {
      pool.move(node, 'skipped')
      this.progressMs = now
    } else this.fail(pool, node, now)
  }

  /** Deletes the remaining pods without regard to their disruption budgets. */
  private force(node: OldNode, left: readonly Pod[]): void {
    if (node.isForced) return
    node.isForced = true
    const refused = left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    // The other pods are already evicted, and only take long to end.
    if (refused.length === 0) return
    this.forced.push(node.name)
    this.overridden.push(...[...this.evictor.blocked.values()].filter((blocked) => blocked.node === node.name))
    for (const { metadata } of refused) {
      const { name, namespace = 'default' } = metadata
      this.call({ verb: 'delete', resource: 'pods', namespace, name })
    }
  }

  private fail(pool: UpgradePool, node: OldNode, now: number): void {
    this.stoppedAt = node.name
    if (pool.strategy.releasesFailed === true) {
      for (const { name } of pool.draining()) this.cordon(name, false)
    }
    this.end('failed', now)
  }

  private end(state: UpgradeProgress['state'], now: number): void {
    this.state = state
    this.endedMs = now
  }

  /** Reports whether the drain of a node may begin. A node with pods that cannot be evicted is reported instead. */
  private mayStart(pool: UpgradePool, node: OldNode, view: View, now: number): boolean {
    if (pool.strategy.skipsUnevictable !== true) return true
    const since = [...this.evictor.blocked.values()].find((blocked) => blocked.node === node.name)?.sinceMs ?? now
    this.evictor.release(node.name)
    const obstacle = obstacleOn(node.name, view, since)
    if (obstacle === undefined) return true
    this.evictor.blocked.set(obstacle.pod, obstacle)
    return false
  }

  private startDrain(pool: UpgradePool, node: OldNode, view: View, now: number): void {
    pool.move(node, 'draining')
    node.fromMs = now
    if (pool.strategy.cordonsAll !== true) this.cordon(node.name, true)
    if (pool.strategy.refusesBarePods === true) {
      for (const { metadata } of unmanagedPods(view.podsOn(node.name))) {
        const pod = `${metadata.namespace}/${metadata.name}`
        this.evictor.blocked.set(pod, { node: node.name, pod, sinceMs: now, why: unmanagedText })
        node.isRefused = true
      }
    }
    this.advanceNode(pool, node, view, now)
  }

  private remove(pool: UpgradePool, node: OldNode, now: number): void {
    pool.move(node, 'done')
    this.upgraded.push(node.name)
    this.progressMs = now
    if (pool.strategy.inPlace === true) this.cordon(node.name, false)
    else this.call({ verb: 'delete', resource: 'nodes', name: node.name })
  }

  private create(fresh: UpgradePool['fresh'][number]): void {
    fresh.state = 'created'
    this.call({ verb: 'create', resource: 'nodes', object: fresh.object })
    for (const object of freshDevices({ list: () => this.devices }, fresh.like, fresh.name))
      this.call({ verb: 'create', resource: 'resourceslices.resource.k8s.io', object })
  }

  private cordon(name: string, unschedulable: boolean): void {
    const patch = { spec: { unschedulable: unschedulable ? true : null } }
    this.call({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch } })
  }

  private takeResult(id: number, outcome: Outcome, now: number): void {
    const taken = this.evictor.take(id, outcome, now)
    if (taken !== undefined && !taken.isBlocked) this.progressMs = now
  }

  private firstBlocked(): string | undefined {
    const [draining] = this.pools.flatMap((pool) => pool.draining())
    const [blocked] = this.evictor.blocked.values()
    return draining?.name ?? blocked?.node
  }

  private call(call: Parameters<typeof callAction>[1]): void {
    this.actions.push(callAction(this.ids, call))
  }
}

function isReadyNode(view: View, name: string): boolean {
  const node = view.get('nodes', name)
  return node !== undefined && isNodeReady(node)
}

const doNotDisrupt = 'karpenter.sh/do-not-disrupt'

/** A pod of the node that cannot be evicted now: by its annotation, or because its budget allows no disruption. */
function obstacleOn(node: string, view: View, sinceMs: number): BlockedPod | undefined {
  for (const pod of view.podsOn(node)) {
    if (!mustLeave(pod, true)) continue
    const { namespace = 'default', name, annotations, labels } = pod.metadata
    const found = { node, pod: `${namespace}/${name}`, sinceMs }
    if (annotations?.[doNotDisrupt] === 'true') return { ...found, why: `has the annotation ${doNotDisrupt}` }
    const budget = view
      .list('poddisruptionbudgets.policy', namespace)
      .find(({ spec, status }) => (status?.disruptionsAllowed ?? 0) <= 0 && selects(spec?.selector, labels))
    if (budget !== undefined) {
      const { desiredHealthy = 0, currentHealthy = 0 } = budget.status ?? {}
      const why = `The disruption budget ${budget.metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
      return { ...found, why }
    }
  }
  return undefined
}
