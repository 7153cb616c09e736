import { findCondition } from '../../api/conditions.ts'
import { selects } from '../../api/label-selector.ts'
import type { MetricIdentifier } from '../../api/objects/autoscaling.ts'
import type { LabelSelector, StringMap } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { type AnnotatedLoads, annotatedUsage } from './annotated-load.ts'
import type { MetricsSource, Observed, ScaleTarget } from './metrics-source.ts'
import type { PodMetrics } from './replica-calculator.ts'

/** The usage by resource or metric name, in thousandths, from a time on. */
export interface LoadPoint {
  /** Milliseconds since the start of the scenario. */
  readonly atMs: number
  readonly usage: ReadonlyMap<string, bigint>
}

/** The load of a workload, of an object, or an external metric. */
export interface Load {
  readonly target: ScaleTarget | { readonly external: true }
  /** The usage is the sum over all replicas, and ready replicas share it. Otherwise each pod has this usage. */
  readonly isShared: boolean
  /** The container with the usage. Default: the first one. */
  readonly container?: string
  /** The labels of its custom and external metrics. Selectors of metrics match them. */
  readonly labels?: StringMap
  /** Sorted by time. */
  readonly points: readonly LoadPoint[]
}

/** As in metrics-server, a sample is taken every 15 seconds and covers the 15 seconds before it. */
export const resolutionMs = 15_000

/** The usage of pods, computed from the load of their workloads. */
export class LoadModel implements MetricsSource {
  private readonly loads: Load[]
  private readonly startMs: number
  private readonly annotated: AnnotatedLoads | undefined
  private readonly readyCounts = new WeakMap<readonly Pod[], bigint>()

  /** @param startMs Wall time of the start of the scenario. */
  constructor(loads: readonly Load[], startMs: number, annotated?: AnnotatedLoads) {
    this.loads = [...loads]
    this.startMs = startMs
    this.annotated = annotated
  }

  hasLoadOf(target: ScaleTarget): boolean {
    return this.loadsOf(target).length > 0
  }

  /** The given loads of a workload, or otherwise the load in its annotation. */
  private loadsOf(target: ScaleTarget): readonly Load[] {
    const given = this.loads.filter((load) => isOf(load, target))
    if (given.length > 0 || this.annotated === undefined) return given
    const found = this.annotated.loadOf(target)
    return found === undefined ? [] : [found]
  }

  add(load: Load): void {
    this.loads.push(load)
  }

  /** The usage of a running pod among the pods of its workload; undefined before its first sample. */
  usageOf(
    name: string,
    pod: Pod,
    { target, pods, wall }: Observed,
    selector?: LabelSelector | undefined,
  ): bigint | undefined {
    const sampledAt = lastSample(wall)
    const startedAt = parseTime(pod.status?.startTime)
    if (pod.status?.phase !== 'Running' || startedAt === undefined || startedAt > sampledAt - resolutionMs)
      return undefined
    let sum = this.annotated === undefined ? undefined : annotatedUsage(pod, name)
    if (sum !== undefined) return sum
    for (const load of this.loadsOf(target)) {
      if (!isSelected(load, selector)) continue
      const usage = valueAt(load, name, sampledAt - this.startMs)
      if (usage === undefined) continue
      sum = (sum ?? 0n) + (load.isShared ? this.shareOf(usage, pod, pods) : usage)
    }
    return sum
  }

  containerOf(pod: Pod, { target }: Observed): string | undefined {
    const named = this.loadsOf(target).find((load) => load.container !== undefined)
    return named?.container ?? pod.spec.containers[0]?.name
  }

  ofResource(resource: string, container: string, observed: Observed): Result<PodMetrics> {
    const metrics = this.metricsOf(
      resource,
      observed,
      (pod) => container === '' || this.containerOf(pod, observed) === container,
    )
    if (metrics.size > 0) return done(metrics)
    return this.annotated !== undefined || this.hasLoadOf(observed.target)
      ? failed('no metrics returned from resource metrics API')
      : failed(
          'unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
        )
  }

  ofPods({ name, selector }: MetricIdentifier, observed: Observed): Result<PodMetrics> {
    const metrics = this.metricsOf(name, observed, () => true, selector)
    if (metrics.size > 0) return done(metrics)
    return this.hasLoadOf(observed.target)
      ? failed('no metrics returned from custom metrics API')
      : failed(
          'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
        )
  }

  ofObject(
    { name, selector }: MetricIdentifier,
    object: { readonly kind: string; readonly name: string },
    { target, wall }: Observed,
  ) {
    const own = this.loads.filter((load) => isOf(load, { ...object, namespace: target.namespace }))
    const values = valuesOf(own, { name, selector }, lastSample(wall) - this.startMs)
    return values.length === 0
      ? failed(
          'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
        )
      : done(values.reduce((sum, value) => sum + value, 0n))
  }

  ofExternal({ name, selector }: MetricIdentifier, { wall }: Observed): Result<readonly bigint[]> {
    const external = this.loads.filter(({ target }) => 'external' in target)
    const atMs = lastSample(wall) - this.startMs
    const values = valuesOf(external, { name, selector }, atMs)
    if (values.length > 0) return done(values)
    return valuesOf(external, { name }, atMs).length > 0
      ? failed('no metrics returned from external metrics API')
      : failed(
          `unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`,
        )
  }

  /** Ready pods share the load. While no pod is ready, the load is lost. */
  private shareOf(total: bigint, pod: Pod, pods: readonly Pod[]): bigint {
    if (!isReady(pod)) return 0n
    let ready = this.readyCounts.get(pods)
    if (ready === undefined) {
      ready = BigInt(pods.filter(isReady).length)
      this.readyCounts.set(pods, ready)
    }
    return total / ready
  }

  private metricsOf(
    name: string,
    observed: Observed,
    isCounted: (pod: Pod) => boolean,
    selector?: LabelSelector | undefined,
  ): PodMetrics {
    const metrics: PodMetrics = new Map()
    for (const pod of observed.pods) {
      const value = isCounted(pod) ? this.usageOf(name, pod, observed, selector) : undefined
      if (value === undefined) continue
      metrics.set(pod.metadata.name, { value, timestamp: lastSample(observed.wall), windowMs: resolutionMs })
    }
    return metrics
  }
}

export const lastSample = (wall: number): number => wall - (wall % resolutionMs)

function isOf({ target }: Load, { kind, namespace, name }: ScaleTarget): boolean {
  return (
    !('external' in target) &&
    target.kind.toLowerCase() === kind.toLowerCase() &&
    target.namespace === namespace &&
    target.name === name
  )
}

/** A metric without a selector has the values of all series. */
function isSelected({ labels }: Load, selector: LabelSelector | undefined): boolean {
  return selector === undefined || selects(selector, labels)
}

interface WantedMetric {
  readonly name: string
  readonly selector?: LabelSelector | undefined
}

function valuesOf(loads: readonly Load[], { name, selector }: WantedMetric, atMs: number): readonly bigint[] {
  return loads.flatMap((load) => {
    const value = isSelected(load, selector) ? valueAt(load, name, atMs) : undefined
    return value === undefined ? [] : [value]
  })
}

function valueAt({ points }: Load, name: string, atMs: number): bigint | undefined {
  let value: bigint | undefined
  for (const point of points) {
    if (point.atMs > Math.max(atMs, 0)) break
    value = point.usage.get(name) ?? value
  }
  return value
}

const isReady = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined && findCondition(pod.status?.conditions, 'Ready')?.status === 'True'
