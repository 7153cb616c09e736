import type { StringMap } from '../../api/objects/meta.ts'
import type { Pod, PodSpec } from '../../api/objects/pod.ts'
import { defaultSettings as lifecycleDefaults } from '../../controllers/node-lifecycle/options.ts'
import type { Settings } from '../../controlplane/settings.ts'
import type { Store } from '../../store/contract.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'

const minuteMs = 60_000
const never = Number.POSITIVE_INFINITY

/**
 * If no node and no pod changes for this time, and no pod is missing, no further change can happen, because every timer
 * that a change starts is shorter. Infinity: a change is possible at any time.
 */
export function quietTimeOf({ found, autoscaling, load = [], settings, hollow, steps }: ForecastPlan): number {
  if (found === undefined || autoscaling !== undefined || load.length > 0) return never
  // An upgrade waits between nodes, and ends its run by itself.
  if (steps.some(({ step }) => step.kind === 'upgrade')) return never
  const longestMs = Math.max(timersOf(found.store), timersOfSettings(settings), timersOfStages(hollow.stages ?? []))
  return longestMs + minuteMs
}

function timersOfSettings({ nodeLifecycle, maxUnschedulableMs, scheduler }: Settings): number {
  const { nodeMonitorGracePeriodMs, nodeStartupGracePeriodMs, nodeEvictionRate, secondaryNodeEvictionRate } = {
    ...lifecycleDefaults,
    ...nodeLifecycle,
  }
  const everyMs = (rate: number) => (rate > 0 ? 1000 / rate : 0)
  return Math.max(
    nodeMonitorGracePeriodMs,
    nodeStartupGracePeriodMs,
    everyMs(nodeEvictionRate),
    everyMs(secondaryNodeEvictionRate),
    maxUnschedulableMs,
    scheduler.configuration.podMaxBackoffSeconds * 1000,
  )
}

// The prefix of annotations of hollow nodes and pods. Pods with other annotations are not delayed by them.
const ownPrefix = 'berth.dev/'

function timersOfStages(stages: NonNullable<ForecastPlan['hollow']['stages']>): number {
  let longestMs = 0
  for (const { delay } of stages) {
    const { afterMs = 0, jitterMs = 0, annotation, backoff } = delay ?? {}
    if (annotation !== undefined && !annotation.startsWith(ownPrefix)) return never
    longestMs = Math.max(longestMs, afterMs + jitterMs, backoff?.maxMs ?? 0)
  }
  return longestMs
}

/** Resources whose controllers act at times that do not depend on changes. */
const timed = ['cronjobs.batch', 'jobs.batch']
/** Resources whose specs contain times in seconds: windows of autoscalers, tolerations of device taints. */
const withTimes = [
  'horizontalpodautoscalers.autoscaling',
  'resourceclaims.resource.k8s.io',
  'resourceclaimtemplates.resource.k8s.io',
]
const seconds = /"(?:tolerationSeconds|stabilizationWindowSeconds|periodSeconds)":([0-9]{1,9})/g
const workloads = ['deployments.apps', 'replicasets.apps', 'statefulsets.apps', 'daemonsets.apps']

const known = new WeakMap<Store, number>()

function timersOf(store: Store): number {
  let timersMs = known.get(store)
  if (timersMs === undefined) {
    timersMs = timed.some((resource) => store.count(resource) > 0) ? never : longestIn(store)
    known.set(store, timersMs)
  }
  return timersMs
}

interface TimedWorkload {
  readonly spec?: {
    readonly minReadySeconds?: number
    readonly template?: { readonly metadata?: { readonly annotations?: StringMap }; readonly spec?: PodSpec }
  }
}

function longestIn(store: Store): number {
  // The default of tolerations of unreachable nodes.
  let longestMs = 5 * minuteMs
  for (const { metadata, spec } of store.list('pods') as readonly Pod[])
    longestMs = Math.max(longestMs, timersOfPod(metadata.annotations, spec))
  for (const resource of withTimes) {
    for (const object of store.list(resource))
      for (const [, found] of JSON.stringify(object).matchAll(seconds))
        longestMs = Math.max(longestMs, Number(found) * 1000)
  }
  for (const resource of workloads) {
    for (const { spec } of store.list(resource) as readonly TimedWorkload[]) {
      const { minReadySeconds = 0, template } = spec ?? {}
      const ofTemplate = template?.spec === undefined ? 0 : timersOfPod(template.metadata?.annotations, template.spec)
      longestMs = Math.max(longestMs, minReadySeconds * 1000, ofTemplate)
    }
  }
  return longestMs
}

function timersOfPod(annotations: StringMap | undefined, spec: PodSpec): number {
  if (spec.activeDeadlineSeconds !== undefined) return never
  if (annotations !== undefined && Object.keys(annotations).some((name) => name.startsWith(ownPrefix))) return never
  let seconds = spec.terminationGracePeriodSeconds ?? 0
  for (const { tolerationSeconds = 0 } of spec.tolerations ?? []) seconds = Math.max(seconds, tolerationSeconds)
  return seconds * 1000
}
