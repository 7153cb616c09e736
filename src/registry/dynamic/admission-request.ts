import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { Caller } from '../contract.ts'
import type { Kind, KindTable } from '../kinds/kind.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** A write as webhooks and policies see it (apiserver, admission.Attributes). */
export interface AdmissionRequest {
  readonly operation: Operation
  /** The kind that the resource of the request serves. */
  readonly target: Kind
  readonly resource: GroupVersionResource
  /** The kind of the object, which differs from the resource's for subresources such as scale. */
  readonly kind: GroupVersionKind
  /** Empty for the resource itself. */
  readonly subresource: string
  readonly name: string
  /** For a request about a Namespace object, this is its name. */
  readonly namespace: string
  /** Absent for deletions. */
  readonly object?: KubeObject | undefined
  /** Absent for creations. */
  readonly old?: KubeObject | undefined
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject
  readonly dryRun: boolean
  readonly caller: Caller
}

export function gvkOf(kind: Kind, subresource: string): GroupVersionKind {
  const found = subresource === '' ? undefined : kind.subresources.find(({ name }) => name === subresource)
  return {
    group: found?.group ?? kind.group,
    version: found?.version ?? kind.version,
    kind: found?.kind ?? kind.kind,
  }
}

export const gvrOf = ({ group, version, plural }: Kind): GroupVersionResource => ({ group, version, resource: plural })

/** How a webhook or a policy matched: the resource and the kind in which it sees the request. */
export interface Match {
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
  /** The kind that objects are converted to. */
  readonly as: Kind
}

/** The other resources that show the same objects, such as other versions of a custom resource. */
export function equivalentsOf(kinds: KindTable, kind: Kind): readonly Kind[] {
  return kinds.all().filter((one) => one.storage === kind.storage && one.apiVersion !== kind.apiVersion)
}

/** Converts an object of one kind to another kind of the same objects. */
export function convertedTo(kind: Kind, as: Kind, object: KubeObject): KubeObject {
  if (kind.apiVersion === as.apiVersion) return object
  const stored = kind.toStorage === undefined ? object : kind.toStorage(object)
  return as.fromStorage === undefined ? stored : as.fromStorage(stored)
}

/** Converts an object to the kind of a match. Subresources with their own kind have one version only. */
export function shownAs(
  request: AdmissionRequest,
  match: Match,
  object: KubeObject | undefined,
): KubeObject | undefined {
  if (object === undefined || request.kind.kind !== request.target.kind) return object
  return convertedTo(request.target, match.as, object)
}

/** The AdmissionRequest of a review without uid, object and oldObject. */
export function requestBody(request: AdmissionRequest, match: Match): JsonObject {
  const { caller, subresource } = request
  const userInfo = {
    ...(caller.name === '' ? {} : { username: caller.name }),
    ...(caller.uid === undefined || caller.uid === '' ? {} : { uid: caller.uid }),
    ...(caller.groups.length === 0 ? {} : { groups: [...caller.groups] }),
    ...(caller.extra === undefined || Object.keys(caller.extra).length === 0 ? {} : { extra: caller.extra }),
  }
  return {
    kind: { ...match.kind },
    resource: { ...match.resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { ...request.kind },
    requestResource: { ...request.resource },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(request.name === '' ? {} : { name: request.name }),
    ...(request.namespace === '' ? {} : { namespace: request.namespace }),
    operation: request.operation,
    userInfo: userInfo as unknown as JsonObject,
    dryRun: request.dryRun,
    options: request.options,
  }
}

const policyKinds = new Set([
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])
const webhookKinds = new Set([...policyKinds, ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']])

const isOneOf = (kinds: ReadonlySet<string>, { kind }: AdmissionRequest): boolean =>
  kind.group === 'admissionregistration.k8s.io' && kinds.has(kind.kind)

/** Resources without which a cluster cannot authorize (v1.37, exclusion.Excluded). */
export const reviewResources: ReadonlySet<string> = new Set([
  'selfsubjectreviews.authentication.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
])

/** Policies do not apply to policies, to their bindings, and to reviews. */
export const isHiddenFromPolicies = (request: AdmissionRequest): boolean =>
  isOneOf(policyKinds, request) || reviewResources.has(request.target.resource)

/** Webhooks do not apply to policies and to configurations of webhooks, and since v1.37 not to reviews. */
export const isHiddenFromWebhooks = (request: AdmissionRequest): boolean => {
  const { resource, release } = request.target
  if (isOneOf(webhookKinds, request)) return true
  return reviewResources.has(resource) && release.gates.has('ExcludeAdmissionWebhookVirtualResources')
}
