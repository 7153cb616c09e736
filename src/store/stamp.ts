import type { KubeObject, ObjectMeta } from '../api/objects/meta.ts'

// A copy made by spreading gets its own hidden class from V8 for every call site and every source class, and a copy of
// the copy another one, until all accesses become megamorphic. The most frequent layouts are therefore written out,
// always in one form for one order of members; the order is kept. Everything else is spread.

type Whole = KubeObject & { readonly spec?: unknown; readonly status?: unknown }

/**
 * The order of an object's members, if it is one of the two usual orders: the order of Go, and the order of a manifest.
 */
export type FieldLayout = 'kind-first' | 'version-first' | 'other'

export function layoutOf(object: KubeObject): FieldLayout {
  let at = 0
  let isKindFirst = false
  for (const name in object) {
    switch (at++) {
      case 0:
        isKindFirst = name === 'kind'
        if (!isKindFirst && name !== 'apiVersion') return 'other'
        break
      case 1:
        if (name !== (isKindFirst ? 'apiVersion' : 'kind')) return 'other'
        break
      case 2:
        if (name !== 'metadata') return 'other'
        break
      case 3:
        if (name !== 'spec') return 'other'
        break
      default:
        if (at > 5 || name !== 'status') return 'other'
    }
  }
  return at === 5 ? (isKindFirst ? 'kind-first' : 'version-first') : 'other'
}

/** The object after the write of this revision. `isOwn`: it may be modified itself. */
export function stamp(object: KubeObject, revision: number, isOwn: boolean): KubeObject {
  const resourceVersion = String(revision)
  const written = writtenOut(object.metadata, resourceVersion)
  if (written !== undefined || !isOwn) return withMetadata(object, written ?? { ...object.metadata, resourceVersion })
  ;(object.metadata as { resourceVersion?: string }).resourceVersion = resourceVersion
  return inUsualLayout(object, object.metadata) ?? object
}

/** `{ ...object, metadata }`, in one form for each of the usual layouts. */
export function withMetadata(object: KubeObject, metadata: ObjectMeta): KubeObject {
  return inUsualLayout(object, metadata) ?? { ...object, metadata }
}

function inUsualLayout(object: KubeObject, metadata: ObjectMeta): KubeObject | undefined {
  const { kind, apiVersion, spec, status } = object as Whole
  switch (layoutOf(object)) {
    case 'kind-first':
      return { kind, apiVersion, metadata, spec, status } as Whole
    case 'version-first':
      return { apiVersion, kind, metadata, spec, status } as Whole
    case 'other':
      return undefined
  }
}

const goOrder = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'labels',
  'annotations',
  'ownerReferences',
] as const

/** A bit for each member; undefined if there are other members, or if they are in another order. */
function membersOf(metadata: ObjectMeta): number {
  let members = 0
  let at = 0
  for (const name in metadata) {
    while (at < goOrder.length && goOrder[at] !== name) at++
    if (at === goOrder.length) return 0
    members |= 1 << at++
  }
  return members
}

const bitsOf = (...names: readonly (typeof goOrder)[number][]): number => {
  let bits = 0
  for (const name of names) bits |= 1 << goOrder.indexOf(name)
  return bits
}

const created = ['name', 'uid', 'resourceVersion', 'creationTimestamp'] as const
const counted = [...created, 'namespace', 'generation'] as const
const podBits = bitsOf(...counted, 'generateName', 'labels', 'ownerReferences')
const oldPodBits = bitsOf(...created, 'namespace', 'generateName', 'labels', 'ownerReferences')
const annotatedPodBits = podBits | bitsOf('annotations')
const replicaSetBits = bitsOf(...counted, 'labels', 'annotations', 'ownerReferences')
const deploymentBits = bitsOf(...counted, 'labels', 'annotations')
const plainBits = bitsOf(...counted)
const generatedBits = bitsOf(...counted, 'generateName')
const generatedLabeledBits = generatedBits | bitsOf('labels')
const labeledBits = bitsOf(...counted, 'labels')
const nodeBits = bitsOf(...created, 'labels')
const annotatedNodeBits = bitsOf(...created, 'labels', 'annotations')

/** The metadata with this version, if it has one of the forms above. Each form reads only its own members. */
// biome-ignore format: one line per form
function writtenOut(metadata: ObjectMeta, resourceVersion: string): ObjectMeta | undefined {
  switch (membersOf(metadata)) {
    case podBits: {
      const { name, generateName, namespace, uid, generation, creationTimestamp, labels, ownerReferences } = metadata as Required<ObjectMeta>
      return { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp, labels, ownerReferences }
    }
    case oldPodBits: {
      const { name, generateName, namespace, uid, creationTimestamp, labels, ownerReferences } = metadata as Required<ObjectMeta>
      return { name, generateName, namespace, uid, resourceVersion, creationTimestamp, labels, ownerReferences }
    }
    case annotatedPodBits: {
      const { name, generateName, namespace, uid, generation, creationTimestamp, labels, annotations, ownerReferences } = metadata as Required<ObjectMeta>
      return { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp, labels, annotations, ownerReferences }
    }
    case replicaSetBits: {
      const { name, namespace, uid, generation, creationTimestamp, labels, annotations, ownerReferences } = metadata as Required<ObjectMeta>
      return { name, namespace, uid, resourceVersion, generation, creationTimestamp, labels, annotations, ownerReferences }
    }
    case deploymentBits: {
      const { name, namespace, uid, generation, creationTimestamp, labels, annotations } = metadata as Required<ObjectMeta>
      return { name, namespace, uid, resourceVersion, generation, creationTimestamp, labels, annotations }
    }
    case labeledBits: {
      const { name, namespace, uid, generation, creationTimestamp, labels } = metadata as Required<ObjectMeta>
      return { name, namespace, uid, resourceVersion, generation, creationTimestamp, labels }
    }
    case plainBits: {
      const { name, namespace, uid, generation, creationTimestamp } = metadata as Required<ObjectMeta>
      return { name, namespace, uid, resourceVersion, generation, creationTimestamp }
    }
    case generatedBits: {
      const { name, generateName, namespace, uid, generation, creationTimestamp } = metadata as Required<ObjectMeta>
      return { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp }
    }
    case generatedLabeledBits: {
      const { name, generateName, namespace, uid, generation, creationTimestamp, labels } = metadata as Required<ObjectMeta>
      return { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp, labels }
    }
    case nodeBits: {
      const { name, uid, creationTimestamp, labels } = metadata as Required<ObjectMeta>
      return { name, uid, resourceVersion, creationTimestamp, labels }
    }
    case annotatedNodeBits: {
      const { name, uid, creationTimestamp, labels, annotations } = metadata as Required<ObjectMeta>
      return { name, uid, resourceVersion, creationTimestamp, labels, annotations }
    }
    default:
      return undefined
  }
}
