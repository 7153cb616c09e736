import { findCondition } from '../../api/conditions.ts'
import { formatGoDurationMs } from '../../api/go-duration.ts'
import type { Node } from '../../api/objects/node.ts'
import { parseTime } from '../../api/time.ts'
import type { FailedScaleUp } from './autoscaler-metrics.ts'
import { Backoffs } from './backoffs.ts'
import type { Instance, NodeCloud } from './node-cloud.ts'
import type { NodeGroup, NodeGroups } from './node-group.ts'
import { readinessOf } from './node-readiness.ts'
import type { AutoscalerOptions } from './options.ts'
import { resourceNotReady } from './template-devices.ts'

/** The nodes of a group, or of the whole cluster, by state. */
export interface Readiness {
  registered: number
  ready: number
  unready: number
  /** The number of unready nodes that only lack devices. */
  resourceUnready: number
  notStarted: string[]
  unregistered: number
  longUnregistered: number
}

interface ScaleUpRequest {
  increase: number
  startedAt: number
  expectedBy: number
}

/** An event that users should see. */
export interface StateNotice {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly failure?: FailedScaleUp
}

interface WrongSize {
  readonly nodes: number
  readonly target: number
  readonly since: number
}

const emptyReadiness = (): Readiness => ({
  registered: 0,
  ready: 0,
  unready: 0,
  resourceUnready: 0,
  notStarted: [],
  unregistered: 0,
  longUnregistered: 0,
})

/** The health of node groups and the scale-ups in progress (1.36, clusterstate ClusterStateRegistry). */
export class ClusterState {
  readonly backoffs: Backoffs
  total = emptyReadiness()
  private readonly groups: NodeGroups
  private readonly cloud: NodeCloud
  private readonly options: AutoscalerOptions
  private readonly requests = new Map<string, ScaleUpRequest>()
  private readonly seenErrors = new Set<string>()
  private byGroup = new Map<string, Readiness>()
  /**
   * The time of the first loop that saw each machine without a node. A machine is late relative to this time, not to
   * its request.
   */
  private firstSeen: ReadonlyMap<string, number> = new Map()
  private nodeCount = 0
  /**
   * Groups whose number of nodes and starting machines differs from the target, with the time since which it differs.
   */
  private wrongSizes: ReadonlyMap<string, WrongSize> = new Map()
  /** Target sizes at the start of the loop, or after the last change that counts immediately. */
  private targets: ReadonlyMap<string, number> = new Map()

  constructor(groups: NodeGroups, cloud: NodeCloud, options: AutoscalerOptions) {
    this.groups = groups
    this.cloud = cloud
    this.options = options
    this.backoffs = new Backoffs(options)
  }

  readiness(group: NodeGroup): Readiness {
    return this.byGroup.get(group.name) ?? emptyReadiness()
  }

  /** Reports whether the group has nodes or machines. */
  isMeasured(group: NodeGroup): boolean {
    return this.byGroup.has(group.name)
  }

  /** Takes the nodes of this loop, ends scale-ups that are complete or took too long, and registers failures. */
  update(nodes: readonly Node[], now: number, wall: number): readonly StateNotice[] {
    this.nodeCount = nodes.length
    this.recalculate()
    this.countNodes(nodes, wall)
    this.countInstances(now)
    this.measureSizes(now)
    this.backoffs.dropStale(now)
    return [...this.endRequests(now), ...this.takeErrors(now)]
  }

  /** Reads the current target sizes of the cloud. */
  recalculate(): void {
    this.targets = new Map(this.groups.all.map((group) => [group.name, this.cloud.targetOf(group)]))
  }

  /** Cancels machines that have had no node for too long, as far as the minimum of their group allows. */
  removeOldUnregistered(now: number): readonly StateNotice[] {
    return this.groups.all.flatMap((group) => {
      const old = this.cloud
        .unregistered()
        .filter((one) => one.group.name === group.name && one.error === undefined && this.isLong(one, now))
      const removed = old.slice(0, Math.max(0, this.cloud.targetOf(group) - group.min))
      this.cloud.cancel(removed)
      return removed.map(({ name }) => ({
        type: 'Normal' as const,
        reason: 'DeleteUnregistered',
        message: `Removed unregistered node kwok:${name}`,
      }))
    })
  }

  /** Cancels machines that the cloud could not provide. */
  removeFailed(): void {
    for (const group of this.groups.all) {
      const failed = this.failedIn(group)
      // Clouds refuse to delete machines of a group at its minimum.
      if (failed.length === 0 || this.cloud.targetOf(group) <= group.min) continue
      this.cloud.cancel(failed)
      this.recalculate()
    }
  }

  /**
   * Lowers the targets of groups that have lacked the same number of nodes for too long, although no machine is
   * starting. Returns whether such groups exist (fixNodeGroupSize).
   */
  fixSizes(now: number): boolean {
    let isFixed = false
    for (const group of this.groups.all) {
      const wrong = this.wrongSizes.get(group.name)
      if (wrong === undefined || wrong.since + this.options['max-node-provision-time'] >= now) continue
      if (wrong.nodes >= wrong.target) continue
      const machines = this.cloud.unregistered().filter((one) => one.group.name === group.name)
      this.cloud.cancel(machines.slice(0, wrong.target - wrong.nodes))
      isFixed = true
    }
    return isFixed
  }

  private measureSizes(now: number): void {
    const wrong = new Map<string, WrongSize>()
    for (const group of this.groups.all) {
      const readiness = this.byGroup.get(group.name)
      if (readiness === undefined) continue
      const [nodes, target] = [readiness.registered, this.targetOf(group)]
      if (nodes <= target && nodes >= target - readiness.unregistered - readiness.longUnregistered) continue
      const known = this.wrongSizes.get(group.name)
      const isSame = known?.nodes === nodes && known.target === target
      wrong.set(group.name, isSame ? known : { nodes, target, since: now })
    }
    this.wrongSizes = wrong
  }

  private failedIn(group: NodeGroup): readonly Instance[] {
    return this.cloud.unregistered().filter((one) => one.error !== undefined && one.group.name === group.name)
  }

  private isLong({ name }: Instance, now: number): boolean {
    return (this.firstSeen.get(name) ?? now) + this.options['max-node-provision-time'] < now
  }

  registerScaleUp(group: NodeGroup, increase: number, now: number): void {
    const request = this.requests.get(group.name)
    const expectedBy = now + this.options['max-node-provision-time']
    if (request === undefined) {
      if (increase > 0) this.requests.set(group.name, { increase, startedAt: now, expectedBy })
      return
    }
    request.increase += increase
    if (request.increase <= 0) this.requests.delete(group.name)
    else if (increase > 0) {
      request.startedAt = now
      request.expectedBy = expectedBy
    }
  }

  get isHealthy(): boolean {
    const { unready } = this.total
    return !this.isTooMuch(unready, this.nodeCount)
  }

  isGroupHealthy(group: NodeGroup): boolean {
    const target = this.targetOf(group)
    const readiness = this.byGroup.get(group.name)
    const least = this.leastReady(group)
    if (readiness === undefined) return target === 0 || least === 0
    const missing = Math.max(0, least - readiness.ready)
    return !this.isTooMuch(missing, readiness.ready + readiness.unready + readiness.notStarted.length)
  }

  /** Undefined if the group may grow. */
  scaleUpProblem(group: NodeGroup, now: number): 'unhealthy' | 'backoff' | undefined {
    if (!this.isGroupHealthy(group)) return 'unhealthy'
    return this.backoffs.isBackedOff(group.name, now) ? 'backoff' : undefined
  }

  isScalingUp(group: NodeGroup): boolean {
    return this.requests.has(group.name) && this.missingIn(group) > 0
  }

  /**
   * The number of requested nodes that are not ready yet, by group, and the number of these nodes that are already
   * registered.
   */
  upcoming(now: number): { readonly counts: ReadonlyMap<string, number>; readonly registered: ReadonlySet<string> } {
    const counts = new Map<string, number>()
    const registered = new Set<string>()
    for (const group of this.groups.all) {
      const missing = this.missingIn(group)
      // Without a request, no node is upcoming, so pods must not wait for one.
      if (missing <= 0 || !this.requests.has(group.name) || this.backoffs.isBackedOff(group.name, now)) continue
      counts.set(group.name, missing)
      for (const name of this.readiness(group).notStarted) registered.add(name)
    }
    return { counts, registered }
  }

  private missingIn(group: NodeGroup): number {
    const { ready, unready, longUnregistered } = this.readiness(group)
    return this.targetOf(group) - (ready + unready + longUnregistered)
  }

  targetOf(group: NodeGroup): number {
    return this.targets.get(group.name) ?? 0
  }

  private leastReady(group: NodeGroup): number {
    const { longUnregistered } = this.readiness(group)
    return this.targetOf(group) - longUnregistered - (this.requests.get(group.name)?.increase ?? 0)
  }

  private isTooMuch(unready: number, all: number): boolean {
    const { options } = this
    return (
      unready > options['ok-total-unready-count'] && unready > (options['max-total-unready-percentage'] / 100) * all
    )
  }

  private countNodes(nodes: readonly Node[], wall: number): void {
    this.byGroup = new Map()
    this.total = emptyReadiness()
    for (const node of nodes) {
      const group = this.groups.of(node)
      count(this.total, node, wall, this.options)
      if (group !== undefined) count(this.readinessFor(group.name), node, wall, this.options)
    }
  }

  private countInstances(now: number): void {
    const unregistered = this.cloud.unregistered()
    const seen = new Map(unregistered.map(({ name }) => [name, this.firstSeen.get(name) ?? now]))
    this.firstSeen = seen
    for (const instance of unregistered) {
      // A machine that the cloud cannot provide will not register.
      if (instance.error !== undefined) continue
      const { group } = instance
      const isLong = this.isLong(instance, now)
      for (const readiness of [this.total, this.readinessFor(group.name)]) {
        if (isLong) readiness.longUnregistered++
        else readiness.unregistered++
      }
    }
  }

  private readinessFor(group: string): Readiness {
    let readiness = this.byGroup.get(group)
    if (readiness === undefined) {
      readiness = emptyReadiness()
      this.byGroup.set(group, readiness)
    }
    return readiness
  }

  private endRequests(now: number): readonly StateNotice[] {
    const notices: StateNotice[] = []
    for (const [name, { startedAt, expectedBy, increase }] of this.requests) {
      const group = this.groups.get(name) as NodeGroup
      if (this.missingIn(group) <= 0) {
        this.requests.delete(name)
        continue
      }
      if (expectedBy >= now) continue
      const waited = formatGoDurationMs(now - startedAt)
      notices.push({
        type: 'Warning',
        reason: 'ScaleUpTimedOut',
        message: `Nodes added to group ${name} failed to register within ${waited}`,
        failure: { reason: 'timeout', nodes: increase },
      })
      const message = `Scale-up timed out for node group ${name} after ${waited}`
      this.backoffs.backOff(name, { code: 'timeout', message }, now)
      // Otherwise the cloud would try forever to start them.
      const late = this.cloud.unregistered().filter((instance) => instance.group.name === name)
      this.cloud.cancel(late.slice(0, increase))
      this.requests.delete(name)
    }
    return notices
  }

  /** Handles machines that the cloud could not provide: the group backs off. */
  private takeErrors(now: number): readonly StateNotice[] {
    const notices: StateNotice[] = []
    for (const group of this.groups.all) {
      const unseen = this.failedIn(group).filter(({ name }) => !this.seenErrors.has(name))
      for (const { name } of unseen) this.seenErrors.add(name)
      if (unseen.length > 0 && this.isScalingUp(group)) {
        const { code, message } = (unseen[0] as Instance).error as NonNullable<Instance['error']>
        notices.push({
          type: 'Warning',
          reason: 'ScaleUpFailed',
          message: `Failed adding ${unseen.length} nodes to group ${group.name} due to OutOfResource.${code}; source errors: ${message}`,
          failure: { reason: code, nodes: unseen.length },
        })
        this.registerScaleUp(group, -unseen.length, now)
        this.backoffs.backOff(group.name, { code, message }, now)
      }
    }
    return notices
  }
}

function count(readiness: Readiness, node: Node, wall: number, options: AutoscalerOptions): void {
  readiness.registered++
  const createdAt = parseTime(node.metadata.creationTimestamp) ?? 0
  if (readinessOf(node).isReady) readiness.ready++
  else if (createdAt + options['max-node-startup-time'] > wall) readiness.notStarted.push(node.metadata.name)
  else {
    readiness.unready++
    if (findCondition(node.status?.conditions, 'Ready')?.reason === resourceNotReady) readiness.resourceUnready++
  }
}
