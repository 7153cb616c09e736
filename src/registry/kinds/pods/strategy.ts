import { withCondition } from '../../../api/conditions.ts'
import { semanticEqual } from '../../../api/equality.ts'
import type {
  KubeObject,
  LabelSelector,
  LabelSelectorRequirement,
  ObjectMeta,
  StringMap,
} from '../../../api/objects/meta.ts'
import type {
  Affinity,
  Container,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodCondition,
  PodSpec,
  PodStatus,
  TopologySpreadConstraint,
} from '../../../api/objects/pod.ts'
import { computeQosClass } from '../../../api/qos-class.ts'
import { atLeast } from '../../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { Fields } from '../../../base/fields.ts'
import { Recent } from '../../../base/recent.ts'
import { withPodLevelResources } from '../../defaults/pod-defaults.ts'
import { resetMetadata } from '../../write/prepare.ts'
import type { WriteContext } from '../kind.ts'
import { withAppArmorFields } from './app-armor.ts'
import { withoutDisabledAt, withoutDisabledStatus } from './disabled-fields.ts'

/** The initial status of pods whose spec is stored as it is: no field is dropped or added. */
const statusesOfPlain = new Recent<PodSpec, { readonly release: KubernetesRelease; readonly status: PodStatus }>()

/** A new pod: pending, with the QoS class of its resources (v1.36, registry/core/pod podStrategy). */
export function prepareNewPod(object: KubeObject, context: WriteContext): Pod {
  return withAppArmorFields(begunPod(object, context))
}

function begunPod(object: KubeObject, context: WriteContext): Pod {
  const known = statusesOfPlain.get((object as Pod).spec)
  if (known?.release === context.release) return { ...(object as Pod), status: known.status }
  const pod = withoutDisabledAt(context, object as Pod, ['spec'])
  // Validation comes later, so there may be no containers at all.
  const resourced = withPodLevelResources(pod.spec, context.release)
  const complete = Array.isArray(resourced.containers) ? resourced : { ...resourced, containers: [] }
  let status: PodStatus = {
    phase: 'Pending',
    qosClass: computeQosClass({ metadata: pod.metadata, spec: complete }, context.release),
  }
  const { schedulingGates, topologySpreadConstraints, affinity } = pod.spec
  const isPlain = pod === object && resourced === pod.spec
  if (isPlain && !schedulingGates && !topologySpreadConstraints && !affinity) {
    statusesOfPlain.set(pod.spec, { release: context.release, status })
  }
  if ((pod.spec.schedulingGates?.length ?? 0) > 0) {
    const gated: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
      lastProbeTime: null,
    }
    status = { ...status, conditions: withCondition(undefined, gated, context.now) }
  }
  const spec = withPodLevelResources(withLabelKeys(pod.spec, pod.metadata.labels ?? {}), context.release)
  return { ...pod, spec, status }
}

/** matchLabelKeys become requirements of the selectors, once. */
function withLabelKeys(spec: PodSpec, labels: StringMap): PodSpec {
  const constraints = mapChanged(spec.topologySpreadConstraints, (one) => constraintWithKeys(one, labels))
  const affinity = affinityWithKeys(spec.affinity, labels)
  if (constraints === spec.topologySpreadConstraints && affinity === spec.affinity) return spec
  return {
    ...spec,
    ...(constraints === undefined ? {} : { topologySpreadConstraints: constraints }),
    ...(affinity === undefined ? {} : { affinity }),
  }
}

function mapChanged<T>(list: readonly T[] | undefined, change: (one: T) => T): readonly T[] | undefined {
  if (list === undefined) return undefined
  const changed = list.map(change)
  return changed.every((one, i) => one === list[i]) ? list : changed
}

function constraintWithKeys(constraint: TopologySpreadConstraint, labels: StringMap): TopologySpreadConstraint {
  const { labelSelector, matchLabelKeys = [] } = constraint
  if (labelSelector === undefined || matchLabelKeys.length === 0) return constraint
  return { ...constraint, labelSelector: selectorWithKeys(labelSelector, matchLabelKeys, 'In', labels) }
}

function selectorWithKeys(
  selector: LabelSelector,
  keys: readonly string[],
  operator: LabelSelectorRequirement['operator'],
  labels: StringMap,
): LabelSelector {
  const added = keys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key): LabelSelectorRequirement => ({ key, operator, values: [labels[key] as string] }))
  if (added.length === 0) return selector
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] }
}

function affinityWithKeys(affinity: Affinity | undefined, labels: StringMap): Affinity | undefined {
  if (affinity === undefined) return undefined
  const podAffinity = sideWithKeys(affinity.podAffinity, labels)
  const podAntiAffinity = sideWithKeys(affinity.podAntiAffinity, labels)
  if (podAffinity === affinity.podAffinity && podAntiAffinity === affinity.podAntiAffinity) return affinity
  return {
    ...affinity,
    ...(podAffinity === undefined ? {} : { podAffinity }),
    ...(podAntiAffinity === undefined ? {} : { podAntiAffinity }),
  }
}

function sideWithKeys(side: PodAffinity | undefined, labels: StringMap): PodAffinity | undefined {
  if (side === undefined) return undefined
  const required = mapChanged(side.requiredDuringSchedulingIgnoredDuringExecution, (term) => termWithKeys(term, labels))
  const preferred = mapChanged(side.preferredDuringSchedulingIgnoredDuringExecution, (weighted) => {
    const podAffinityTerm = termWithKeys(weighted.podAffinityTerm, labels)
    return podAffinityTerm === weighted.podAffinityTerm ? weighted : { ...weighted, podAffinityTerm }
  })
  const same =
    required === side.requiredDuringSchedulingIgnoredDuringExecution &&
    preferred === side.preferredDuringSchedulingIgnoredDuringExecution
  if (same) return side
  return {
    ...side,
    ...(required === undefined ? {} : { requiredDuringSchedulingIgnoredDuringExecution: required }),
    ...(preferred === undefined ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
  }
}

function termWithKeys(term: PodAffinityTerm, labels: StringMap): PodAffinityTerm {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term
  if (labelSelector === undefined || matchLabelKeys.length + mismatchLabelKeys.length === 0) return term
  const matching = selectorWithKeys(labelSelector, matchLabelKeys, 'In', labels)
  return { ...term, labelSelector: selectorWithKeys(matching, mismatchLabelKeys, 'NotIn', labels) }
}

// Since v1.37 a client cannot remove these members by omitting them. An empty list counts as absent.
const claimMembers = ['resourceClaimStatuses', 'extendedResourceClaimStatus', 'nodeAllocatableResourceClaimStatuses']

/** A status update that omits the QoS class or the observed generation keeps it. */
export function preparePodStatus(object: KubeObject, old: KubeObject, context: WriteContext): Pod {
  const pod = withoutDisabledStatus(context, object as Pod, old)
  const before = (old as Pod).status
  const status: PodStatus = pod.status ?? {}
  const kept: { -readonly [K in keyof PodStatus]?: PodStatus[K] } = {}
  if (status.qosClass === undefined && before?.qosClass !== undefined) kept.qosClass = before.qosClass
  if (status.observedGeneration === undefined && before?.observedGeneration !== undefined) {
    kept.observedGeneration = before.observedGeneration
  }
  if (before !== undefined && atLeast(context.release, '1.37')) {
    const [now, was] = [status as Fields, before as Fields]
    for (const name of claimMembers) {
      if (now[name] === undefined && was[name] !== undefined) (kept as { [name: string]: unknown })[name] = was[name]
    }
  }
  const observed = before?.conditions
  if (observed?.some(({ observedGeneration }) => observedGeneration !== undefined) === true) {
    const conditions = mapChanged(status.conditions, (condition) => {
      const generation = observed.find(({ type }) => type === condition.type)?.observedGeneration
      if (condition.observedGeneration !== undefined || generation === undefined) return condition
      return { ...condition, observedGeneration: generation }
    })
    if (conditions !== undefined && conditions !== status.conditions) kept.conditions = conditions
  }
  let isKept = false
  for (const _ in kept) isKept = true
  const metadata = withOwners(pod.metadata, old.metadata.ownerReferences)
  if (!isKept && metadata === pod.metadata && pod.status !== undefined) return pod
  return { ...pod, metadata, status: isKept ? { ...status, ...kept } : status }
}

function withOwners(metadata: ObjectMeta, owners: ObjectMeta['ownerReferences']): ObjectMeta {
  if (metadata.ownerReferences === owners) return metadata
  const { ownerReferences: _, ...rest } = metadata
  return owners === undefined ? rest : { ...rest, ownerReferences: owners }
}

/** Takes only the ephemeral containers of the sent object. */
export function prepareEphemeralContainers(object: KubeObject, old: KubeObject): Pod {
  const { ephemeralContainers } = (object as Pod).spec
  const { ephemeralContainers: _, ...spec } = (old as Pod).spec
  return {
    ...(old as Pod),
    metadata: resetMetadata(object, old),
    spec: ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers },
  }
}

/**
 * Takes only the resources and resize policies of the sent object. If the containers differ, it takes everything, so
 * that validation rejects the update.
 */
export function prepareResize(object: KubeObject, old: KubeObject, { release }: WriteContext): Pod {
  const pod = object as Pod
  const before = (old as Pod).spec
  const init = pod.spec.initContainers ?? []
  if (pod.spec.containers?.length !== before.containers.length) return pod
  if (init.length !== (before.initContainers?.length ?? 0)) return pod
  const { resources: _, ...rest } = before
  const isPodResized = release.gates.has('InPlacePodLevelResourcesVerticalScaling')
  const { resources } = isPodResized ? withKeptResources(pod, old as Pod, release).spec : before
  const spec = {
    ...rest,
    ...(resources === undefined ? {} : { resources }),
    containers: resized(pod.spec.containers, before.containers),
    ...(before.initContainers === undefined ? {} : { initContainers: resized(init, before.initContainers) }),
  }
  return { ...(old as Pod), metadata: resetMetadata(object, old), spec: withPodLevelResources(spec, release) }
}

/** A client that omits the resources of a pod keeps them (PodLevelResourcesFixDefaulting, v1.37). */
export function withKeptResources(pod: Pod, old: Pod, { gates }: KubernetesRelease): Pod {
  if (pod.spec.resources !== undefined || old.spec.resources === undefined) return pod
  if (!gates.has('PodLevelResourcesFixDefaulting')) return pod
  return { ...pod, spec: { ...pod.spec, resources: old.spec.resources } }
}

function resized(after: readonly Container[], before: readonly Container[]): readonly Container[] {
  if (after.some((container, i) => container.name !== before[i]?.name)) return after
  const merged = before.map((container, i) => {
    const { resources: _, resizePolicy: __, ...rest } = container
    const now = after[i]
    return {
      ...rest,
      ...(now?.resources === undefined ? {} : { resources: now.resources }),
      ...(now?.resizePolicy === undefined ? {} : { resizePolicy: now.resizePolicy }),
    }
  })
  return semanticEqual(merged, before) ? before : merged
}

// A pod that is not bound or is finished has no kubelet that stops it, so it is deleted immediately (v1.36, pod
// strategy's CheckGracefulDelete).
export function podGraceSeconds(pod: Pod, asked: number | undefined): number {
  if (pod.spec.nodeName === undefined || pod.spec.nodeName === '') return 0
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return 0
  const seconds = asked ?? pod.spec.terminationGracePeriodSeconds ?? 0
  return seconds < 0 ? 1 : seconds
}
