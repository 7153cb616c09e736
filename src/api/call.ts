import type { DeleteOptions, Json, JsonObject, KubeObject, Status } from './objects/meta.ts'
import type { ResourceName } from './objects/resources.ts'

/**
 * A request to a Kubernetes API as data. Every read or write of a cluster is a Call: controllers return them as
 * actions, the API server decodes HTTP into them, clients execute them.
 */
export type Call = GetCall | ListCall | CreateCall | UpdateCall | PatchCall | DeleteCall | DeleteCollectionCall

interface Target {
  readonly resource: ResourceName
  /** Absent for cluster-scoped resources, and for lists over all namespaces. */
  readonly namespace?: string
  readonly subresource?: string
  /** The version of a custom resource that is served in several versions. Absent: the stored version. */
  readonly version?: string
}

interface WriteOptions {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  /** The request does not name a manager; `fieldManager` is the name of the client. */
  readonly isManagerDerived?: boolean
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
}

export interface GetCall extends Target {
  readonly verb: 'get'
  readonly name: string
  readonly resourceVersion?: string
}

export interface ListCall extends Target {
  readonly verb: 'list'
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

export interface CreateCall extends Target, WriteOptions {
  readonly verb: 'create'
  /** The name of the parent if a subresource (binding, eviction) is created. */
  readonly name?: string
  readonly object: KubeObject
}

export interface UpdateCall extends Target, WriteOptions {
  readonly verb: 'update'
  readonly name: string
  readonly object: KubeObject
}

export type Patch =
  | { readonly kind: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly kind: 'merge'; readonly patch: JsonObject }
  | { readonly kind: 'strategic'; readonly patch: JsonObject }
  | { readonly kind: 'apply'; readonly object: JsonObject; readonly force?: boolean }

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string
  readonly value?: Json
}

export interface PatchCall extends Target, WriteOptions {
  readonly verb: 'patch'
  readonly name: string
  readonly patch: Patch
}

export interface DeleteCall extends Target {
  readonly verb: 'delete'
  readonly name: string
  readonly options?: DeleteOptions
  readonly dryRun?: boolean
}

export interface DeleteCollectionCall extends Target, Omit<ListCall, 'verb'> {
  readonly verb: 'deletecollection'
  readonly options?: DeleteOptions
  readonly dryRun?: boolean
}

export type Verb = Call['verb'] | 'watch'

/** A failed call is a value. `status` is what a Kubernetes API server would return. */
export type Failure = { readonly ok: false; readonly status: Status; readonly warnings?: readonly string[] } & Noted

/** Annotations of the audit event, added by webhooks and policies. */
export interface Noted {
  readonly notes?: ReadonlyMap<string, { readonly value: string; readonly level: 'Metadata' | 'Request' }>
}

export type Outcome<T extends KubeObject = KubeObject> =
  | ({
      readonly ok: true
      readonly kind: 'object'
      readonly object: T
      /** 201 instead of 200. */
      readonly created?: boolean
      readonly warnings?: readonly string[]
    } & Noted)
  | ({
      readonly ok: true
      readonly kind: 'list'
      readonly items: readonly T[]
      readonly resourceVersion: string
      readonly continue?: string
      readonly remainingItemCount?: number
    } & Noted)
  | ({
      readonly ok: true
      readonly kind: 'status'
      readonly status: Status
      readonly warnings?: readonly string[]
    } & Noted)
  | Failure

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** `initialEventsEnd` marks the end of the initial list of a streaming list. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd?: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }

export interface WatchRequest {
  readonly resource: ResourceName
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Events after this version. Absent: the current state first, as ADDED, then changes. */
  readonly resourceVersion?: string
  readonly bookmarks?: boolean
  readonly sendInitialEvents?: boolean
}
