import { findCondition } from '../../api/conditions.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { QueueEntry } from '../../api/queue-entry.ts'
import { parseTime } from '../../api/time.ts'
import { silentLogger } from '../../base/log.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import { createRandom } from '../../base/random.ts'
import {
  deviceTaintEvictionName,
  type PendingDeviceEviction,
} from '../../controllers/device-taint-eviction/controller.ts'
import { type PendingEviction, taintEviction } from '../../controllers/taint-eviction/controller.ts'
import { createControllers } from '../../controlplane/controllers.ts'
import { createVirtualCluster, type VirtualCluster } from '../../controlplane/virtual.ts'
import type { Controller } from '../../runtime/controller.ts'
import type { SchedulerInspection } from '../../scheduler/observe/inspection.ts'
import type { ForecastPlan, FoundCluster } from '../scenario/forecast-plan.ts'
import { ForecastRun } from './forecast-run.ts'
import { StepRunner } from './step-runner.ts'
import { storedChanges } from './stored-changes.ts'

/** The cluster whose controllers are estimated. Without `found`, the manifests of `create` are settled first. */
export type EstimatedCluster = Pick<ForecastPlan, 'settings' | 'found' | 'create' | 'settleMs' | 'without'>

/** An inspection of a controller that is not available. */
export interface Estimated<T> {
  readonly value: T
  /** The time of the objects. Countdowns are relative to it. */
  readonly atMs: number
}

export interface EstimatedQueue extends SchedulerInspection {
  readonly estimated: true
  /** Pending pods that the scheduler places immediately. They are no longer in the queue. */
  readonly placed: readonly string[]
}

/** The queue of a scheduler that starts on these objects, after it has tried every pending pod. */
export function estimateQueue(from: EstimatedCluster): Estimated<EstimatedQueue> {
  const cluster = from.found === undefined ? settledManifests(from) : schedulerOn(from, from.found)
  const { driver, store, clock } = cluster
  const { queue, ...rest } = inspectionIn<SchedulerInspection>(cluster, 'scheduler') ?? noQueue
  const before = (from.found?.store.list('pods') ?? []) as readonly Pod[]
  const placed = before
    .filter((pod) => isPending(pod) && (store.get('pods', keyOf(pod)) as Pod | undefined)?.spec.nodeName)
    .map(keyOf)
  const value: EstimatedQueue = {
    queue: queue.map((entry) => sinceCondition(entry, from.found?.store.get('pods', entry.pod) as Pod | undefined)),
    ...rest,
    estimated: true,
    placed,
  }
  driver.close()
  return { value, atMs: clock.now() }
}

/** The countdowns of taint eviction, of nodes and of devices, if the controllers have run since the taints were added. */
export function estimateEvictions(
  from: EstimatedCluster,
): Estimated<readonly (PendingEviction | PendingDeviceEviction)[]> {
  const { found } = from
  if (found !== undefined) {
    const context = { settings: from.settings, metrics: new MetricRegistry(), log: silentLogger, resumed: true }
    const controllers = createControllers(['taint-eviction', 'device-taint-eviction'], context)
    // One step of each controller. Evictions that are due are still listed, because nothing is deleted.
    return { value: controllers.flatMap((each) => firstStep(each, found)), atMs: found.takenAtMs }
  }
  const cluster = settledManifests(from)
  const value = [taintEviction, deviceTaintEvictionName].flatMap(
    (name) => inspectionIn<readonly (PendingEviction | PendingDeviceEviction)[]>(cluster, name) ?? [],
  )
  cluster.driver.close()
  return { value, atMs: cluster.clock.now() }
}

const noQueue: SchedulerInspection = { queue: [], bindings: [], nominations: [], preemptions: [] }

const isPending = ({ spec, status }: Pod) =>
  !spec.nodeName && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'

function inspectionIn<T>({ driver, clock }: VirtualCluster, name: string): T | undefined {
  return driver.controller(name)?.inspect?.(clock.now()) as T | undefined
}

/** Manifests have no pods yet: all controllers create and start them. */
function settledManifests({ settings, create, settleMs, without }: EstimatedCluster): VirtualCluster {
  return ForecastRun.start({
    title: 'inspection',
    settings,
    hollow: { stages: [] },
    create,
    ...(settleMs === undefined ? {} : { settleMs }),
    ...(without === undefined ? {} : { without }),
    steps: [],
    untilMs: 0,
    expect: [],
  }).cluster
}

/** Only the scheduler runs, and only in the first instant. */
function schedulerOn({ settings, create }: EstimatedCluster, { store, takenAtMs }: FoundCluster): VirtualCluster {
  const cluster = createVirtualCluster({
    startMs: takenAtMs,
    settings,
    store,
    controllers: ['scheduler'],
    resumed: true,
  })
  const runner = new StepRunner(cluster, { drain: () => {}, upgrade: () => {} })
  for (const object of create) runner.apply(object)
  cluster.driver.settle()
  return cluster
}

function firstStep(
  controller: Controller,
  { store, takenAtMs }: FoundCluster,
): readonly (PendingEviction | PendingDeviceEviction)[] {
  const { changes, view } = storedChanges(store, controller.watches)
  const random = createRandom('inspection')
  controller.step({ changes, results: [], answers: [], now: takenAtMs, wall: takenAtMs, random, view })
  return (controller.inspect?.(takenAtMs) ?? []) as readonly (PendingEviction | PendingDeviceEviction)[]
}

/** The pod has been waiting for longer than the scheduler of the estimate has been running. */
function sinceCondition(entry: QueueEntry, pod: Pod | undefined): QueueEntry {
  const condition = findCondition(pod?.status?.conditions, 'PodScheduled')
  const queuedAt = parseTime(pod?.metadata.creationTimestamp ?? '') ?? entry.queuedAt
  return { ...entry, queuedAt, since: parseTime(condition?.lastTransitionTime ?? '') ?? queuedAt }
}
