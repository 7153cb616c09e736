import type { NodePool } from '../../api/objects/karpenter.ts'
import type { ResourceList } from '../../api/objects/pod.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { classOf, classReadiness } from './class-readiness.ts'
import type { Drafts } from './drafts.ts'
import type { RegistrationHealth } from './lifecycle/registration-health.ts'
import { nodePools } from './names.ts'
import { poolProblem } from './pool-validation.ts'
import { sum, toResourceList } from './scheduling/amounts.ts'
import type { Situation } from './situation.ts'
import { type ConditionChange, withPoolCondition } from './status-conditions.ts'

// v1.14, nodepool/counter: the nodes of a pool are counted every five seconds, starting at the first count.
const countMs = 5_000
const unsyncedMs = 1_000
const base: ResourceList = { cpu: '0', 'ephemeral-storage': '0', memory: '0', nodes: '0', pods: '0' }

/** Keeps the status of node pools (v1.14, nodepool/validation, readiness, registrationhealth and counter). */
export class PoolStatus {
  private readonly health: RegistrationHealth
  private readonly dirty = new Set<string>()
  /** The time of the next count of each pool. It contains only pools whose nodes may have changed. */
  private readonly counts = new DeadlineQueue<string>()
  private readonly countedAt = new Map<string, number>()

  constructor(health: RegistrationHealth) {
    this.health = health
  }

  /** Records a change of the pool or its node class. */
  touch(pool: string): void {
    this.dirty.add(pool)
  }

  /** Records a change of a node or a claim of the pool. */
  touchNodes(pool: string, now: number): void {
    if (this.counts.has(pool)) return
    const last = this.countedAt.get(pool)
    this.counts.set(pool, last === undefined ? now : last + Math.max(1, Math.ceil((now - last) / countMs)) * countMs)
  }

  step(situation: Situation, drafts: Drafts): void {
    const { view, now } = situation
    for (const name of this.dirty) {
      const pool = view.get(nodePools, name)
      if (pool === undefined) this.countedAt.delete(name)
      else if (!this.countedAt.has(name)) this.touchNodes(name, now)
      const drafted = drafts.get(nodePools, name)
      if (drafted !== undefined) write(drafted, this.withConditions(drafted, situation), drafts)
    }
    this.dirty.clear()
    for (const name of this.counts.popDue(now)) {
      const pool = drafts.get(nodePools, name)
      if (pool === undefined) continue
      if (!situation.state.isSynced) {
        this.counts.set(name, now + unsyncedMs)
        continue
      }
      this.countedAt.set(name, now)
      write(pool, withCount(pool, situation), drafts)
    }
  }

  nextAt(): number {
    return this.counts.nextAt() ?? Number.POSITIVE_INFINITY
  }

  private withConditions(pool: NodePool, { view, cloud, wall }: Situation): NodePool {
    const problem = poolProblem(pool, cloud.catalog.wellKnown)
    const type = 'ValidationSucceeded'
    const validation: ConditionChange =
      problem === undefined
        ? { type, status: 'True' }
        : { type, status: 'False', reason: 'NodePoolValidationFailed', message: problem }
    const readiness = classReadiness(pool, view)
    const validated = withPoolCondition(pool, validation, wall)
    const ready = withPoolCondition(validated, readiness, wall)
    if (readiness.reason === 'NodeClassNotFound') return ready
    return this.health.withInitial(ready, classOf(pool, view)?.metadata.generation, wall)
  }
}

function write(before: NodePool, after: NodePool, drafts: Drafts): void {
  if (after !== before) drafts.set(nodePools, after)
}

/**
 * The resources of all nodes that are not terminating. A counted resource remains in the list while the pool has nodes.
 */
function withCount(pool: NodePool, { state }: Situation): NodePool {
  const nodes = state.nodes.filter((node) => node.pool === pool.metadata.name && !node.isLeaving)
  const total = toResourceList(sum(nodes.map(({ capacity }) => capacity)))
  const before = nodes.length === 0 ? {} : (pool.status?.resources ?? {})
  const kept = Object.fromEntries(Object.keys(before).map((name) => [name, '0']))
  const resources: ResourceList = { ...base, ...kept, ...total }
  const isSame = pool.status?.nodes === nodes.length && sameList(pool.status.resources ?? {}, resources)
  return isSame ? pool : { ...pool, status: { ...pool.status, nodes: nodes.length, resources } }
}

function sameList(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(b)
  return names.length === Object.keys(a).length && names.every((name) => a[name] === b[name])
}
