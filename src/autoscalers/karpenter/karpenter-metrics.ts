import type { NodeClaim } from '../../api/objects/karpenter.ts'
import type { Node } from '../../api/objects/node.ts'
import { parseTime } from '../../api/time.ts'
import { labels } from '../../api/well-known.ts'
import type { MetricRegistry } from '../../base/metrics.ts'
import { capacityTypeLabel, minValuesRelaxedAnnotation, nodePoolLabel } from './names.ts'

interface Decided {
  readonly candidates: readonly { readonly pool: { readonly metadata: { readonly name: string } } }[]
  readonly replacements: readonly unknown[]
  readonly reason: string
  readonly method: string
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const terminationBuckets = Array.from({ length: 12 }, (_, power) => 2 ** power)
const lifetimeBuckets = [
  ...[15, 30, 45].map((count) => count * minute),
  ...[1, 2, 4, 6, 8, 10, 12, 16, 20].map((count) => count * hour),
  ...[1, 2, 3, 5, 10, 15, 20, 25, 30].map((count) => count * day),
]

/** The counters of Karpenter (v1.14, pkg/metrics and the metrics.go of its controllers). */
export class KarpenterMetrics {
  private readonly registry: MetricRegistry
  private plans = 0

  constructor(registry: MetricRegistry) {
    this.registry = registry
    // Upstream initializes these series. Simulations take no time here, so no consolidation times out.
    for (const method of ['multi', 'single'])
      this.counter(
        'voluntary_disruption_consolidation_timeouts_total',
        'Number of times the Consolidation algorithm has reached a timeout. Labeled by consolidation type.',
        'consolidation_type',
      ).with(method)
  }

  claimCreated({ metadata }: Pick<NodeClaim, 'metadata'>, reason: string): void {
    this.counter(
      'nodeclaims_created_total',
      'Number of nodeclaims created in total by Karpenter. Labeled by reason the nodeclaim was created, the owning nodepool, and if min values was relaxed for this nodeclaim.',
      'reason',
      'nodepool',
      'min_values_relaxed',
    ).inc(1, reason.toLowerCase(), poolOf(metadata), metadata.annotations?.[minValuesRelaxedAnnotation] ?? 'false')
  }

  claimDisrupted({ metadata }: NodeClaim, reason: string): void {
    this.counter(
      'nodeclaims_disrupted_total',
      'Number of nodeclaims disrupted in total by Karpenter. Labeled by reason the nodeclaim was disrupted and the owning nodepool.',
      'reason',
      'nodepool',
      'capacity_type',
    ).inc(1, reason.toLowerCase(), poolOf(metadata), metadata.labels?.[capacityTypeLabel] ?? '')
  }

  claimTerminated({ metadata }: NodeClaim, wall: number): void {
    this.counter(
      'nodeclaims_terminated_total',
      'Number of nodeclaims terminated in total by Karpenter. Labeled by the owning nodepool, capacity type, and zone.',
      'nodepool',
      'capacity_type',
      'zone',
    ).inc(1, poolOf(metadata), metadata.labels?.[capacityTypeLabel] ?? '', zoneOf(metadata))
    this.registry
      .histogram({
        name: 'karpenter_nodeclaims_termination_duration_seconds',
        help: 'Duration of NodeClaim termination in seconds.',
        labels: ['nodepool'],
        buckets: terminationBuckets,
      })
      .observe((wall - (parseTime(metadata.deletionTimestamp) ?? wall)) / 1000, poolOf(metadata))
  }

  nodeCreated({ metadata }: NodeClaim): void {
    this.counter(
      'nodes_created_total',
      'Number of nodes created in total by Karpenter. Labeled by owning nodepool and zone.',
      'nodepool',
      'zone',
    ).inc(1, poolOf(metadata), zoneOf(metadata))
  }

  nodeDrained({ metadata }: Node): void {
    this.counter('nodes_drained_total', 'The total number of nodes drained by Karpenter', 'nodepool').inc(
      1,
      poolOf(metadata),
    )
  }

  nodeTerminated({ metadata }: Node, wall: number): void {
    this.counter(
      'nodes_terminated_total',
      'Number of nodes terminated in total by Karpenter. Labeled by owning nodepool and zone.',
      'nodepool',
      'zone',
    ).inc(1, poolOf(metadata), zoneOf(metadata))
    this.registry
      .histogram({
        name: 'karpenter_nodes_lifetime_duration_seconds',
        help: 'The lifetime duration of the nodes since creation.',
        labels: ['nodepool'],
        buckets: lifetimeBuckets,
      })
      .observe((wall - (parseTime(metadata.creationTimestamp) ?? wall)) / 1000, poolOf(metadata))
  }

  /** Records the answer of the API server to an eviction. */
  evicted(code: number, reason: string): void {
    this.counter(
      'pods_eviction_requests_total',
      'The total number of pod eviction requests made by Karpenter, labeled by response code',
      'code',
    ).inc(1, String(code))
    if (code !== 200) return
    this.counter(
      'pods_drained_total',
      'The total number of pods drained during node termination by Karpenter, labeled by reason',
      'reason',
    ).inc(1, reason)
  }

  /** Records pods without a node that Karpenter ignores. */
  ignored(pods: number): void {
    this.gauge('scheduler_ignored_pods_count', 'Number of pods ignored during scheduling by Karpenter').set(pods)
  }

  /** Records a plan for pending pods. */
  planned(unschedulable: number): void {
    this.gauge('scheduler_unschedulable_pods_count', 'The number of unschedulable Pods.', 'controller').set(
      unschedulable,
      'provisioner',
    )
    // A plan is computed in one step, so no pod is waiting after it.
    const help = 'The number of pods currently waiting to be scheduled.'
    const depth = this.gauge('scheduler_queue_depth', help, 'controller', 'scheduling_id')
    depth.remove()
    this.plans++
    depth.set(0, 'provisioner', String(this.plans))
  }

  eligible(nodes: number, reason: string): void {
    this.gauge(
      'voluntary_disruption_eligible_nodes',
      'Number of nodes eligible for disruption by Karpenter. Labeled by disruption reason.',
      'reason',
    ).set(nodes, reason.toLowerCase())
  }

  budget(pool: string, reason: string, { allowed, busy }: { readonly allowed: number; readonly busy: number }): void {
    this.gauge(
      'nodepools_allowed_disruptions',
      'The number of nodes for a given NodePool that can be concurrently disrupting at a point in time. Labeled by NodePool. Note that allowed disruptions can change very rapidly, as new nodes may be created and others may be deleted at any point.',
      'nodepool',
      'reason',
    ).set(allowed, pool, reason)
    this.gauge(
      'nodepools_nodes_consuming_budgets',
      'The number of nodes consuming the budget of a nodepool at a point in time. Labeled by NodePool.',
      'nodepool',
      'reason',
    ).set(busy, pool, reason)
  }

  decided(command: Decided): void {
    const of = [decisionOf(command), command.reason.toLowerCase(), consolidationType(command.method)] as const
    this.counter(
      'voluntary_disruption_decisions_total',
      'Number of disruption decisions performed. Labeled by disruption decision, reason, and consolidation type.',
      'decision',
      'reason',
      'consolidation_type',
    ).inc(1, ...of)
    const byPool = this.counter(
      'voluntary_disruption_decisions_by_nodepool_total',
      'Number of disruption decisions performed by nodepool. Labeled by nodepool name, disruption decision, reason, and consolidation type.',
      'nodepool',
      'decision',
      'reason',
      'consolidation_type',
    )
    for (const pool of new Set(command.candidates.map((each) => each.pool.metadata.name))) byPool.inc(1, pool, ...of)
  }

  /** Records a decision that failed because a replacement did not start. */
  failed(command: Decided): void {
    const decision = decisionOf(command)
    this.counter(
      'voluntary_disruption_queue_failures_total',
      'The number of times that an enqueued disruption decision failed. Labeled by disruption method.',
      'decision',
      'reason',
      'consolidation_type',
    ).inc(1, decision, command.reason.toLowerCase(), decision)
  }

  /** Records candidates that may no longer be disrupted at the second check. */
  invalid(candidates: number, method: string): void {
    this.counter(
      'voluntary_disruption_failed_validations_total',
      'Number of candidates that were selected for disruption but failed validation. Labeled by consolidation type.',
      'consolidation_type',
    ).inc(candidates, consolidationType(method))
  }

  private counter(name: string, help: string, ...names: readonly string[]) {
    return this.registry.counter({ name: `karpenter_${name}`, help, labels: names })
  }

  private gauge(name: string, help: string, ...names: readonly string[]) {
    return this.registry.gauge({ name: `karpenter_${name}`, help, labels: names })
  }
}

const poolOf = ({ labels: own }: NodeClaim['metadata']): string => own?.[nodePoolLabel] ?? ''

const zoneOf = ({ labels: own }: NodeClaim['metadata']): string => own?.[labels.zone] ?? ''

const decisionOf = ({ replacements }: Decided): string => (replacements.length === 0 ? 'delete' : 'replace')

const consolidationType = (method: string): string =>
  method === 'empty' || method === 'multi' || method === 'single' ? method : ''
