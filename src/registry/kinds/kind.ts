import type { Failure } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import type { Random } from '../../base/random.ts'
import type { Store } from '../../store/contract.ts'
import type { Caller, Guard } from '../contract.ts'
import type { CustomSchema } from '../custom/custom-kind.ts'
import type { DynamicAdmission } from '../dynamic/dynamic-admission.ts'
import type { FieldError } from '../errors/field-error.ts'
import type { ScaleAccess } from '../subresources/scale.ts'

export type ResourceVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** `pods/binding`: another way into an object, with a kind of its own where that differs. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  /** Absent: the group and version of the resource itself. */
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly ResourceVerb[]
}

/**
 * Which writes are recorded in managedFields: `all`; those that name their manager, as everything does that comes over
 * HTTP (`named`); only applies, and then every write to what was applied (`apply-only`).
 */
export type ManagedFieldsMode = 'all' | 'named' | 'apply-only' | 'none'

/**
 * Whether the admission plugin ServiceAccount is on. `default-follows`: the serviceaccount controller runs, so a namespace
 * that has no account `default` is about to get it. `existing`: a pod needs an account that exists.
 */
export type ServiceAccountMode = 'default-follows' | 'existing'

/** What a write may look at besides the objects themselves. */
export interface WriteContext {
  readonly store: Store
  readonly nowMs: number
  /** The same instant as Kubernetes writes times, to the second. */
  readonly now: string
  readonly random: Random
  readonly kinds: KindTable
  /** The release whose rules apply. */
  readonly release: KubernetesRelease
  readonly caller: Caller
  readonly verb: 'create' | 'update' | 'patch'
  readonly subresource?: string
  readonly dryRun: boolean
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly fieldManager?: string
  /** The field manager is the client's name, because the request names none. */
  readonly isManagerDerived?: boolean
  /** Names of admission plugins, as upstream names them, that are off. */
  readonly disabledAdmission: ReadonlySet<string>
  /** See RegistryOptions. */
  readonly serviceAccounts?: ServiceAccountMode
  /** Which writes are recorded in managedFields. */
  readonly managedFields: ManagedFieldsMode
  readonly guard?: Guard
  /** Webhooks and policies. Absent if none are configured. */
  readonly dynamic?: DynamicAdmission
}

/**
 * What is particular to one kind. Everything is a pure function that gives back its argument or a changed copy;
 * objects that came from a caller or from the store are never changed in place.
 */
export interface Strategy {
  /** Fields that a client may leave out (upstream's defaulting, without admission). */
  readonly default?: (object: KubeObject) => KubeObject
  /** What the cluster gives out to objects of the kind, before they are prepared and validated. */
  readonly allocate?: (object: KubeObject, context: WriteContext, old?: KubeObject) => KubeObject | Failure
  readonly prepareCreate?: (object: KubeObject, context: WriteContext) => KubeObject
  /** `old` is what is stored. Runs for the resource itself, not for its subresources. */
  readonly prepareUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => KubeObject
  /** The object as a write through a subresource leaves it, given what was sent and what is stored. */
  readonly prepareSubresource?: Readonly<
    Record<string, (object: KubeObject, old: KubeObject, context: WriteContext) => KubeObject>
  >
  /** Which metadata a write of the status may change. Default: `free`. */
  readonly statusMetadata?: 'free' | 'keeps-labels' | 'keeps-all'
  /** A creation may bring its status along. */
  readonly createsStatus?: boolean
  /** Instead of the validators of built-in kinds: custom resources bring their own. */
  readonly validate?: (
    object: KubeObject,
    old: KubeObject | undefined,
    subresource: string | undefined,
  ) => readonly FieldError[]
  /** What the namespace of the object or the rights of the caller do not allow. Found before what validation finds. */
  readonly authorize?: (object: KubeObject, old: KubeObject | undefined, context: WriteContext) => readonly FieldError[]
  /** What is let through, but worth a word. Custom resources. */
  readonly warnings?: (object: KubeObject, old: KubeObject | undefined) => readonly string[]
  /** What a name must look like. */
  readonly nameRule?: NameRule
  /** Fields besides metadata.name and metadata.namespace that field selectors may name. */
  readonly selectable?: Readonly<Record<string, (object: KubeObject) => string>>
  /** What metadata.generation counts changes of. `once`: it is 1 and stays so. Absent: there is none, at first. */
  readonly generation?:
    | 'spec'
    | 'spec-once-changed'
    | 'spec-and-annotations'
    | 'everything'
    | 'everything-and-labels'
    | 'once'
  /** A PUT of an object that does not exist creates it. */
  readonly createOnUpdate?: boolean
  /** A PUT without a resourceVersion is refused. */
  readonly needsVersion?: boolean
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean
  /** How long a deletion lingers. Absent: not at all. */
  readonly graceSeconds?: (object: KubeObject, asked: number | undefined) => number
  /** The object as a deletion that cannot finish yet leaves it, where that is more than the marks in its metadata. */
  readonly onMarked?: (object: KubeObject) => KubeObject
  /** Something besides metadata.finalizers keeps the object while it is being deleted. */
  readonly isHeld?: (object: KubeObject) => boolean
  /** What a deletion does to dependents when nobody says. Default: `delete`. */
  readonly dependents?: 'delete' | 'orphan' | 'unsupported'
  /** Fields that only the status subresource writes. Default: `status`, where that subresource exists. */
  readonly statusFields?: readonly string[]
}

export type NameRule = 'subdomain' | 'label' | 'label-1035' | 'path-segment' | 'ip' | 'anything'

export interface Kind {
  /** `pods`, `deployments.apps`: what calls and the store name it by. */
  readonly resource: string
  readonly group: string
  readonly version: string
  readonly apiVersion: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly ResourceVerb[]
  readonly subresources: readonly Subresource[]
  /** The resource name its objects are stored under, when two kinds are two views of the same objects. */
  readonly storage: string
  /** Conversion between the stored form and the form this kind shows. Absent: they are the same. */
  readonly fromStorage?: (object: KubeObject) => KubeObject
  readonly toStorage?: (object: KubeObject) => KubeObject
  /** Served in several versions under one resource name, so that calls name theirs. */
  readonly isVersioned?: true
  /** Never stored: a review that is answered (TokenReview), or a write to something else (Binding). */
  readonly ephemeral?: boolean
  /** The fields of the kind and their types. Absent for custom resources, whose definition says. */
  readonly shape?: StructShape
  /** What the definition of a custom resource says. */
  readonly custom?: CustomSchema
  readonly strategy: Strategy
  /** The release that the kind is served in. */
  readonly release: KubernetesRelease
  /** How the scale subresource reads and writes, where that is not spec.replicas. */
  readonly scale?: ScaleAccess
}

export interface KindTable {
  readonly all: () => readonly Kind[]
  /** By resource name: `pods`, `deployments.apps`, `widgets.example.com`. */
  readonly find: (resource: string) => Kind | undefined
  readonly findKind: (group: string, kind: string) => Kind | undefined
  /** By group, version and plural, as in a URL. Custom resources may be served in several versions. */
  readonly served: (group: string, version: string, plural: string) => Kind | undefined
}

/** A check or change that may refuse a write. */
export type MaybeFailure = Failure | undefined
