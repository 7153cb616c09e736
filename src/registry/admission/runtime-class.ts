import { deepEqual, semanticEqual } from '../../api/equality.ts'
import type { RuntimeClass } from '../../api/objects/cluster.ts'
import type { PodSpec, Toleration } from '../../api/objects/pod.ts'
import type { Store } from '../../store/contract.ts'

/**
 * The overhead and node selection of a pod's runtime class (admission plugin RuntimeClass). A string is the reason of a
 * rejection.
 */
export function settleRuntime(store: Store, spec: PodSpec): PodSpec | string {
  const name = spec.runtimeClassName
  if (name === undefined) return spec
  const runtime = store.get('runtimeclasses.node.k8s.io', name) as RuntimeClass | undefined
  if (runtime === undefined) return `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`
  const overhead = runtime.overhead?.podFixed
  const own = spec.overhead ?? {}
  if (overhead !== undefined && Object.keys(own).length > 0 && !semanticEqual(own, overhead)) {
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
  }
  const placed = withScheduling(spec, runtime.scheduling)
  if (typeof placed === 'string' || overhead === undefined) return placed
  return { ...placed, overhead }
}

/** A pod cannot set its overhead: only its class does. */
export function overheadProblem(store: Store, spec: PodSpec): string | undefined {
  if (spec.overhead === undefined || Object.keys(spec.overhead).length === 0) return undefined
  const name = spec.runtimeClassName
  const runtime = name === undefined ? undefined : store.get('runtimeclasses.node.k8s.io', name)
  if ((runtime as RuntimeClass | undefined)?.overhead !== undefined) return undefined
  return 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'
}

function withScheduling(spec: PodSpec, scheduling: RuntimeClass['scheduling']): PodSpec | string {
  if (scheduling === undefined) return spec
  const own = spec.nodeSelector ?? {}
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const present = Object.hasOwn(own, key) ? own[key] : undefined
    if (present !== undefined && present !== value) {
      return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${present}`
    }
  }
  const nodeSelector = { ...own, ...scheduling.nodeSelector }
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? [])
  return {
    ...spec,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  }
}

function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second]
  return all.filter((one, i) => all.findIndex((other) => deepEqual(one, other)) === i)
}
