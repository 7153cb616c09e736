import { findCondition, isPodTerminal } from '../../api/conditions.ts'
import type { Namespace } from '../../api/objects/cluster.ts'
import type { Condition, KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { ServedKind } from '../served-kinds.ts'

// The expected time that finalizers take (v1.36, namespace/deletion finalizerEstimateSeconds).
const finalizerSeconds = 15

/** The time that the pods may still take to terminate, unless that time has passed since the namespace was deleted. */
export function estimateForPods(namespace: Namespace, pods: readonly Pod[], now: number): number {
  let seconds = 0
  for (const pod of pods) {
    if (!isPodTerminal(pod)) seconds = Math.max(seconds, Number(pod.spec.terminationGracePeriodSeconds ?? 0))
  }
  const sinceMs = now - (parseTime(namespace.metadata.deletionTimestamp) ?? now)
  return sinceMs >= seconds * 1000 ? 0 : seconds
}

/** The remaining objects of one resource after their deletion was requested. */
export interface Remainder {
  readonly kind: ServedKind
  readonly count: number
  readonly finalizers: ReadonlyMap<string, number>
  readonly estimateSeconds: number
  readonly error?: string
}

export function remainderOf(
  kind: ServedKind,
  left: readonly KubeObject[],
  namespace: string,
  graceSeconds: number,
): Remainder {
  const finalizers = new Map<string, number>()
  for (const { metadata } of left) {
    for (const finalizer of metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
  }
  const known = { kind, count: left.length, finalizers }
  if (left.length === 0) return { ...known, estimateSeconds: 0 }
  if (graceSeconds > 0) return { ...known, estimateSeconds: graceSeconds }
  if (finalizers.size > 0) return { ...known, estimateSeconds: finalizerSeconds }
  const { group, version, resource } = kind
  const plural = group === '' ? resource : resource.slice(0, -group.length - 1)
  const gvr = `${group}/${version}, Resource=${plural}`
  return {
    ...known,
    estimateSeconds: 0,
    error: `unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}`,
  }
}

interface ConditionText {
  readonly reason: string
  readonly message: string
}

/** The five conditions in upstream's order, with their values when nothing blocks the deletion. */
const well = lookupTable<ConditionText>({
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
})

/** The errors and objects that block the deletion, by the type of the condition that reports them. */
export function troubles(
  errors: readonly string[],
  remainders: readonly Remainder[],
): Readonly<Record<string, ConditionText>> {
  const left = remainders.filter(({ count }) => count > 0)
  const finalizers = new Map<string, number>()
  for (const remainder of left) {
    for (const [name, count] of remainder.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count)
  }
  const found: Record<string, ConditionText> = {}
  if (errors.length > 0) {
    const message = `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`
    found.NamespaceDeletionContentFailure = { reason: 'ContentDeletionFailed', message }
  }
  if (left.length > 0) {
    const counts = left.map(({ kind, count }) => `${goResource(kind)} has ${count} resource instances`).sort()
    const message = `Some resources are remaining: ${counts.join(', ')}`
    found.NamespaceContentRemaining = { reason: 'SomeResourcesRemain', message }
  }
  if (finalizers.size > 0) {
    const counts = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).sort()
    const message = `Some content in the namespace has finalizers remaining: ${counts.join(', ')}`
    found.NamespaceFinalizersRemaining = { reason: 'SomeFinalizersRemain', message }
  }
  return found
}

/** `pods.` in the core group: upstream always writes the dot. */
function goResource({ group, resource }: ServedKind): string {
  return group === '' ? `${resource}.` : resource
}

/** The conditions of the namespace; the same list object if nothing changes. */
export function decideConditions(
  namespace: Namespace,
  found: Readonly<Record<string, ConditionText>>,
  now: number,
): readonly Condition[] {
  const before = namespace.status?.conditions ?? []
  let conditions = before
  for (const [type, fine] of Object.entries(well)) {
    const trouble = found[type]
    const next = { type, status: trouble === undefined ? 'False' : 'True', ...(trouble ?? fine) } as const
    const present = findCondition(conditions, type)
    if (present === undefined) conditions = [...conditions, { ...next, lastTransitionTime: formatTime(now) }]
    else if (present.status !== next.status || present.message !== next.message || present.reason !== next.reason) {
      const lastTransitionTime = present.status === next.status ? present.lastTransitionTime : formatTime(now)
      const changed = { ...next, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }
      conditions = conditions.map((other) => (other === present ? changed : other))
    }
  }
  return conditions
}

export function finalizedNamespace(namespace: Namespace): Namespace {
  const finalizers = [...new Set(namespace.spec?.finalizers ?? [])].filter((name) => name !== 'kubernetes').sort()
  return { ...namespace, spec: { ...namespace.spec, finalizers } }
}
