import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import type { MetricRegistry } from '../../base/metrics.ts'
import { createActionIds, createObject } from '../../runtime/actions.ts'
import type { Action, Change, Controller, StepInput, StepOutput } from '../../runtime/controller.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import { AutoscalerLoop } from './autoscaler-loop.ts'
import { type NodeCloud, nodeOf } from './node-cloud.ts'
import type { NodeGroup } from './node-group.ts'
import type { AutoscalerOptions } from './options.ts'

export const clusterAutoscaler = 'cluster-autoscaler'

export interface ClusterAutoscalerOptions {
  readonly groups: readonly NodeGroup[]
  readonly options: AutoscalerOptions
  /** The filters of the scheduler that decide where pods fit. */
  readonly profile: Profile
  readonly cloud: NodeCloud
  readonly metrics?: MetricRegistry
  /**
   * Also runs loops that would make the same decisions, as upstream does: the status shows that the autoscaler is
   * alive.
   */
  readonly runsEveryLoop?: boolean
}

/** The minimum time between the starts of two loops, and the duration of a loop, as measured on small clusters. */
const leastLoopMs = 100
const loopMs = 10

export const autoscalerWatches: readonly KnownResource[] = [
  'nodes',
  'pods',
  'daemonsets.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'jobs.batch',
  'replicationcontrollers',
  'poddisruptionbudgets.policy',
  'persistentvolumes',
  'persistentvolumeclaims',
  'configmaps',
  'resourceclaims.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'deviceclasses.resource.k8s.io',
]

/** Cluster Autoscaler 1.36: adds nodes for pods that do not fit and removes nodes that are not needed. */
export function createClusterAutoscaler(options: ClusterAutoscalerOptions): Controller {
  const state = new ClusterAutoscaler(options)
  return {
    name: clusterAutoscaler,
    watches: autoscalerWatches,
    step: (input) => state.step(input),
    inspect: (now) => state.inspect(now),
  }
}

class ClusterAutoscaler {
  private readonly options: ClusterAutoscalerOptions
  private readonly ids = createActionIds()
  private readonly loop: AutoscalerLoop
  private nextLoopAt: number | undefined
  /** A pod became unschedulable since the last loop began. */
  private isTriggered = false
  private hasChanged = true
  private lastLoopAt = Number.NEGATIVE_INFINITY
  private readonly statusKey: string
  /** The devices of new nodes, which their driver publishes when the Node exists. */
  private readonly devices = new Map<string, readonly ResourceSlice[]>()

  constructor(options: ClusterAutoscalerOptions) {
    this.options = options
    this.statusKey = `${options.options.namespace}/${options.options['status-config-map-name']}`
    this.loop = new AutoscalerLoop({ ...options, ids: this.ids })
  }

  step(input: StepInput): StepOutput {
    const { changes, results, now } = input
    const { cloud, options } = this.options
    for (const change of changes) this.take(change, input)
    for (const result of results) this.loop.takeResult(result, now)
    this.nextLoopAt ??= now + options['scan-interval']
    const actions: Action[] = changes.flatMap((change) => this.publishDevices(change))
    this.loop.proceedDeletions(input, actions)
    if (this.isLoopDue(now)) this.runLoop(input, actions)
    for (const instance of cloud.takeDue(now)) {
      this.devices.set(instance.name, this.loop.devicesOf(instance.group, instance.name))
      actions.push(createObject(this.ids, { resource: 'nodes', object: nodeOf(instance) }))
    }
    const wakeAt = Math.min(
      this.isTriggered ? this.soonest(now) : (this.nextLoopAt as number),
      cloud.nextDueAt() ?? Number.POSITIVE_INFINITY,
      this.loop.deletions.nextAt() ?? Number.POSITIVE_INFINITY,
    )
    return { actions, wakeAt }
  }

  inspect(now: number): unknown {
    return this.loop.inspect(now)
  }

  private take(change: Change, { view }: StepInput): void {
    // Every loop writes the status, and no loop reads it.
    if (change.resource === 'configmaps' && change.key === this.statusKey) return
    this.hasChanged = true
    const isNew = this.loop.take(change, view)
    if (isNew && this.options.options['frequent-loops-enabled']) this.isTriggered = true
  }

  private publishDevices({ resource, key, after }: Change): readonly Action[] {
    const slices = resource === 'nodes' && after !== undefined ? this.devices.get(key) : undefined
    if (after === undefined || slices === undefined) return []
    this.devices.delete(key)
    const { name, uid = '' } = after.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid, controller: true }]
    return slices.map((slice) => {
      const object = { ...slice, metadata: { ...slice.metadata, ownerReferences } }
      return createObject(this.ids, { resource: 'resourceslices.resource.k8s.io', object })
    })
  }

  private soonest(now: number): number {
    return Math.max(now, this.lastLoopAt + leastLoopMs)
  }

  private isLoopDue(now: number): boolean {
    return now >= (this.nextLoopAt as number) || (this.isTriggered && now >= this.soonest(now))
  }

  private runLoop(input: StepInput, actions: Action[]): void {
    const { now } = input
    this.lastLoopAt = now
    this.isTriggered = false
    const scanMs = this.options.options['scan-interval']
    // Without a change, the loop would have the same result, unless it waits for something.
    if (this.options.runsEveryLoop !== true && !this.hasChanged && this.loop.isAtRest(now)) {
      this.nextLoopAt = now + scanMs + loopMs
      return
    }
    this.hasChanged = false
    const { isProductive } = this.loop.run(input, actions)
    const isFrequent = this.options.options['frequent-loops-enabled']
    this.nextLoopAt = now + (isProductive && isFrequent ? leastLoopMs : scanMs + loopMs)
  }
}
