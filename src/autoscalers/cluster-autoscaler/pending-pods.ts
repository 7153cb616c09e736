import { findCondition, isPodTerminal } from '../../api/conditions.ts'
import { parseGoDurationMs } from '../../api/go-duration.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { parseTime } from '../../api/time.ts'
import type { Change } from '../../runtime/controller.ts'
import { isDaemonSetPod, isMirrorPod } from './node-templates.ts'
import type { AutoscalerOptions } from './options.ts'
import { gpuResource } from './utilization.ts'

/** Pods often arrive in groups, so a scale-up waits for this time for more pods (1.36, unschedulablePodTimeBuffer). */
const newMs = 2_000
const newWithGpuMs = 30_000
const scaleUpDelay = 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay'

/** The pods without a node: pods that the scheduler found unschedulable, and pods with a nominated node. */
export class PendingPods {
  private readonly unschedulable = new Map<string, Pod>()
  private readonly nominated = new Map<string, Pod>()

  /** Returns whether a pod became unschedulable. */
  take(change: Change): boolean {
    if (change.resource !== 'pods') return false
    const { key, after } = change
    const wasKnown = this.unschedulable.delete(key)
    this.nominated.delete(key)
    if (after === undefined || (after.spec.nodeName ?? '') !== '' || isPodTerminal(after)) return false
    if (after.metadata.deletionTimestamp !== undefined) return false
    if ((after.status?.nominatedNodeName ?? '') !== '') {
      this.nominated.set(key, after)
      return false
    }
    const condition = findCondition(after.status?.conditions, 'PodScheduled')
    if (condition?.status !== 'False' || condition.reason !== 'Unschedulable') return false
    this.unschedulable.set(key, after)
    return !wasKnown
  }

  get all(): readonly Pod[] {
    return [...this.unschedulable.values()]
  }

  get withNomination(): readonly Pod[] {
    return [...this.nominated.values()]
  }

  get size(): number {
    return this.unschedulable.size
  }
}

export const priorityOf = ({ spec }: Pod): number => spec.priority ?? 0

/** Reports whether a pod is below the cutoff. Such pods neither cause a scale-up nor prevent a scale-down. */
export function isExpendable(pod: Pod, options: AutoscalerOptions): boolean {
  return priorityOf(pod) < options['expendable-pods-priority-cutoff']
}

export function isOldEnough(pod: Pod, options: AutoscalerOptions, wall: number): boolean {
  const delay = options['new-pod-scale-up-delay']
  const own = pod.metadata.annotations?.[scaleUpDelay]
  const parsed = own === undefined ? undefined : parseGoDurationMs(own)
  const waitMs = parsed?.ok === true && parsed.value >= delay ? parsed.value : delay
  return wall - (parseTime(pod.metadata.creationTimestamp) ?? 0) > waitMs
}

/** Reports whether a scale-up should wait for more pods. */
export function areAllNew(pods: readonly Pod[], wall: number): boolean {
  const oldest = (some: readonly Pod[]) =>
    Math.min(...some.map(({ metadata }) => parseTime(metadata.creationTimestamp) ?? 0))
  if (oldest(pods) + newMs > wall) return true
  const withGpu = pods.filter(requestsGpu)
  return withGpu.length > 0 && oldest(withGpu) + newWithGpuMs > wall
}

function requestsGpu({ spec }: Pod): boolean {
  return spec.containers.some(({ resources }) => resources?.requests?.[gpuResource] !== undefined)
}

/** Reports whether the pod is re-created when it is evicted. */
export function isRecreated(pod: Pod): boolean {
  return controllerOf(pod) !== undefined && !isDaemonSetPod(pod) && !isMirrorPod(pod)
}
