import type { Failure } from '../../api/call.ts'
import type { Cidr } from '../../api/cidr.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import type { Random } from '../../base/random.ts'
import type { Store, StoreWrite } from '../../store/contract.ts'
import type { PodSecuritySettings } from '../admission/pod-security/settings.ts'
import type { Backend } from '../backend.ts'
import type { Caller, Guard } from '../contract.ts'
import type { CustomSchema } from '../custom/custom-kind.ts'
import type { DynamicAdmission } from '../dynamic/dynamic-admission.ts'
import type { FieldError } from '../errors/field-error.ts'
import type { RequestParts } from '../request-parts.ts'
import type { ScaleAccess } from '../subresources/scale.ts'

export type ResourceVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** `pods/binding`: a subresource, with its own kind if that differs. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  /** Absent: the group and version of the resource itself. */
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly ResourceVerb[]
}

/**
 * Which writes are recorded in managedFields: `all`; writes that name their manager, as all writes over HTTP do
 * (`named`); or applies, and after that all writes to applied objects (`apply-only`).
 */
export type ManagedFieldsMode = 'all' | 'named' | 'apply-only' | 'none'

/**
 * Whether the admission plugin ServiceAccount is enabled. `default-follows`: the serviceaccount controller runs, so a
 * namespace without account `default` will get it. `existing`: a pod needs an existing account.
 */
export type ServiceAccountMode = 'default-follows' | 'existing'

/** The inputs of a write, besides the objects. */
export interface WriteContext {
  readonly store: Store
  readonly nowMs: number
  /** The same instant in the format of Kubernetes, in seconds. */
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
  /** Disabled admission plugins, by upstream's names. */
  readonly disabledAdmission: ReadonlySet<string>
  /** See RegistryOptions. */
  readonly serviceAccounts?: ServiceAccountMode
  /** Which writes are recorded in managedFields. */
  readonly managedFields: ManagedFieldsMode
  /** Objects are stored in the order in which Go writes them. */
  readonly goOrder: boolean
  readonly guard?: Guard
  /** The admission plugin PodSecurity. Absent: it is off. */
  readonly podSecurity?: PodSecuritySettings
  /** The admission plugin NodeRestriction is on. */
  readonly restrictsNodes?: boolean
  /** The ranges of cluster IPs that the server was started with. */
  readonly serviceRanges?: readonly Cidr[]
  /** Webhooks and policies. Absent if none are configured. */
  readonly dynamic?: DynamicAdmission
  /** What a large request has computed in earlier turns. */
  readonly parts?: RequestParts
  /** Errors that are visible only in the object as it was sent (empty-lists.ts). */
  readonly sentErrors?: readonly FieldError[]
}

/** Additional writes in the transaction that writes an object, before and after that write. */
export interface SideWrites {
  readonly first: readonly StoreWrite[]
  readonly last: readonly StoreWrite[]
}

/**
 * The behavior of one kind. All members are pure functions that return their argument or a changed copy; objects from
 * callers or from the store are never changed in place.
 */
export interface Strategy {
  /** Sets default values (upstream's defaulting, without admission). */
  readonly default?: (object: KubeObject) => KubeObject
  /** Allocates what the cluster assigns to objects of the kind, before they are prepared and validated. */
  readonly allocate?: (object: KubeObject, context: WriteContext, old?: KubeObject) => KubeObject | Failure
  /** Objects of other kinds that a write changes with the object. `after` is absent for a deletion. */
  readonly sideWrites?: (after: KubeObject | undefined, before: KubeObject | undefined, backend: Backend) => SideWrites
  readonly prepareCreate?: (object: KubeObject, context: WriteContext) => KubeObject
  /** `old` is the stored object. Runs for the resource itself, not for its subresources. */
  readonly prepareUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => KubeObject
  /** Computes the object that a write through a subresource stores, from the sent and the stored object. */
  readonly prepareSubresource?: Readonly<
    Record<string, (object: KubeObject, old: KubeObject, context: WriteContext) => KubeObject>
  >
  /** Which metadata a status update may change. Default: `free`. */
  readonly statusMetadata?: 'free' | 'keeps-labels' | 'keeps-all'
  /** Fields that a write of the object itself resets (GetResetFields). Default: the fields of the status. */
  readonly resetFields?: readonly string[]
  /** A create may set the status. */
  readonly createsStatus?: boolean
  /** Replaces the validators of built-in kinds: custom resources have their own. */
  readonly validate?: (
    object: KubeObject,
    old: KubeObject | undefined,
    subresource: string | undefined,
  ) => readonly FieldError[]
  /** Rejections because of the namespace or the rights of the caller. Checked before validation. */
  readonly authorize?: (object: KubeObject, old: KubeObject | undefined, context: WriteContext) => readonly FieldError[]
  /** Warnings for valid objects of custom resources. */
  readonly warnings?: (object: KubeObject, old: KubeObject | undefined) => readonly string[]
  /** The rules for names. */
  readonly nameRule?: NameRule
  /** Fields that field selectors may use, besides metadata.name and metadata.namespace. */
  readonly selectable?: Readonly<Record<string, (object: KubeObject) => string>>
  /** Which changes metadata.generation counts. `once`: it is always 1. Absent: it is not set on create. */
  readonly generation?:
    | 'spec'
    | 'spec-once-changed'
    | 'spec-and-annotations'
    | 'everything'
    | 'everything-and-labels'
    | 'once'
  /** A PUT creates an object that does not exist. */
  readonly createOnUpdate?: boolean
  /** A PUT without a resourceVersion is rejected. */
  readonly needsVersion?: boolean
  /** DELETE returns the object instead of a Status. */
  readonly returnsDeleted?: boolean
  /** The grace period of a deletion. Absent: none. */
  readonly graceSeconds?: (object: KubeObject, asked: number | undefined) => number
  /** The object after a deletion that cannot finish yet, if the deletion changes more than the metadata. */
  readonly onMarked?: (object: KubeObject) => KubeObject
  /** Whether something other than metadata.finalizers delays the deletion. */
  readonly isHeld?: (object: KubeObject) => boolean
  /** The default propagation policy of a deletion. Default: `delete`. */
  readonly dependents?: 'delete' | 'orphan' | 'unsupported'
  /** Fields that only the status subresource writes. Default: `status`, where that subresource exists. */
  readonly statusFields?: readonly string[]
  /** Without this gate, writes of the object itself set its status too. */
  readonly statusGate?: string
}

/** `subdomain-bytes` counts bytes, as the formats of declared rules do. */
export type NameRule = 'subdomain' | 'subdomain-bytes' | 'label' | 'label-1035' | 'path-segment' | 'ip' | 'anything'

export interface Kind {
  /** `pods`, `deployments.apps`: the name in calls and in the store. */
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
  /** The resource name under which objects are stored, if two kinds are views of the same objects. */
  readonly storage: string
  /** Conversion between the stored form and the form of this kind. Absent: they are the same. */
  readonly fromStorage?: (object: KubeObject) => KubeObject
  readonly toStorage?: (object: KubeObject) => KubeObject
  /** Served in several versions under one resource name, so that calls name the version. */
  readonly isVersioned?: true
  /** The server does not store the object: it answers a review (TokenReview), or writes another object (Binding). */
  readonly ephemeral?: boolean
  /** The fields of the kind and their types. Absent for custom resources, which have a schema. */
  readonly shape?: StructShape
  /** The definition of a custom resource. */
  readonly custom?: CustomSchema
  readonly strategy: Strategy
  /** The release of the kind. */
  readonly release: KubernetesRelease
  /** The paths of the scale subresource, if not spec.replicas. */
  readonly scale?: ScaleAccess
}

export interface KindTable {
  readonly all: () => readonly Kind[]
  /** Finds a kind by resource name: `pods`, `deployments.apps`, `widgets.example.com`. */
  readonly find: (resource: string) => Kind | undefined
  readonly findKind: (group: string, kind: string) => Kind | undefined
  /** Finds a kind by group, version and plural, as in a URL. Custom resources may be served in several versions. */
  readonly served: (group: string, version: string, plural: string) => Kind | undefined
}

/** A check or change that may reject a write. */
export type MaybeFailure = Failure | undefined
