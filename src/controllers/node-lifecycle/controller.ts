import type { Call, Outcome } from '../../api/call.ts'
import { splitKey } from '../../api/object-key.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { nodeLeaseNamespace } from '../../api/well-known.ts'
import { exponentialBuckets, type Gauge, MetricRegistry } from '../../base/metrics.ts'
import { callAction, createActionIds, readAction, recordEvent } from '../../runtime/actions.ts'
import type { Action, ActionResult, Change, Controller, StepInput, StepOutput } from '../../runtime/controller.ts'
import { type FixSet, noFixes } from '../fixes.ts'
import { decideLabels, decideNoScheduleTaints } from './decide-taints.ts'
import type { Moment, Notice } from './moment.ts'
import { NodeMonitor, type Pass } from './node-monitor.ts'
import { labelCall, NodeWrites, onConflict, taintCall } from './node-writes.ts'
import { defaultSettings, type NodeLifecycleSettings } from './options.ts'
import { PodMarker } from './pod-marker.ts'
import { ZoneCensus } from './zone-census.ts'
import { ZoneTainter } from './zone-tainter.ts'
import { decideDisruption, evictionRateIn, type ZoneState } from './zones.ts'

export interface NodeLifecycleOptions extends Partial<NodeLifecycleSettings> {
  readonly fixes?: FixSet
  readonly metrics?: MetricRegistry
  /**
   * The last heartbeat of a node, where Leases are not written out: virtual time computes them. Undefined for a node: its
   * Lease in the view counts.
   */
  readonly heartbeats?: (node: string) => number | undefined
  /** How many nodes, and pods of one node, are written at a time. Default: no limit. */
  readonly workers?: NodeWorkers | undefined
  /** The first step finds a cluster in which a controller ran before: nodes are known, their taints and silence stand. */
  readonly resumed?: boolean
}

export const NODE_LIFECYCLE = 'node-lifecycle-controller'

export interface NodeWorkers {
  readonly nodes: number
  readonly podsPerNode: number
}

/** v1.36, nodelifecycle nodeUpdateWorkerSize. The pods of one node are marked one after the other. */
export const upstreamWorkers: NodeWorkers = { nodes: 8, podsPerNode: 1 }
const UNLIMITED: NodeWorkers = { nodes: Number.POSITIVE_INFINITY, podsPerNode: Number.POSITIVE_INFINITY }
const LEASES = 'leases.coordination.k8s.io'

export function createNodeLifecycle(options: NodeLifecycleOptions = {}): Controller {
  const state = new NodeLifecycle(options)
  return {
    name: NODE_LIFECYCLE,
    watches: ['nodes', 'pods', LEASES],
    requestOrder: 'sequential',
    step: (input) => state.step(input),
    inspect: () => state.inspect(),
  }
}

type Answered = (outcome: Outcome, moment: Moment) => void

/** Requests without an answer yet. */
class OpenRequests {
  private readonly ids = createActionIds()
  private readonly answers = new Map<number, Answered>()

  read(node: string, answered: Answered): Action {
    return this.expect(readAction(this.ids, 'nodes', node), answered)
  }

  call(call: Call, answered: Answered): Action {
    return this.expect(callAction(this.ids, call), answered)
  }

  take({ id, outcome }: ActionResult, moment: StepMoment): void {
    const answered = this.answers.get(id)
    this.answers.delete(id)
    answered?.(outcome, moment)
  }

  private expect<A extends Action & { readonly id: number }>(action: A, answered: Answered): A {
    this.answers.set(action.id, answered)
    return action
  }
}

/** One step as its parts see it. */
class StepMoment implements Moment {
  readonly now: number
  readonly wall: number
  readonly actions: Action[] = []
  private readonly input: StepInput
  private readonly requests: OpenRequests

  constructor(input: StepInput, requests: OpenRequests) {
    this.now = input.now
    this.wall = input.wall
    this.input = input
    this.requests = requests
  }

  node(name: string): Node | undefined {
    return this.input.view.get('nodes', name)
  }

  nodes(): readonly Node[] {
    return this.input.view.list('nodes')
  }

  pod(key: string): Pod | undefined {
    return this.input.view.get('pods', key)
  }

  podsOn(node: string): readonly Pod[] {
    return this.input.view.podsOn(node)
  }

  jitter(): number {
    return this.input.random.stream(NODE_LIFECYCLE).next()
  }

  read(node: string, then: (moment: Moment) => void): void {
    this.actions.push(this.requests.read(node, (_, moment) => then(moment)))
  }

  call(call: Call, answered: Answered): void {
    this.actions.push(this.requests.call(call, answered))
  }

  notify({ regarding, type, reason, message }: Notice): void {
    // Upstream records under the name that the controller had when it was still part of another.
    this.actions.push(recordEvent({ regarding, type, reason, message, api: 'core', component: 'node-controller' }))
  }
}

class NodeLifecycle {
  private readonly settings: NodeLifecycleSettings
  private readonly fixes: FixSet
  private readonly gauges: Readonly<Record<'health' | 'size' | 'unhealthy', Gauge>>
  private readonly census = new ZoneCensus()
  private readonly writes = new NodeWrites()
  private readonly marker: PodMarker
  private readonly tainter: ZoneTainter
  private readonly monitor: NodeMonitor
  private readonly requests = new OpenRequests()

  constructor(options: NodeLifecycleOptions) {
    const {
      fixes = noFixes,
      metrics = new MetricRegistry(),
      heartbeats,
      resumed = false,
      workers = UNLIMITED,
      ...rest
    } = options
    this.settings = { ...defaultSettings, ...rest }
    this.marker = new PodMarker(workers.podsPerNode)
    this.fixes = fixes
    this.gauges = registerGauges(metrics)
    const durations = registerDurations(metrics)
    this.tainter = new ZoneTainter({
      writes: this.writes,
      nodeEvictionRate: this.settings.nodeEvictionRate,
      keepTimes: fixes.has('countdown-from-taint'),
      evictions: metrics.counter({
        name: 'node_collector_evictions_total',
        help: 'Number of Node evictions that happened since current instance of NodeController started.',
        labels: ['zone'],
      }),
    })
    this.monitor = new NodeMonitor({
      settings: this.settings,
      fixes,
      census: this.census,
      tainter: this.tainter,
      writes: this.writes,
      marker: this.marker,
      workers: workers.nodes,
      heartbeats,
      resumed,
      observeNode: (seconds) => durations.node.observe(seconds),
      judgeZones: (pass, moment) => {
        durations.pass.observe((moment.now - pass.startedAt) / 1000)
        this.judgeZones(pass, moment)
      },
    })
  }

  step(input: StepInput): StepOutput {
    const moment = new StepMoment(input, this.requests)
    for (const result of input.results) this.requests.take(result, moment)
    this.takeChanges(input.changes, moment)
    this.writes.wake(moment)
    for (const key of this.marker.due(moment.now)) this.podBound(key, moment)
    this.tainter.tick(moment)
    this.monitor.wake(moment)
    const wakeAt = earliest(
      this.writes.nextAt(),
      this.marker.nextAt(),
      this.tainter.planTick(moment.now),
      this.monitor.nextAt(),
    )
    const { actions } = moment
    return wakeAt === undefined ? { actions } : { actions, wakeAt }
  }

  inspect(): unknown {
    const zones = [...this.census.states].map(([zone, state]) => {
      const { limiter } = this.tainter.queueOf(zone)
      const { size = 0, unhealthy = 0 } = this.census.countIn(zone) ?? {}
      const waiting = this.tainter.queueOf(zone).list()
      return { zone, state, size, unhealthy, perSecond: limiter.perSecond, nextTaintAt: limiter.nextAt, waiting }
    })
    return { zones, nodes: this.monitor.inspect() }
  }

  private takeChanges(changes: readonly Change[], moment: Moment): void {
    let nodes: Set<string> | undefined
    for (const change of changes) {
      switch (change.resource) {
        case 'nodes':
          this.monitor.nodeChanged(change.key, change.after, moment.now)
          nodes ??= new Set()
          nodes.add(change.key)
          break
        case 'pods': {
          // Before the first pass no node is known to be silent, and every pod of the cluster comes by.
          if (!this.monitor.hasLooked) break
          const node = change.after?.spec.nodeName
          if (node !== undefined && node !== change.before?.spec.nodeName) this.podBound(change.key, moment)
          break
        }
        case LEASES: {
          const { namespace, name } = splitKey(change.key)
          if (namespace !== nodeLeaseNamespace) break
          if (change.after === undefined) this.monitor.leaseGone(name)
          else this.monitor.leaseChanged(name, change.after.spec?.renewTime, moment.now)
        }
      }
    }
    if (nodes !== undefined) for (const name of nodes) this.mendNode(name, moment)
  }

  private podBound(key: string, moment: Moment): void {
    this.marker.bound(key, moment, (node) => this.monitor.isReady(node))
  }

  /** What follows from a node's conditions and labels at once; a write that fails waits for the node's next change. */
  private mendNode(name: string, moment: Moment): void {
    const node = moment.node(name)
    if (node === undefined) return
    if (decideNoScheduleTaints(node) !== undefined) {
      this.writeNode(name, moment, (newest, { wall }) => {
        const change = decideNoScheduleTaints(newest)
        return change && taintCall(newest, change, wall, { keepTimes: false })
      })
    }
    if (decideLabels(node) !== undefined) {
      this.writeNode(name, moment, (newest) => {
        const labels = decideLabels(newest)
        return labels && labelCall(newest, labels)
      })
    }
  }

  private writeNode(name: string, moment: Moment, plan: Parameters<NodeWrites['enqueue']>[0]['plan']): void {
    this.writes.enqueue({ node: name, plan, retries: onConflict, readsFirst: true, done: () => {} }, moment)
  }

  /** v1.36, nodelifecycle handleDisruption. */
  private judgeZones(pass: Pass, moment: Moment): void {
    const { states } = this.census
    const found = this.census.judge(this.settings.unhealthyZoneThreshold)
    this.reportZones(found)
    for (const zone of found.keys()) if (!states.has(zone)) states.set(zone, 'Initial')
    for (const zone of [...states.keys()]) {
      if (found.has(zone)) continue
      states.delete(zone)
      // Nodes that do not count keep their zone without a state, and every pass opens it anew.
      this.monitor.lookAgain(this.census.nodesIn(zone), moment.now)
    }
    const disruption = decideDisruption(states, found)
    switch (disruption.kind) {
      case 'unchanged':
        return
      case 'enter-master-disruption':
        if (!pass.resuming) this.releaseAll(moment)
        for (const zone of states.keys()) {
          this.tainter.setRate(zone, 0, moment.now)
          states.set(zone, 'FullDisruption')
        }
        return
      case 'exit-master-disruption':
        this.monitor.resetProbes(pass)
        for (const [zone, state] of found) this.enter(zone, state, moment)
        return
      case 'judge-zones':
        for (const [zone, state] of found) {
          if (states.get(zone) === state) continue
          this.enter(zone, state, moment)
          if (state === 'FullDisruption' && this.stopsWhenFull && !pass.resuming) {
            this.release(this.census.nodesIn(zone), moment)
          }
        }
    }
  }

  private get stopsWhenFull(): boolean {
    return this.fixes.has('full-disruption-stops')
  }

  private enter(zone: string, state: ZoneState, { now }: Moment): void {
    const size = this.census.countIn(zone)?.size ?? 0
    const rate = evictionRateIn(state, size, this.settings, { fullDisruptionStops: this.stopsWhenFull })
    if (rate !== undefined) this.tainter.setRate(zone, rate, now)
    this.census.states.set(zone, state)
  }

  private releaseAll(moment: Moment): void {
    const names = moment.nodes().map((node) => node.metadata.name)
    this.release(names, moment)
  }

  /** Takes back what was done to nodes while fewer of them were silent; the next pass queues them again. */
  private release(names: Iterable<string>, moment: Moment): void {
    for (const name of names) {
      const node = moment.node(name)
      if (node !== undefined) this.monitor.makeReachable(node, moment)
    }
    this.monitor.lookAgain(names, moment.now)
  }

  private reportZones(found: ReadonlyMap<string, ZoneState>): void {
    const { health, size: sizes, unhealthy: unhealthies } = this.gauges
    for (const zone of found.keys()) {
      const { size, unhealthy } = this.census.countIn(zone) as { size: number; unhealthy: number }
      sizes.set(size, zone)
      unhealthies.set(unhealthy, zone)
      health.set((100 * (size - unhealthy)) / size, zone)
    }
    for (const zone of this.census.states.keys()) {
      if (found.has(zone)) continue
      sizes.set(0, zone)
      unhealthies.set(0, zone)
      health.set(100, zone)
    }
  }
}

function earliest(...instants: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined
  for (const at of instants) if (at !== undefined && (first === undefined || at < first)) first = at
  return first
}

function registerGauges(metrics: MetricRegistry) {
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `node_collector_${name}`, help, labels: ['zone'] })
  return {
    health: gauge('zone_health', 'Gauge measuring percentage of healthy nodes per zone.'),
    size: gauge('zone_size', 'Gauge measuring number of registered Nodes per zones.'),
    unhealthy: gauge('unhealthy_nodes_in_zone', 'Gauge measuring number of not Ready Nodes per zones.'),
  }
}

function registerDurations(metrics: MetricRegistry) {
  return {
    node: metrics.histogram({
      name: 'node_collector_update_node_health_duration_seconds',
      help: 'Duration in seconds for NodeController to update the health of a single node.',
      buckets: exponentialBuckets(0.001, 4, 8),
    }),
    pass: metrics.histogram({
      name: 'node_collector_update_all_nodes_health_duration_seconds',
      help: 'Duration in seconds for NodeController to update the health of all nodes.',
      buckets: exponentialBuckets(0.01, 4, 8),
    }),
  }
}
