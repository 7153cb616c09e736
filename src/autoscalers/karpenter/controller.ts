import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/objects/karpenter.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { hasTaint } from '../../api/taints.ts'
import type { MetricRegistry } from '../../base/metrics.ts'
import type { RandomStream } from '../../base/random.ts'
import { createActionIds } from '../../runtime/actions.ts'
import type { Change, Controller, StepInput, StepOutput } from '../../runtime/controller.ts'
import type { KarpenterCloud } from './cloud/karpenter-cloud.ts'
import { CommandQueue } from './disruption/command-queue.ts'
import { DisruptionLoop } from './disruption/disruption-loop.ts'
import { Drafts } from './drafts.ts'
import { EventFilter } from './event-filter.ts'
import { KarpenterMetrics } from './karpenter-metrics.ts'
import { ClaimConditions, notePodEvent } from './lifecycle/claim-conditions.ts'
import { ClaimConsistency } from './lifecycle/claim-consistency.ts'
import { ClaimLifecycle } from './lifecycle/claim-lifecycle.ts'
import { EvictionQueue } from './lifecycle/eviction-queue.ts'
import { NodeRepair } from './lifecycle/node-repair.ts'
import { NodeTermination } from './lifecycle/node-termination.ts'
import { RegistrationHealth } from './lifecycle/registration-health.ts'
import {
  disruptedTaint,
  hashAnnotation,
  hashVersionAnnotation,
  kwokNodeClasses,
  nodeClaims,
  nodeOverlays,
  nodePoolLabel,
  nodePools,
} from './names.ts'
import { hashVersion, nodePoolHash } from './node-pool-hash.ts'
import type { KarpenterOptions } from './options.ts'
import { PoolStatus } from './pool-status.ts'
import { Batcher, provision } from './provisioner.ts'
import type { Situation } from './situation.ts'
import { ClusterState } from './state/cluster-state.ts'
import { isProvisionable } from './state/pod-conditions.ts'
import { exposeState } from './state-metrics.ts'
import { StaticCapacity } from './static-capacity.ts'

export const karpenter = 'karpenter'

export interface KarpenterSetup {
  readonly options: KarpenterOptions
  readonly cloud: KarpenterCloud
  /** The time from launch to Node, for classes other than KWOKNodeClass. */
  readonly bootMs: number
  readonly metrics: MetricRegistry
}

// v1.14, nodeclaim/garbagecollection
const collectMs = 2 * 60_000

export const karpenterWatches: readonly KnownResource[] = [
  nodePools,
  nodeClaims,
  kwokNodeClasses,
  nodeOverlays,
  'nodes',
  'pods',
  'namespaces',
  'daemonsets.apps',
  'poddisruptionbudgets.policy',
  'persistentvolumes',
  'persistentvolumeclaims',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
]

/** Karpenter v1.14: creates nodes for pods that do not fit, and replaces and removes nodes. */
export function createKarpenter(setup: KarpenterSetup): Controller {
  const state = new Karpenter(setup)
  return {
    name: karpenter,
    watches: karpenterWatches,
    step: (input) => state.step(input),
    inspect: () => state.inspect(),
  }
}

class Karpenter {
  private readonly setup: KarpenterSetup
  private readonly ids = createActionIds()
  private readonly state = new ClusterState()
  private readonly filter = new EventFilter()
  private readonly statics = new StaticCapacity()
  private readonly batcher: Batcher
  private readonly lifecycle = new ClaimLifecycle()
  private readonly conditions = new ClaimConditions()
  private readonly consistency = new ClaimConsistency()
  private readonly health = new RegistrationHealth()
  private readonly pools = new PoolStatus(this.health)
  private readonly metrics: KarpenterMetrics
  private readonly termination = new NodeTermination()
  private readonly repair = new NodeRepair()
  private readonly evictions = new EvictionQueue(this.ids)
  private readonly queue = new CommandQueue()
  private readonly loop = new DisruptionLoop(this.queue)
  private isFirst = true
  private collectAt: number | undefined

  constructor(setup: KarpenterSetup) {
    this.setup = setup
    this.batcher = new Batcher(setup.options)
    this.metrics = new KarpenterMetrics(setup.metrics)
  }

  step(input: StepInput): StepOutput {
    const { changes, results, now, wall, view } = input
    const { cloud, options } = this.setup
    const random = input.random.stream(karpenter)
    const drafts = new Drafts({ ids: this.ids, view, filter: this.filter, metrics: this.metrics, now })
    for (const change of changes) this.take(change, drafts, input)
    if (this.isFirst) exposeState(this.setup.metrics, { view, state: this.state, cloud })
    this.isFirst = false
    for (const result of results) this.evictions.take(result, view, drafts, now)
    const situation: Situation = { view, state: this.state, cloud, options, now, wall }
    this.maintain(situation, drafts, random)
    this.queue.step(situation, drafts)
    if (this.batcher.takeDue(now) && this.state.isSynced) provision(situation, drafts, random)
    if (options.gates.StaticCapacity) this.statics.step(situation, drafts, random)
    this.loop.step(situation, drafts, random)
    for (const node of cloud.takeDue(now)) drafts.create('nodes', node)
    return { actions: drafts.flush(), wakeAt: this.nextAt() }
  }

  inspect(): unknown {
    return { blocked: Object.fromEntries(this.loop.blocked) }
  }

  private nextAt(): number {
    return Math.min(
      this.batcher.nextAt(),
      this.lifecycle.nextAt(),
      this.conditions.nextAt(),
      this.consistency.nextAt(),
      this.pools.nextAt(),
      this.termination.nextAt(),
      this.repair.nextAt(),
      this.evictions.nextAt(),
      this.queue.nextAt(),
      this.loop.nextAt(),
      this.statics.nextAt(),
      this.setup.cloud.nextDueAt(),
      this.collectAt ?? Number.POSITIVE_INFINITY,
    )
  }

  /** Handles single claims and nodes. */
  private maintain(situation: Situation, drafts: Drafts, random: RandomStream): void {
    const { view, cloud, now, wall } = situation
    const { bootMs } = this.setup
    const nodeOf = (claim: NodeClaim) => this.nodeOf(claim)
    this.lifecycle.step({ view, cloud, drafts, random, bootMs, health: this.health, now, wall, nodeOf })
    this.consistency.step({ drafts, now, wall, nodeOf })
    this.conditions.step(view, drafts, cloud.catalog, now, wall)
    const claimOf = (node: Node) => this.claimOn(node.metadata.name, drafts)
    const isGone = (providerID: string) => cloud.isGone(providerID)
    if (situation.options.gates.NodeRepair) this.repair.step({ view, drafts, now, wall, claimOf })
    this.termination.step({ view, drafts, evictions: this.evictions, now, wall, claimOf, isGone })
    this.evictions.step(view, drafts, now)
    this.pools.step(situation, drafts)
    this.collectAt ??= now + collectMs
    if (this.collectAt > now) return
    this.collectAt = now + collectMs
    for (const claim of view.list(nodeClaims)) {
      const isLost = isConditionTrue(claim.status?.conditions, 'Registered') && this.nodeOf(claim) === undefined
      if (!isLost || claim.metadata.deletionTimestamp !== undefined) continue
      drafts.delete(nodeClaims, claim)
      drafts.metrics.claimDisrupted(claim, 'garbage_collected')
    }
  }

  private nodeOf({ metadata }: NodeClaim): Node | undefined {
    return this.state.byClaim(metadata.name)?.node
  }

  private claimOn(node: string, drafts: Drafts): NodeClaim | undefined {
    const name = this.state.byNode(node)?.claim?.metadata.name
    return name === undefined ? undefined : drafts.get(nodeClaims, name)
  }

  private take(change: Change, drafts: Drafts, { view, now, wall }: StepInput): void {
    const touched = change.resource === 'nodes' ? this.state.byNode(change.key)?.claim?.metadata.name : undefined
    this.state.take(change, view, now)
    switch (change.resource) {
      case 'pods':
        this.takePod(change, drafts, now, wall)
        return
      case 'nodes': {
        const { before, after } = change
        if (after !== undefined) this.termination.touch(after, now)
        if (this.setup.options.gates.NodeRepair && before?.status?.conditions !== after?.status?.conditions)
          this.repair.touch(change.key, now)
        const uid = (after ?? before)?.metadata.uid ?? ''
        if (hasTaint(after?.spec?.taints, disruptedTaint)) this.batcher.trigger(uid, now)
        else this.batcher.release(uid)
        const claim = this.state.byNode(change.key)?.claim?.metadata.name ?? touched
        if (claim !== undefined) {
          this.lifecycle.touch(claim)
          this.consistency.touch(claim)
        }
        this.touchPool(change, now)
        return
      }
      case nodeClaims:
        this.lifecycle.touch(change.key)
        this.conditions.touch(change.key)
        this.consistency.touch(change.key)
        this.touchPool(change, now)
        this.touchStatic((change.after ?? change.before)?.metadata.labels?.[nodePoolLabel], now)
        return
      case nodePools:
        this.takePool(change, drafts, view)
        this.pools.touch(change.key)
        this.touchStatic(change.key, now)
        if (change.before?.metadata.generation !== change.after?.metadata.generation) this.takeOverlays(view)
        return
      case kwokNodeClasses:
        for (const { metadata, spec } of view.list(nodePools))
          if (spec.template.spec.nodeClassRef.name === change.key) this.pools.touch(metadata.name)
        return
      case nodeOverlays:
        this.takeOverlays(view)
        this.state.markChanged(now)
        return
      default:
        return
    }
  }

  /** Schedules another count of the nodes of the pool, unless the change is a heartbeat. */
  private touchPool({ before, after }: CountedChange, now: number): void {
    const pool = (after ?? before)?.metadata.labels?.[nodePoolLabel]
    if (pool !== undefined && !countsAlike(before, after)) this.pools.touchNodes(pool, now)
  }

  private touchStatic(pool: string | undefined, now: number): void {
    if (pool !== undefined && this.setup.options.gates.StaticCapacity) this.statics.touch(pool, now)
  }

  private takeOverlays(view: StepInput['view']): void {
    if (this.setup.options.gates.NodeOverlay)
      this.setup.cloud.setOverlays(view.list(nodeOverlays), view.list(nodePools))
  }

  private takePod(change: Extract<Change, { resource: 'pods' }>, drafts: Drafts, now: number, wall: number): void {
    const { before, after } = change
    const uid = ((after ?? before) as Pod).metadata.uid ?? ''
    if (after !== undefined && isProvisionable(after)) this.batcher.trigger(uid, now)
    else this.batcher.release(uid)
    if (!this.isFirst) notePodEvent(change, (node) => this.claimOn(node, drafts), drafts, wall)
    const node = (after ?? before)?.spec.nodeName
    const claim = node === undefined ? undefined : this.state.byNode(node)?.claim?.metadata.name
    if (claim !== undefined) this.conditions.touch(claim)
  }

  /** Stores the hash of the template on the pool. Nodes with a different hash have drifted. */
  private takePool(
    { key, before, after }: Extract<Change, { resource: 'nodepools.karpenter.sh' }>,
    drafts: Drafts,
    view: StepInput['view'],
  ): void {
    // Claims do not depend on the status of their pool.
    if (
      before !== undefined &&
      before.spec === after?.spec &&
      before.metadata.annotations === after.metadata.annotations
    )
      return
    for (const claim of view.list(nodeClaims))
      if (claim.metadata.labels?.[nodePoolLabel] === key) this.conditions.touch(claim.metadata.name)
    if (after === undefined) return
    const hash = nodePoolHash(after)
    const { annotations = {} } = after.metadata
    if (annotations[hashAnnotation] === hash && annotations[hashVersionAnnotation] === hashVersion) return
    const own = { [hashAnnotation]: hash, [hashVersionAnnotation]: hashVersion }
    drafts.patch(nodePools, after, { metadata: { annotations: own } })
    if (annotations[hashVersionAnnotation] === hashVersion) return
    for (const claim of view.list(nodeClaims)) {
      const { labels, annotations: mine = {} } = claim.metadata
      if (labels?.[nodePoolLabel] !== key || mine[hashVersionAnnotation] === hashVersion) continue
      const isDrifted = isConditionTrue(claim.status?.conditions, 'Drifted')
      const next = { ...mine, ...own, ...(isDrifted ? { [hashAnnotation]: mine[hashAnnotation] ?? hash } : {}) }
      drafts.set(nodeClaims, { ...claim, metadata: { ...claim.metadata, annotations: next } })
    }
  }
}

type CountedChange = Extract<Change, { resource: 'nodes' | 'nodeclaims.karpenter.sh' }>

/** Reports whether the pool counts a node or claim as before. A node that will be removed soon gets a taint. */
function countsAlike(before: CountedChange['before'], after: CountedChange['after']): boolean {
  if (before === undefined || after === undefined) return false
  return (
    before.spec === after.spec &&
    before.metadata.labels === after.metadata.labels &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.status?.capacity === after.status?.capacity
  )
}
