import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Counter, Histogram } from '../../base/metrics.ts'
import { exponentialBuckets, MetricRegistry } from '../../base/metrics.ts'
import type { GroupCycleMetrics, PreemptionCounts, PreemptionResult } from '../context/context.ts'

/**
 * Upstream's metrics of pod groups and of their preemptions (v1.37, pkg/scheduler/metrics), by the gates of the
 * release.
 */
export class GroupMetrics implements GroupCycleMetrics {
  private readonly attempts: Counter
  private readonly attemptDuration: Histogram
  private readonly algorithmDuration: Histogram
  private readonly preemptionAttempts: Counter
  private readonly victims: Histogram
  private readonly disruptions: Histogram
  private readonly evaluation: Histogram
  private readonly execution: Histogram
  private readonly budgetViolations: Counter
  private readonly placements: Counter
  private readonly evaluatedPlacements: Counter
  private readonly placementDuration: Histogram

  constructor(registry: MetricRegistry, release: KubernetesRelease) {
    // A registry that is never exposed. It counts the metrics that a release does not have.
    const unread = new MetricRegistry()
    const from137 = atLeast(release, '1.37')
    const hasGroups = release.gates.has('GenericWorkload') && atLeast(release, '1.36')
    const cycle = hasGroups ? registry : unread
    const preemption = hasGroups && from137 ? registry : unread
    const topology = from137 && release.gates.has('TopologyAwareWorkloadScheduling') ? registry : unread
    this.attempts = cycle.counter({
      name: 'scheduler_podgroup_schedule_attempts_total',
      help: "Number of attempts to schedule pod group, by the result. 'unschedulable' means a pod group could not be scheduled, while 'error' means an internal scheduler problem.",
      labels: ['result', 'profile'],
    })
    this.attemptDuration = cycle.histogram({
      name: 'scheduler_podgroup_scheduling_attempt_duration_seconds',
      help: `Pod group scheduling attempt latency in seconds${from137 ? '' : ' (scheduling algorithm + binding)'}`,
      labels: ['result', 'profile'],
      buckets: exponentialBuckets(0.001, 2, 15),
    })
    this.algorithmDuration = cycle.histogram({
      name: 'scheduler_podgroup_scheduling_algorithm_duration_seconds',
      help: 'Pod group scheduling algorithm latency in seconds',
      buckets: exponentialBuckets(0.001, 2, 15),
    })
    this.preemptionAttempts = preemption.counter({
      name: 'scheduler_workload_preemption_attempts_total',
      help: 'Total preemption attempts initiated by workload (including pod groups) in the cluster till now.',
      labels: ['result'],
    })
    this.victims = preemption.histogram({
      name: 'scheduler_workload_preemption_victims',
      help: 'Number of pod preemption victims caused by workload preemption.',
      buckets: exponentialBuckets(1, 2, 11),
    })
    this.disruptions = preemption.histogram({
      name: 'scheduler_preemption_workload_disruptions',
      help: 'Number of workload preemption units being preempted. A single preemption unit can be all pods in a pod group (in case of DisruptionMode=all), or a single pod (in case of DisruptionMode=single).',
      labels: ['preemptor'],
      buckets: exponentialBuckets(1, 2, 11),
    })
    this.evaluation = preemption.histogram({
      name: 'scheduler_preemption_evaluation_duration_seconds',
      help: 'Duration in seconds for identifying the target preemption victims.',
      labels: ['preemptor', 'result'],
      buckets: exponentialBuckets(0.001, 2, 16),
    })
    this.execution = preemption.histogram({
      name: 'scheduler_preemption_execution_duration_seconds',
      help: 'Duration in seconds for preempting the target preemption victims. With async preemption enabled, preemption execution does not block the scheduling of other pods.',
      labels: ['preemptor', 'result'],
      buckets: exponentialBuckets(0.001, 2, 16),
    })
    this.budgetViolations = preemption.counter({
      name: 'scheduler_preemption_pdb_violations_total',
      help: 'Total number of pod disruption budget violations caused by preemption.',
      labels: ['preemptor'],
    })
    this.placements = topology.counter({
      name: 'scheduler_generated_placements_total',
      help: 'Number of candidate placements generated when scheduling pod groups.',
      labels: ['profile'],
    })
    const evaluated =
      "by result. 'feasible' means the pod group fit into the placement, while 'infeasible' means it did not."
    this.evaluatedPlacements = topology.counter({
      name: 'scheduler_placement_evaluations_total',
      help: `Number of candidate placements evaluated when scheduling pod groups, ${evaluated}`,
      labels: ['result', 'profile'],
    })
    this.placementDuration = topology.histogram({
      name: 'scheduler_placement_evaluation_duration_seconds',
      help: `Latency in seconds of evaluating a single candidate placement when scheduling pod groups, ${evaluated}`,
      labels: ['result', 'profile'],
      buckets: exponentialBuckets(0.001, 2, 15),
    })
    // Without labels, upstream shows them before the first observation.
    this.algorithmDuration.with()
    this.victims.with()
  }

  attempt(result: 'scheduled' | 'unschedulable' | 'waiting_on_preemption' | 'error', profile: string): void {
    this.attempts.inc(1, result, profile)
    this.attemptDuration.observe(0, result, profile)
    this.algorithmDuration.observe(0)
  }

  preemptionAttempt(result: PreemptionResult): void {
    this.preemptionAttempts.inc(1, result)
  }

  /** Includes hierarchies: upstream does not distinguish them here. */
  preemptionEvaluated(result: PreemptionResult): void {
    this.evaluation.observe(0, 'podgroup', result)
  }

  podPreemptionEvaluated(result: PreemptionResult): void {
    this.evaluation.observe(0, 'pod', result)
  }

  preempted({ preemptor, victims, budgetViolations, disruptedGroups }: PreemptionCounts): void {
    if (preemptor !== 'pod') {
      this.victims.observe(victims)
      if (disruptedGroups > 0) this.disruptions.observe(disruptedGroups, preemptor)
    }
    if (budgetViolations > 0) this.budgetViolations.inc(budgetViolations, preemptor)
  }

  preemptionEnded(preemptor: PreemptionCounts['preemptor'], result: 'success' | 'error', durationMs: number): void {
    this.execution.observe(durationMs / 1000, preemptor, result)
  }

  placementsGenerated(profile: string, placements: number): void {
    this.placements.inc(placements, profile)
  }

  placementEvaluated(result: 'feasible' | 'infeasible', profile: string): void {
    this.evaluatedPlacements.inc(1, result, profile)
    this.placementDuration.observe(0, result, profile)
  }
}
