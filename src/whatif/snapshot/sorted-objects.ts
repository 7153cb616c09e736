import { type NodeUsage, usageIn } from '../../api/node-usage.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Lease, Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { defaultRelease, withFeatureGates } from '../../api/releases/release-of.ts'
import { parseTime } from '../../api/time.ts'
import { karpenterDefinitions } from '../../autoscalers/karpenter/definitions.ts'
import type { Fields } from '../../base/fields.ts'
import { must } from '../../base/result.ts'
import { establishedDefinition } from '../../registry/custom/definition-strategy.ts'
import { decodeObject, withDefaults } from '../../registry/decode/decode-object.ts'
import type { Kind, KindTable } from '../../registry/kinds/kind.ts'
import { createKindTable } from '../../registry/kinds/kinds.ts'
import { creationErrors } from '../../registry/validation/validate.ts'
import { kindOfObject } from '../scenario/kind-names.ts'
import { isObserved } from './observed-object.ts'

/** The objects do not form a cluster. The message contains the missing or invalid part. */
export class NoClusterError extends Error {
  override readonly name = 'NoClusterError'
}

export interface KindObjects {
  readonly kind: Kind
  readonly byKey: Map<string, KubeObject>
}

export interface SortedObjects {
  readonly byResource: Map<string, KindObjects>
  readonly manifests: readonly KubeObject[]
  readonly unknown: ReadonlySet<string>
  /** The usage of nodes, from their NodeMetrics. */
  readonly usage: ReadonlyMap<string, NodeUsage>
  readonly kinds: readonly string[]
  readonly count: number
  readonly newestMs: number | undefined
  /** Objects that occur more than once, with different content. */
  readonly ambiguous: ReadonlySet<string>
  /** The parts that the API server would reject, by object. */
  readonly invalid: ReadonlyMap<string, string>
  /** API versions that are not served, with the version that is used to read their objects. */
  readonly otherVersions: ReadonlyMap<string, string>
}

export interface SortOptions {
  /** Set if an API server wrote the objects, so they have the right types. */
  readonly isServed?: boolean
}

/** Includes the custom resources that the objects themselves define. */
export function sortEverything(objects: readonly KubeObject[], options?: SortOptions): SortedObjects {
  const definitions = objects.filter((each) => each?.kind === 'CustomResourceDefinition')
  const shipped = createKindTable()
  const defined = createKindTable({ list: () => definitions, count: () => definitions.length })
  const kinds = {
    findKind: (group: string, name: string) => defined.findKind(group, name) ?? shipped.findKind(group, name),
    served: (...path: Parameters<KindTable['served']>) => defined.served(...path) ?? shipped.served(...path),
  }
  return new Sorting(kinds, new Set(), options).all(objects)
}

export function sortObjects(objects: Iterable<KubeObject>, options?: SortOptions): SortedObjects {
  return new Sorting(knownKinds(), ignoredKinds, options).all(objects)
}

export type KnownKinds = Pick<KindTable, 'findKind' | 'served'>

/** A cluster with pod groups has their gate enabled. */
const withGroups = must(withFeatureGates(defaultRelease, new Map([['GenericWorkload', true]])))

/** The kinds of Kubernetes, and those of Karpenter. */
export function knownKinds(): KnownKinds {
  const shipped = createKindTable()
  const karpenter = createKindTable({ list: () => karpenterKinds, count: () => karpenterKinds.length } as never)
  const gated = createKindTable(undefined, withGroups)
  return {
    findKind: (group, name) =>
      shipped.findKind(group, name) ?? karpenter.findKind(group, name) ?? gated.findKind(group, name),
    served: (...path) => shipped.served(...path) ?? karpenter.served(...path) ?? gated.served(...path),
  }
}

export const karpenterKinds = karpenterDefinitions.map((each) => establishedDefinition(each, '1970-01-01T00:00:00Z'))

// These kinds do not affect a forecast, and clusters have many events.
const ignoredKinds: ReadonlySet<string> = new Set([
  'events',
  'events.events.k8s.io',
  'secrets',
  'endpoints',
  'endpointslices.discovery.k8s.io',
])

/** Kinds whose errors would make most answers wrong. */
const validatedKinds: ReadonlySet<string> = new Set([
  ...['nodes', 'pods', 'poddisruptionbudgets.policy', 'jobs.batch', 'cronjobs.batch'],
  ...['deployments.apps', 'replicasets.apps', 'statefulsets.apps', 'daemonsets.apps'],
])

interface Undecided {
  readonly kind: Kind
  /** The object as given. A manifest is decoded when it is created. */
  readonly object: KubeObject
  readonly read: KubeObject
}

class Sorting {
  private readonly kinds: KnownKinds
  private readonly ignored: ReadonlySet<string>
  private readonly options: SortOptions
  private readonly known = new Map<string, Kind | undefined>()
  private readonly byResource = new Map<string, KindObjects>()
  /** Objects that may be manifests. */
  private readonly undecided: Undecided[] = []
  private readonly unknown = new Set<string>()
  private readonly usage = new Map<string, NodeUsage>()
  private readonly ambiguous = new Set<string>()
  private readonly invalid = new Map<string, string>()
  /** Pods of one template share their spec, which is validated once. */
  private readonly validSpecs = new WeakSet<object>()
  private readonly otherVersions = new Map<string, string>()
  private count = 0
  private newest: string | undefined

  constructor(kinds: KnownKinds, ignored: ReadonlySet<string>, options: SortOptions = {}) {
    this.kinds = kinds
    this.ignored = ignored
    this.options = options
  }

  all(objects: Iterable<KubeObject>): SortedObjects {
    for (const object of objects) this.take(object)
    return {
      manifests: this.decided(),
      byResource: this.byResource,
      unknown: this.unknown,
      usage: this.usage,
      kinds: [...this.known.keys()].map((type) => type.split(' ')[1] ?? '').sort(),
      count: this.count,
      newestMs: parseTime(this.newest),
      ambiguous: this.ambiguous,
      invalid: this.invalid,
      otherVersions: this.otherVersions,
    }
  }

  private take(object: KubeObject): void {
    const items = itemsOfList(object)
    if (items !== undefined) {
      for (const item of items) this.take(item)
      return
    }
    this.count++
    const type = `${object?.apiVersion} ${object?.kind}`
    let kind = this.known.get(type)
    if (kind === undefined && !this.known.has(type)) {
      this.require(typeof object?.kind === 'string' && typeof object.apiVersion === 'string', 'apiVersion and kind')
      kind = this.kindOf(object)
      this.known.set(type, kind)
    }
    if (object.kind === 'NodeMetrics' && object.apiVersion?.startsWith('metrics.k8s.io/') === true) {
      const usage = usageIn(object)
      if (usage !== undefined) this.usage.set(object.metadata.name, usage)
      return
    }
    if (kind === undefined || kind.ephemeral === true) {
      this.unknown.add(object.kind ?? 'unknown')
      return
    }
    if (this.ignored.has(kind.resource)) return
    this.require(typeof object.metadata === 'object' && object.metadata !== null, `${object.kind} without metadata`)
    const read = this.options.isServed === true ? object : decoded(kind, object)
    const isNamed = typeof read.metadata.name === 'string' && read.metadata.name !== ''
    const { name = '', namespace = '' } = read.metadata
    this.require(!control.test(name) && !control.test(namespace), `${object.kind} with control characters in its name`)
    if (isNamed && isObserved(object)) {
      if (this.options.isServed !== true) this.validate(kind, read)
      this.put(kind, read)
    } else {
      this.require(isNamed || read.metadata.generateName !== undefined, `${object.kind} without metadata.name`)
      this.undecided.push({ kind, object, read })
    }
  }

  private validate(kind: Kind, object: KubeObject): void {
    if (!validatedKinds.has(kind.resource)) return
    const { spec } = object as unknown as { readonly spec?: Fields }
    if (spec !== undefined && this.validSpecs.has(spec)) return
    const [error] = errorsOf(kind, object)
    if (error !== undefined) this.invalid.set(`${object.kind} ${placeOf(object)}`, `${error.field}: ${error.message}`)
    else if (spec !== undefined) this.validSpecs.add(spec)
  }

  private require(isRight: boolean, what: string): void {
    if (!isRight) throw new NoClusterError(`object ${this.count}: ${what}: not a Kubernetes object`)
  }

  /** The kind in the version of the object, or otherwise in a known version. */
  private kindOf(object: KubeObject): Kind | undefined {
    const kind = kindOfObject(this.kinds, object)
    if (kind === undefined || kind.apiVersion === object.apiVersion) return kind
    const version = (object.apiVersion ?? '').split('/').at(-1) ?? ''
    const served = this.kinds.served(kind.group, version, kind.plural)
    if (served === undefined) this.otherVersions.set(`${object.apiVersion} ${object.kind}`, kind.apiVersion)
    return served ?? kind
  }

  private put(kind: Kind, given: KubeObject): void {
    const stored = kind.toStorage?.(given) ?? given
    const { namespace, name } = stored.metadata
    const isLost = kind.namespaced && (namespace === undefined || namespace === '')
    const object = isLost ? { ...stored, metadata: { ...stored.metadata, namespace: 'default' } } : stored
    let entry = this.byResource.get(kind.resource)
    if (entry === undefined) {
      entry = { kind, byKey: new Map() }
      this.byResource.set(kind.resource, entry)
    }
    const key = kind.namespaced ? `${object.metadata.namespace}/${name}` : name
    const other = entry.byKey.get(key)
    const chosen = other === undefined ? object : this.newer(other, object, key)
    this.newest = later(this.newest, newestIn(chosen))
    entry.byKey.set(key, chosen)
  }

  /** An object may occur alone and in a list, or in dumps of different times. */
  private newer(first: KubeObject, second: KubeObject, key: string): KubeObject {
    const [a, b] = [first.metadata, second.metadata]
    if (a.resourceVersion !== undefined && a.resourceVersion === b.resourceVersion && a.uid === b.uid) return first
    if (JSON.stringify(first) === JSON.stringify(second)) return first
    this.ambiguous.add(`${second.kind} ${key}`)
    return Number(a.resourceVersion) > Number(b.resourceVersion) ? first : second
  }

  /**
   * In the dump of a running cluster, the objects that observed objects refer to were observed too: their owners, and
   * the nodes. The same applies to pods on a node, and to resource slices, which drivers write. The other objects are
   * manifests, which are returned.
   */
  private decided(): readonly KubeObject[] {
    if (this.byResource.size === 0) return this.undecided.map(({ object }) => object)
    if (this.undecided.length === 0) return []
    const owners = this.ownersOfObserved()
    return this.undecided.flatMap(({ kind, object, read }) => {
      const { namespace = 'default', name } = read.metadata
      const isOn = kind.resource === 'pods' && (read as Pod).spec?.nodeName !== undefined
      const isFound = kind.resource === 'nodes' || kind.resource === 'resourceslices.resource.k8s.io'
      const isOwner = owners.has(ownerKey(object.kind, kind.namespaced ? namespace : '', name))
      if (name === undefined || !(isFound || isOn || isOwner)) return [object]
      if (this.options.isServed !== true) this.validate(kind, read)
      this.put(kind, read)
      return []
    })
  }

  private ownersOfObserved(): ReadonlySet<string> {
    const owners = new Set<string>()
    for (const { byKey } of this.byResource.values()) {
      for (const { metadata } of byKey.values()) {
        for (const { kind, name } of metadata.ownerReferences ?? []) {
          owners.add(ownerKey(kind, metadata.namespace ?? '', name))
          owners.add(ownerKey(kind, '', name))
        }
      }
    }
    return owners
  }
}

/** No API server accepts such names. In a terminal, they could forge an answer. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters
const control = /[\u0000-\u001f\u007f-\u009f]/

/** Manifests as the API server would read them. Objects of unknown kinds are omitted. */
export function readManifests(objects: readonly KubeObject[]): readonly KubeObject[] {
  const kinds = knownKinds()
  return objects.flatMap((object) => {
    const kind = kindOfObject(kinds, object)
    if (kind === undefined) return []
    const read = decoded(kind, object)
    if (validatedKinds.has(kind.resource)) errorsOf(kind, read)
    return [read]
  })
}

/** The errors of an object besides those of its metadata. Throws if the object cannot be used. */
function errorsOf(kind: Kind, object: KubeObject): ReturnType<typeof creationErrors> {
  const { spec } = object as unknown as { readonly spec?: Fields }
  // Metadata is completed later, and names may be hashes.
  const errors = creationErrors(kind, object).filter(({ field }) => !field.startsWith('metadata'))
  // A workload without containers or selector cannot be evaluated. The image of a container may be redacted.
  const lacking = errors.find(({ reason, field }) => reason === 'FieldValueRequired' && !field.endsWith('.image'))
  if (lacking === undefined && spec?.['selector'] !== null) return errors
  const why = lacking === undefined ? 'spec.selector: Required value' : `${lacking.field}: ${lacking.message}`
  throw new NoClusterError(`${object.kind} ${placeOf(object)}: ${why}`)
}

const ownerKey = (kind: string | undefined, namespace: string, name: string | undefined) =>
  `${kind} ${namespace}/${name}`

/** The items of a list. Items of a typed list have neither apiVersion nor kind; both follow from the list. */
function itemsOfList(object: KubeObject): readonly KubeObject[] | undefined {
  const { items } = (object ?? {}) as { readonly items?: unknown }
  if (!Array.isArray(items) || typeof object.kind !== 'string' || !object.kind.endsWith('List')) return undefined
  const kind = object.kind.slice(0, -'List'.length)
  if (kind === '') return items as readonly KubeObject[]
  return items.map((item: object) => ({ apiVersion: object.apiVersion, kind, ...item }) as KubeObject)
}

/**
 * The object as the API server would decode it: wrong types are errors, null is equivalent to absent, and defaults are
 * filled in.
 */
function decoded(kind: Kind, object: KubeObject): KubeObject {
  const sent = object.apiVersion === kind.apiVersion ? object : { ...object, apiVersion: kind.apiVersion }
  const read = decodeObject(kind, sent, 'Ignore')
  if ('object' in read) return withDefaults(kind, read.object)
  throw new NoClusterError(`${object.kind} ${placeOf(object)}: ${read.status.message}`)
}

function placeOf({ metadata }: KubeObject): string {
  const { namespace, name } = metadata as unknown as Fields
  return [namespace, name].filter((part) => typeof part === 'string' && part !== '').join('/')
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

/**
 * The newest timestamp of an object. The last writes in a cluster are usually the heartbeats of its nodes. Timestamps
 * are compared as strings, which gives the correct order because all are in UTC.
 */
function newestIn(object: KubeObject): string | undefined {
  let newest = object.metadata.creationTimestamp
  if (object.kind === 'Node') {
    for (const { lastHeartbeatTime } of (object as Node).status?.conditions ?? [])
      newest = later(newest, lastHeartbeatTime)
  }
  if (object.kind === 'Lease') newest = later(newest, (object as Lease).spec?.renewTime)
  if (object.kind === 'Pod') {
    for (const { lastTransitionTime } of (object as Pod).status?.conditions ?? [])
      newest = later(newest, lastTransitionTime)
  }
  return newest
}
