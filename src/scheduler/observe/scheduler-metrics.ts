import { claimCreates } from '../../api/claim-creates.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Counter, Histogram, HistogramSeries, MetricSeries } from '../../base/metrics.ts'
import { exponentialBuckets, MetricRegistry } from '../../base/metrics.ts'
import type { AttemptMetrics, DeviceNote, PreemptionCounts, PreemptionResult } from '../context/context.ts'
import type { EntryCounts, PendingCounts } from '../queue/pending-counts.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import { GroupMetrics } from './group-metrics.ts'

/** The sources of the pending-pods and cache gauges. */
export interface MetricSources {
  queued(): PendingCounts
  entries(): EntryCounts
  cached(): { readonly nodes: number; readonly pods: number; readonly assumed: number }
}

/**
 * Upstream's metrics of scheduling attempts (v1.36, pkg/scheduler/metrics). Durations are differences of step times, so
 * they are virtual in virtual time.
 */
export class SchedulerMetrics implements AttemptMetrics {
  private readonly attempts: Counter
  private readonly attemptDuration: Histogram
  private readonly attemptSeries = new Map<
    string,
    { readonly count: MetricSeries; readonly duration: HistogramSeries }
  >()
  private readonly podAttempts: HistogramSeries
  private readonly podSli: Histogram
  private readonly podSliSeries = new Map<number, HistogramSeries>()
  private readonly permitWait: Histogram
  private readonly victims: Histogram
  private readonly preemptions: Counter
  private readonly flushed: Counter
  private readonly claimCreates: (status: 'success' | 'failure') => MetricSeries
  private readonly bindingAllocations: Counter
  private readonly bindingWait: Histogram
  readonly groups: GroupMetrics
  /**
   * Victims of groups are counted separately, and preemptions of pods that are already terminating count too (v1.37,
   * observeVictims).
   */
  private readonly from137: boolean

  constructor(registry: MetricRegistry, sources: MetricSources, release: KubernetesRelease) {
    this.attempts = registry.counter({
      name: 'scheduler_schedule_attempts_total',
      help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
      labels: ['result', 'profile'],
    })
    this.attemptDuration = registry.histogram({
      name: 'scheduler_scheduling_attempt_duration_seconds',
      help: 'Scheduling attempt latency in seconds (scheduling algorithm + binding)',
      labels: ['result', 'profile'],
      buckets: exponentialBuckets(0.001, 2, 15),
    })
    this.podAttempts = registry
      .histogram({
        name: 'scheduler_pod_scheduling_attempts',
        help: 'Number of attempts to successfully schedule a pod.',
        buckets: exponentialBuckets(1, 2, 5),
      })
      .with()
    this.podSli = registry.histogram({
      name: 'scheduler_pod_scheduling_sli_duration_seconds',
      help: 'E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve multiple scheduling attempts.',
      labels: ['attempts'],
      buckets: exponentialBuckets(0.01, 2, 20),
    })
    this.permitWait = registry.histogram({
      name: 'scheduler_permit_wait_duration_seconds',
      help: 'Duration of waiting on permit.',
      labels: ['result'],
      buckets: exponentialBuckets(0.001, 2, 15),
    })
    this.victims = registry.histogram({
      name: 'scheduler_preemption_victims',
      help: `Number of selected preemption victims${atLeast(release, '1.37') ? ' for preemption initiated by a single pod' : ''}`,
      buckets: exponentialBuckets(1, 2, 7),
    })
    this.preemptions = registry.counter({
      name: 'scheduler_preemption_attempts_total',
      help: 'Total preemption attempts in the cluster till now',
    })
    // Metrics that a release does not have are counted in a registry that is never exposed.
    const since136 = atLeast(release, '1.36') ? registry : new MetricRegistry()
    this.flushed = since136.counter({
      name: 'scheduler_pod_scheduled_after_flush_total',
      help: `Number of pods that were successfully scheduled after being flushed from ${poolOf(release)} due to timeout. This metric helps detect potential queueing hint misconfigurations or event handling issues.`,
    })
    this.claimCreates = claimCreatesOf(registry, release)
    const ofConditions = release.gates.has('DRADeviceBindingConditions') ? since136 : new MetricRegistry()
    this.bindingAllocations = ofConditions.counter({
      name: 'scheduler_dra_bindingconditions_allocations_total',
      help: 'Number of allocations using devices with BindingConditions, counted per driver per scheduling attempt',
      labels: ['profile', 'driver', 'status'],
    })
    this.bindingWait = ofConditions.histogram({
      name: 'scheduler_dra_bindingconditions_wait_duration_seconds',
      help: 'Time in seconds spent waiting for BindingConditions to be satisfied during PreBind.',
      labels: ['profile', 'driver', 'status'],
      buckets: exponentialBuckets(0.1, 2, 14),
    })
    this.groups = new GroupMetrics(registry, release)
    this.from137 = atLeast(release, '1.37')
    registerGauges(registry, sources, release)
  }

  attempt(result: 'scheduled' | 'unschedulable' | 'error', profile: string, durationMs: number): void {
    // Finding a series by its labels is slower than counting.
    const name = `${result} ${profile}`
    let known = this.attemptSeries.get(name)
    if (known === undefined) {
      known = { count: this.attempts.with(result, profile), duration: this.attemptDuration.with(result, profile) }
      this.attemptSeries.set(name, known)
    }
    known.count.value++
    known.duration.observe(durationMs / 1000)
  }

  bound(pod: QueuedPod, now: number): void {
    this.podAttempts.observe(pod.attempts)
    if (pod.firstAttemptAt !== undefined) this.sliOf(pod.attempts).observe((now - pod.firstAttemptAt) / 1000)
    if (pod.wasFlushed) this.flushed.with().value++
  }

  private sliOf(attempts: number): HistogramSeries {
    const counted = Math.min(attempts, 15)
    let series = this.podSliSeries.get(counted)
    if (series === undefined) {
      series = this.podSli.with(counted === 15 ? '15+' : String(counted))
      this.podSliSeries.set(counted, series)
    }
    return series
  }

  permitted(result: 'Success' | 'Unschedulable' | 'Error', waitedMs: number): void {
    this.permitWait.with(result).observe(waitedMs / 1000)
  }

  devices(profile: string, note: DeviceNote): void {
    if (note.kind === 'claimCreated') {
      this.claimCreates(note.succeeded ? 'success' : 'failure').value++
      return
    }
    const { status, durationMs, drivers, conditionalDrivers } = note
    for (const driver of drivers) this.bindingWait.with(profile, driver, status).observe(durationMs / 1000)
    for (const driver of conditionalDrivers) this.bindingAllocations.with(profile, driver, status).value++
  }

  preemptionAttempt(result: PreemptionResult): void {
    this.preemptions.with().value++
    this.groups.podPreemptionEvaluated(result)
  }

  preempted(counts: PreemptionCounts): void {
    if (!counts.removesAny && !this.from137) return
    if (counts.preemptor === 'pod' || !this.from137) this.victims.with().observe(counts.victims)
    this.groups.preempted(counts)
  }

  preemptionEnded(preemptor: PreemptionCounts['preemptor'], result: 'success' | 'error', durationMs: number): void {
    this.groups.preemptionEnded(preemptor, result, durationMs)
  }
}

/** The claims that the scheduler creates for extended resources. Since v1.37 they count with those of templates. */
function claimCreatesOf(
  registry: MetricRegistry,
  release: KubernetesRelease,
): (status: 'success' | 'failure') => MetricSeries {
  if (atLeast(release, '1.37')) {
    const creates = registry.counter(claimCreates)
    return (status) => creates.with(status, 'false', '', 'Pod')
  }
  const own = atLeast(release, '1.35') && release.gates.has('DRAExtendedResource') ? registry : new MetricRegistry()
  const creates = own.counter({
    name: 'scheduler_resourceclaim_creates_total',
    help: 'Number of ResourceClaims creation requests within scheduler',
    labels: ['status'],
  })
  return (status) => creates.with(status)
}

/** The name of the unschedulable pool in upstream's help texts. */
function poolOf(release: KubernetesRelease): string {
  return atLeast(release, '1.37') ? 'unschedulableEntities' : 'unschedulablePods'
}

function registerGauges(registry: MetricRegistry, sources: MetricSources, release: KubernetesRelease): void {
  const from137 = atLeast(release, '1.37')
  const ofGroups = from137
    ? "; 'incomplete' means number of pods in incompletePodGroupPods; 'pending' means number of pods in pendingPodGroupPods"
    : ''
  registry.gaugeFrom(
    {
      name: 'scheduler_pending_pods',
      help: `Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in ${poolOf(release)} that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated${ofGroups}.`,
      labels: ['queue'],
    },
    () => {
      // Pods that arrive during the cycle of their group are pending upstream. No pod arrives during a step.
      const counts = { ...(from137 ? { incomplete: 0, pending: 0 } : {}), ...sources.queued() }
      return Object.entries(counts).map(([queue, value]) => ({ labelValues: [queue], value }))
    },
  )
  if (from137) {
    registry.gaugeFrom(
      {
        name: 'scheduler_queued_entities',
        help: "Number of queued scheduling entities ('pod' or 'podgroup'; 'pod' stands for individual pods that are not members of any podgroup) by the queue type. 'active' means number of entities in activeQ; 'backoff' means number of entities in backoffQ; 'unschedulable' means number of entities in unschedulableEntities that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable entities that the scheduler never attempted to schedule because they are gated.",
        labels: ['queue', 'type'],
      },
      () =>
        Object.entries(sources.entries()).flatMap(([queue, { pod, podgroup }]) => [
          { labelValues: [queue, 'pod'], value: pod },
          { labelValues: [queue, 'podgroup'], value: podgroup },
        ]),
    )
  }
  registry.gaugeFrom(
    {
      name: 'scheduler_cache_size',
      help: 'Number of nodes, pods, and assumed (bound) pods in the scheduler cache.',
      labels: ['type'],
    },
    () => {
      const { nodes, pods, assumed } = sources.cached()
      return [
        { labelValues: ['nodes'], value: nodes },
        { labelValues: ['pods'], value: pods },
        { labelValues: ['assumed_pods'], value: assumed },
      ]
    },
  )
}
