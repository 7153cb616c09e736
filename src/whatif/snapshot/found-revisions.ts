import type { KubeObject } from '../../api/objects/meta.ts'
import type { PodTemplateSpec } from '../../api/objects/pod.ts'
import type { ControllerRevision, DaemonSet, StatefulSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { incremented } from '../../base/exact-json.ts'
import { newRevision, oldestFirst, templatePatch } from '../../controllers/history/revisions.ts'

type RevisedWorkload = StatefulSet | DaemonSet
type ObjectsByKey = ReadonlyMap<string, KubeObject>

/**
 * The revisions of StatefulSets and DaemonSets, adapted to the status of their owners. A dump may lack revisions, and a
 * snapshot contains trimmed ones. Otherwise the controller would detect a changed template and start a rollout.
 */
export function agreedRevisions(
  statefulSets: ObjectsByKey,
  daemonSets: ObjectsByKey,
  revisions: ObjectsByKey,
): readonly KubeObject[] {
  const byOwner = new Map<string, ControllerRevision[]>()
  for (const revision of revisions.values() as Iterable<ControllerRevision>) {
    const owner = controllerOf(revision)?.uid ?? ''
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), revision])
  }
  const agreed: KubeObject[] = []
  for (const set of statefulSets.values() as Iterable<StatefulSet>) {
    if (!isObserved(set)) continue
    const name = set.status?.updateRevision ?? ''
    const known = byOwner.get(set.metadata.uid ?? '') ?? []
    if (name !== '') agreed.push(presentRevision(set, known, name))
  }
  for (const set of daemonSets.values() as Iterable<DaemonSet>) {
    const newest = oldestFirst(byOwner.get(set.metadata.uid ?? '') ?? []).at(-1)
    if (newest !== undefined && isObserved(set)) agreed.push(withTemplate(newest, set))
  }
  return agreed
}

/** Reports whether the status refers to the current template. */
const isObserved = ({ metadata, status }: RevisedWorkload) =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)

function withTemplate(revision: ControllerRevision, set: RevisedWorkload): ControllerRevision {
  const { template } = set.spec!
  const data = templatePatch(hasNullTimestamp(revision) ? withNullTimestamp(template) : template)
  return { ...revision, data }
}

/**
 * Up to v1.33, the template of a revision has `creationTimestamp: null`, which v1.34.0 and v1.34.1 treat as a different
 * template. The null is kept, so that a forecast with these releases replaces the pods as they do.
 */
export function hasNullTimestamp({ data }: ControllerRevision): boolean {
  const { spec } = (data ?? {}) as { readonly spec?: { readonly template?: PodTemplateSpec } }
  return (spec?.template?.metadata as Readonly<Record<string, unknown>> | undefined)?.['creationTimestamp'] === null
}

function withNullTimestamp(template: PodTemplateSpec): PodTemplateSpec {
  return { ...template, metadata: { ...template.metadata, creationTimestamp: null } } as unknown as PodTemplateSpec
}

function presentRevision(set: StatefulSet, known: readonly ControllerRevision[], name: string): ControllerRevision {
  const found = known.find(({ metadata }) => metadata.name === name)
  if (found !== undefined) return withTemplate(found, set)
  const parent = {
    object: set,
    kind: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
    template: set.spec!.template,
    collisionCount: set.status?.collisionCount ?? 0,
  }
  const newest = oldestFirst(known).at(-1)?.revision ?? 0
  const made = newRevision(parent, incremented(newest))
  const hash = name.slice(name.lastIndexOf('-') + 1)
  const labels = { ...made.metadata.labels, 'controller.kubernetes.io/hash': hash }
  // Derived from the uid of the set, so that two sets never share a uid.
  const uid = `${set.metadata.uid}-${hash}`
  return { ...made, metadata: { ...made.metadata, name, labels, uid, resourceVersion: '1' } }
}
