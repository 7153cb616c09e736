import type { Call } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import { createCall, deleteCall, updateCall } from '../../api/object-calls.ts'
import type { Json, JsonObject, KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { PodTemplateSpec } from '../../api/objects/pod.ts'
import type { ControllerRevision } from '../../api/objects/workloads.ts'
import { controllerReference } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { revisionHash } from '../../api/template-hash/revision-hash.ts'
import { templateHash } from '../../api/template-hash/template-hash.ts'
import { incremented } from '../../base/exact-json.ts'

const controllerHashLabel = 'controller.kubernetes.io/hash'
const maxPrefixLength = 223

export interface RevisionParent {
  readonly object: KubeObject
  readonly kind: { readonly apiVersion: string; readonly kind: string }
  readonly template: PodTemplateSpec
  /** The number of collisions of the name with another template. In the hash of a template, undefined and 0 differ. */
  readonly collisionCount: number | undefined
  readonly annotations?: StringMap
  /** The label with the hash. Default: `controller.kubernetes.io/hash`, which is the hash of the revision's data. */
  readonly hashLabel?: string
  /** The hash of a template depends on the release. */
  readonly release?: KubernetesRelease
}

/** A patch that restores the template: what `kubectl rollout undo` applies. */
export function templatePatch(template: PodTemplateSpec): JsonObject {
  return { spec: { template: inKeyOrder({ ...(template as unknown as JsonObject), $patch: 'replace' }) as JsonObject } }
}

/** Go writes maps in the order of their keys, and kube-controller-manager compares the bytes of two revisions. */
function inKeyOrder(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inKeyOrder)
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, inKeyOrder(member as Json)]))
}

/** The template that a revision stores. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  const data = revision.data as { readonly spec?: { readonly template?: PodTemplateSpec & { $patch?: string } } }
  const template = data?.spec?.template
  if (template === undefined) return undefined
  const { $patch: _, ...kept } = template
  return kept
}

export function newRevision(parent: RevisionParent, revision: number): ControllerRevision {
  const {
    object,
    kind,
    template,
    collisionCount,
    annotations,
    hashLabel = controllerHashLabel,
    release = defaultRelease,
  } = parent
  const data = templatePatch(template)
  const isOfData = hashLabel === controllerHashLabel
  const hash = isOfData ? revisionHash(data, collisionCount ?? 0) : templateHash(template, collisionCount, release)
  const { name, namespace } = object.metadata
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${isOfData ? name.slice(0, maxPrefixLength) : name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [controllerReference(object, kind)],
    },
    data,
    revision,
  }
}

export function oldestFirst(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort((a, b) => {
    if (a.revision !== b.revision) return a.revision < b.revision ? -1 : 1
    const [createdA, createdB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
    if (createdA !== createdB) return createdA < createdB ? -1 : 1
    return a.metadata.name < b.metadata.name ? -1 : 1
  })
}

export type RevisionDecision =
  /** The newest revision has the current template. */
  | { readonly kind: 'settled'; readonly update: ControllerRevision }
  /** A revision must be written first: a new one, or an old one that becomes the newest again. */
  | { readonly kind: 'write'; readonly call: Call }

/**
 * `revisions`, oldest first (v1.36, statefulset getStatefulSetRevisions, and daemon constructHistory). `restored`: the
 * newest revision also counts as equal if its restored template is the current one. Without `restored`, a different
 * serialization of the same template is a new revision, which replaces the pods (kubernetes/kubernetes#134773).
 */
export function decideRevision(
  parent: RevisionParent,
  revisions: readonly ControllerRevision[],
  restored?: (template: PodTemplateSpec) => PodTemplateSpec,
): RevisionDecision {
  const newest = revisions.at(-1)
  const next = newRevision(parent, incremented(newest?.revision ?? 0))
  const equal = revisions.filter((revision) => deepEqual(revision.data, next.data)).at(-1)
  if (equal === undefined && newest !== undefined && restored !== undefined) {
    const template = templateOf(newest)
    const isSame = template !== undefined && deepEqual(withoutNulls(restored(template)), withoutNulls(parent.template))
    if (isSame) return { kind: 'settled', update: newest }
  }
  if (equal === undefined) return { kind: 'write', call: createCall('controllerrevisions.apps', next) }
  if (equal === newest) return { kind: 'settled', update: equal }
  return {
    kind: 'write',
    call: updateCall('controllerrevisions.apps', { ...equal, revision: next.revision } as ControllerRevision),
  }
}

/** Up to v1.33, revisions have `creationTimestamp: null` in the metadata of the template. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]))
}

/** Unused revisions beyond the limit, oldest first. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  isLive: (name: string) => boolean,
  limit: number,
): readonly Call[] {
  const idle = revisions.filter(({ metadata }) => !isLive(metadata.name))
  return idle
    .slice(0, Math.max(0, idle.length - limit))
    .map((revision) => deleteCall('controllerrevisions.apps', revision))
}
