import type { Call, Outcome } from '../../api/call.ts'
import { splitKey } from '../../api/object-key.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { nodeLeaseNamespace } from '../../api/well-known.ts'
import { exponentialBuckets, type Histogram, MetricRegistry } from '../../base/metrics.ts'
import { callAction, createActionIds, readAction, recordEvent } from '../../runtime/actions.ts'
import type {
  Action,
  ActionResult,
  Change,
  ChangeOf,
  Controller,
  StepInput,
  StepOutput,
} from '../../runtime/controller.ts'
import { type FixSet, noFixes } from '../fixes.ts'
import { decideLabels, decideNoScheduleTaints } from './decide-taints.ts'
import { NoExecuteTaints } from './no-execute-taints.ts'
import { NodeMonitor } from './node-monitor.ts'
import { labelCall, NodeWrites, onConflict, taintCall } from './node-writes.ts'
import { defaultSettings, type NodeLifecycleSettings } from './options.ts'
import { PodMarker } from './pod-marker.ts'
import type { NodeEvent, StepContext } from './step-context.ts'
import { ZoneCensus } from './zone-census.ts'
import { ZoneDisruption } from './zone-disruption.ts'
import { ZoneTainter } from './zone-tainter.ts'

export interface NodeLifecycleOptions extends Partial<NodeLifecycleSettings> {
  readonly fixes?: FixSet
  readonly metrics?: MetricRegistry
  /**
   * The last heartbeat of a node in virtual time, which computes heartbeats instead of writing Leases. If it returns
   * undefined for a node, the Lease in the view counts.
   */
  readonly heartbeats?: (node: string) => number | undefined
  /** The number of nodes, and of pods of one node, that are written at a time. Default: no limit. */
  readonly workers?: NodeWorkers | undefined
  /** A controller ran in this cluster before: nodes are not new, and their taints and silence are kept. */
  readonly resumed?: boolean
}

export const nodeLifecycle = 'node-lifecycle-controller'

export interface NodeWorkers {
  readonly nodes: number
  readonly podsPerNode: number
}

/** v1.36, nodelifecycle nodeUpdateWorkerSize. The pods of one node are marked one after the other. */
export const upstreamWorkers: NodeWorkers = { nodes: 8, podsPerNode: 1 }
const unlimited: NodeWorkers = { nodes: Number.POSITIVE_INFINITY, podsPerNode: Number.POSITIVE_INFINITY }
const leases = 'leases.coordination.k8s.io'

export function createNodeLifecycle(options: NodeLifecycleOptions = {}): Controller {
  const state = new NodeLifecycle(options)
  return {
    name: nodeLifecycle,
    watches: ['nodes', 'pods', leases],
    requestOrder: 'sequential',
    step: (input) => state.step(input),
    ignores: (change) => change.resource === 'pods' && !isBinding(change),
    inspect: () => state.inspect(),
  }
}

function isBinding({ before, after }: ChangeOf<'pods'>): boolean {
  const node = after?.spec.nodeName
  return node !== undefined && node !== before?.spec.nodeName
}

type OnAnswer = (outcome: Outcome, context: StepContext) => void

/** Requests that are not answered yet. */
class OpenRequests {
  private readonly ids = createActionIds()
  private readonly answers = new Map<number, OnAnswer>()

  read(node: string, answered: OnAnswer): Action {
    return this.expect(readAction(this.ids, 'nodes', node), answered)
  }

  call(call: Call, answered: OnAnswer): Action {
    return this.expect(callAction(this.ids, call), answered)
  }

  take({ id, outcome }: ActionResult, context: CurrentStep): void {
    const answered = this.answers.get(id)
    this.answers.delete(id)
    answered?.(outcome, context)
  }

  private expect<A extends Action & { readonly id: number }>(action: A, answered: OnAnswer): A {
    this.answers.set(action.id, answered)
    return action
  }
}

/** The current step, for the parts of the controller. */
class CurrentStep implements StepContext {
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
    return this.input.random.stream(nodeLifecycle).next()
  }

  read(node: string, then: (context: StepContext) => void): void {
    this.actions.push(this.requests.read(node, (_, context) => then(context)))
  }

  call(call: Call, answered: OnAnswer): void {
    this.actions.push(this.requests.call(call, answered))
  }

  notify({ regarding, type, reason, message }: NodeEvent): void {
    // Upstream records its events under this name.
    this.actions.push(recordEvent({ regarding, type, reason, message, api: 'core', component: 'node-controller' }))
  }
}

/**
 * The path of a node that sends no heartbeat, through the parts of this controller:
 *
 *     NodeMonitor       a pass finds that the grace period is over (decide-health.ts), and writes the conditions
 *     NoExecuteTaints   queues the node in its zone
 *     PodMarker         marks the pods of the node not ready
 *     ZoneDisruption    after the pass: judges the zones, and sets their rates
 *     ZoneTainter       taints the nodes of each queue at the zone's rate
 */
class NodeLifecycle {
  private readonly settings: NodeLifecycleSettings
  private readonly passDuration: Histogram
  private readonly census = new ZoneCensus()
  private readonly writes = new NodeWrites()
  private readonly marker: PodMarker
  private readonly tainter: ZoneTainter
  private readonly monitor: NodeMonitor
  private readonly disruption: ZoneDisruption
  private readonly requests = new OpenRequests()

  constructor(options: NodeLifecycleOptions) {
    const {
      fixes = noFixes,
      metrics = new MetricRegistry(),
      heartbeats,
      resumed = false,
      workers = unlimited,
      ...rest
    } = options
    this.settings = { ...defaultSettings, ...rest }
    this.marker = new PodMarker(workers.podsPerNode)
    const durations = registerDurations(metrics)
    this.passDuration = durations.pass
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
    const taints = new NoExecuteTaints({
      census: this.census,
      tainter: this.tainter,
      writes: this.writes,
      keepTimes: fixes.has('countdown-from-taint'),
    })
    this.monitor = new NodeMonitor({
      settings: this.settings,
      fixes,
      census: this.census,
      tainter: this.tainter,
      taints,
      writes: this.writes,
      marker: this.marker,
      workers: workers.nodes,
      heartbeats,
      resumed,
      observeNode: (seconds) => durations.node.observe(seconds),
    })
    this.disruption = new ZoneDisruption({
      settings: this.settings,
      fixes,
      census: this.census,
      tainter: this.tainter,
      taints,
      monitor: this.monitor,
      metrics,
    })
  }

  step(input: StepInput): StepOutput {
    const context = new CurrentStep(input, this.requests)
    for (const result of input.results) this.requests.take(result, context)
    this.judgeZones(context)
    this.takeChanges(input.changes, context)
    this.writes.wake(context)
    for (const key of this.marker.due(context.now)) this.podBound(key, context)
    this.tainter.tick(context)
    this.monitor.wake(context)
    this.judgeZones(context)
    const wakeAt = earliest(
      this.writes.nextAt(),
      this.marker.nextAt(),
      this.tainter.planTick(context.now),
      this.monitor.nextAt(),
    )
    const { actions } = context
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

  private takeChanges(changes: readonly Change[], context: StepContext): void {
    let nodes: Set<string> | undefined
    for (const change of changes) {
      switch (change.resource) {
        case 'nodes':
          this.monitor.nodeChanged(change.key, change.after, context.now)
          nodes ??= new Set()
          nodes.add(change.key)
          break
        case 'pods': {
          // Before the first pass, no node is known to be silent, and every pod of the cluster is a change.
          if (!this.monitor.hasExamined) break
          if (isBinding(change)) this.podBound(change.key, context)
          break
        }
        case leases: {
          const { namespace, name } = splitKey(change.key)
          if (namespace !== nodeLeaseNamespace) break
          if (change.after === undefined) this.monitor.leaseDeleted(name)
          else this.monitor.leaseChanged(name, change.after.spec?.renewTime, context.now)
        }
      }
    }
    if (nodes !== undefined) for (const name of nodes) this.correctNode(name, context)
  }

  /** A pass ends in the step that starts it, or in the one that gets the last answer to its writes. */
  private judgeZones(context: StepContext): void {
    const pass = this.monitor.takeEndedPass()
    if (pass === undefined) return
    this.passDuration.observe((context.now - pass.startedAt) / 1000)
    this.disruption.judge(pass, context)
  }

  private podBound(key: string, context: StepContext): void {
    this.marker.bound(key, context, (node) => this.monitor.isReady(node))
  }

  /**
   * Writes the NoSchedule taints and labels that follow from the node. A write that fails is retried at the next change
   * of the node.
   */
  private correctNode(name: string, context: StepContext): void {
    const node = context.node(name)
    if (node === undefined) return
    if (decideNoScheduleTaints(node) !== undefined) {
      this.writeNode(name, context, (newest, { wall }) => {
        const change = decideNoScheduleTaints(newest)
        return change && taintCall(newest, change, wall, { keepTimes: false })
      })
    }
    if (decideLabels(node) !== undefined) {
      this.writeNode(name, context, (newest) => {
        const labels = decideLabels(newest)
        return labels && labelCall(newest, labels)
      })
    }
  }

  private writeNode(name: string, context: StepContext, plan: Parameters<NodeWrites['enqueue']>[0]['plan']): void {
    this.writes.enqueue({ node: name, plan, retries: onConflict, readsFirst: true, done: () => {} }, context)
  }
}

function earliest(...instants: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined
  for (const at of instants) if (at !== undefined && (first === undefined || at < first)) first = at
  return first
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
