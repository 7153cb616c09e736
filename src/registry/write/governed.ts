import type { CreateCall, Failure, Outcome } from '../../api/call.ts'
import type { DeleteOptions, JsonObject, KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import type { Caller, Unstored } from '../contract.ts'
import { type AdmissionRequest, gvkOf, gvrOf } from '../dynamic/admission-request.ts'
import type { DynamicAdmission } from '../dynamic/dynamic-admission.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { namespaceMismatch } from './preconditions.ts'

/** Stages of a write that only run if webhooks or policies are configured. */

/** The view of an object through a subresource with its own kind. `take` applies a changed view to the object. */
export interface Lens {
  readonly show: (object: KubeObject) => KubeObject
  readonly take: (object: KubeObject, shown: KubeObject) => KubeObject
}

interface Place {
  readonly name: string
  readonly namespace: string | undefined
}

function requestOf(
  kind: Kind,
  context: WriteContext,
  operation: 'CREATE' | 'UPDATE',
  { name, namespace }: Place,
  object: KubeObject,
  old?: KubeObject,
): AdmissionRequest {
  const subresource = context.subresource ?? ''
  return {
    operation,
    target: kind,
    resource: gvrOf(kind),
    kind: gvkOf(kind, subresource),
    subresource,
    name,
    namespace: namespaceIn(kind, name, namespace),
    object,
    ...(old === undefined ? {} : { old }),
    options: optionsOf(context, operation),
    dryRun: context.dryRun,
    caller: context.caller,
  }
}

/** A request for a Namespace object is in that namespace. */
const namespaceIn = (kind: Kind, name: string, namespace: string | undefined): string =>
  kind.resource === 'namespaces' ? name : kind.namespaced ? (namespace ?? '') : ''

/** The options as the client sent them. */
function optionsOf(context: WriteContext, operation: 'CREATE' | 'UPDATE'): JsonObject {
  const { dryRun, fieldManager, fieldValidation, isManagerDerived } = context
  return {
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(fieldManager === undefined || isManagerDerived === true ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
  }
}

type Members = Partial<Record<keyof ObjectMeta, unknown>>

const systemMembers: readonly (keyof ObjectMeta)[] = [
  ...(['uid', 'resourceVersion', 'generation', 'creationTimestamp'] as const),
  ...(['deletionTimestamp', 'deletionGracePeriodSeconds'] as const),
]

/**
 * A new object as webhooks see it: with the metadata that the client sent, without members that only the server sets.
 */
function beforeCreate(object: KubeObject, sent: KubeObject): KubeObject {
  const metadata: Members = { ...object.metadata }
  for (const name of systemMembers) delete metadata[name]
  const { name = '', resourceVersion, generation } = (sent.metadata ?? {}) as Partial<ObjectMeta>
  if (name === '') delete metadata.name
  if (resourceVersion !== undefined && resourceVersion !== '') metadata.resourceVersion = resourceVersion
  if (generation !== undefined) metadata.generation = generation
  return { ...object, metadata: metadata as unknown as ObjectMeta }
}

const clientMembers = ['labels', 'annotations', 'ownerReferences', 'finalizers', 'managedFields'] as const

/** The object with the changes of webhooks, and with the identity that it had before. */
function withIdentity(object: KubeObject, shown: KubeObject, changed: KubeObject): KubeObject | Failure {
  const before: Partial<ObjectMeta> = shown.metadata
  const after: Partial<ObjectMeta> = changed.metadata ?? {}
  if ((after.namespace ?? '') !== (before.namespace ?? '')) return failure('BadRequest', namespaceMismatch)
  const metadata: Members = { ...object.metadata }
  if ((after.name ?? '') !== (before.name ?? '')) metadata.name = after.name
  for (const name of clientMembers) {
    const value = after[name]
    if (value === undefined) delete metadata[name]
    else metadata[name] = value
  }
  return { ...changed, metadata: metadata as unknown as ObjectMeta }
}

/** Stage of a create: webhooks and policies that change the object. */
export function governCreate(
  kind: Kind,
  object: KubeObject,
  sent: KubeObject,
  place: { readonly pathName: string | undefined; readonly namespace: string | undefined },
  context: WriteContext,
  builtin: (object: KubeObject) => KubeObject | Failure,
): KubeObject | Failure {
  const { dynamic } = context
  if (dynamic === undefined) return object
  const shown = beforeCreate(object, sent)
  const name = place.pathName ?? shown.metadata.name ?? ''
  const namespace = place.namespace ?? object.metadata.namespace
  const request = requestOf(kind, context, 'CREATE', { name, namespace }, shown)
  return mutated(dynamic, request, object, shown, builtin, (again) => beforeCreate(again, sent))
}

/** The object with the changes of webhooks and policies. After each change, the built-in admission runs again. */
function mutated(
  dynamic: DynamicAdmission,
  request: AdmissionRequest,
  object: KubeObject,
  shown: KubeObject,
  builtin: (object: KubeObject) => KubeObject | Failure,
  show: (object: KubeObject) => KubeObject,
): KubeObject | Failure {
  let identified = object
  const changed = dynamic.mutate(request, (patched) => {
    const whole = withIdentity(object, shown, patched)
    if (isFailure(whole)) return whole
    const again = builtin(whole)
    if (isFailure(again)) return again
    identified = again
    return show(again)
  })
  if (changed === undefined || changed === shown) return object
  return isFailure(changed) ? changed : withIdentity(identified, shown, changed)
}

/** The metadata of an update as webhooks see it: as the client sent it. */
function asSent(object: KubeObject, sent: KubeObject): KubeObject {
  const metadata: Members = { ...object.metadata }
  const given: Members = sent.metadata ?? {}
  for (const name of systemMembers) {
    if (given[name] === undefined || given[name] === '') delete metadata[name]
    else metadata[name] = given[name]
  }
  return { ...object, metadata: metadata as unknown as ObjectMeta }
}

/** Stage of an update: webhooks and policies that change the object. */
export function governUpdate(
  kind: Kind,
  object: KubeObject,
  sent: KubeObject,
  old: KubeObject,
  place: Place,
  context: WriteContext,
  builtin: (object: KubeObject) => KubeObject | Failure,
  lens?: Lens,
): KubeObject | Failure {
  const { dynamic } = context
  if (dynamic === undefined) return object
  if (lens !== undefined) {
    const shown = lens.show(object)
    const request = requestOf(kind, context, 'UPDATE', place, shown, lens.show(old))
    const changed = dynamic.mutate(request, (patched) => patched)
    if (changed === undefined || changed === shown) return object
    return isFailure(changed) ? changed : lens.take(object, changed)
  }
  const shown = asSent(object, sent)
  const request = requestOf(kind, context, 'UPDATE', place, shown, old)
  return mutated(dynamic, request, object, shown, builtin, (again) => asSent(again, sent))
}

/** Stage of every write: webhooks and policies that can refuse it. */
export function governedRefusal(
  kind: Kind,
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
  lens?: Lens,
): Failure | undefined {
  const { dynamic } = context
  if (dynamic === undefined) return undefined
  const { name, namespace, resourceVersion } = object.metadata
  const shown = lens?.show(object) ?? (resourceVersion === '' ? withoutVersion(object) : object)
  const before = old === undefined ? undefined : (lens?.show(old) ?? old)
  const operation = old === undefined ? 'CREATE' : 'UPDATE'
  return dynamic.validate(requestOf(kind, context, operation, { name, namespace }, shown, before))
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/**
 * POST of a subresource that is not stored: binding, eviction. Returns it with the changes of webhooks and policies.
 */
export function governSubresource(
  dynamic: DynamicAdmission | undefined,
  kind: Kind,
  context: WriteContext,
  place: Place,
  object: KubeObject,
): KubeObject | Failure {
  if (dynamic === undefined) return object
  const request = requestOf(kind, context, 'CREATE', place, object)
  const changed = dynamic.mutate(request, (patched) => patched) ?? object
  if (isFailure(changed)) return changed
  return dynamic.validate({ ...request, object: changed }) ?? changed
}

/**
 * POST of an object that the server answers and does not store. Validation runs after mutating and before validating
 * webhooks.
 */
export function governUnstored(
  kind: Kind,
  context: WriteContext,
  { name, namespace, object }: CreateCall,
  answer: Unstored,
): Outcome {
  const { dynamic } = context
  if (dynamic === undefined) return answer(object)
  const place = { name: name ?? object.metadata?.name ?? '', namespace }
  const request = requestOf(kind, context, 'CREATE', place, object)
  const changed = dynamic.mutate(request, (patched) => patched) ?? object
  if (isFailure(changed)) return changed
  const outcome = answer(changed)
  return outcome.ok ? (dynamic.validate({ ...request, object: changed }) ?? outcome) : outcome
}

/** A deletion: webhooks and policies see the stored object and may refuse. */
export function deletionRefusal(
  dynamic: DynamicAdmission,
  kind: Kind,
  caller: Caller,
  old: KubeObject,
  options: DeleteOptions | undefined,
  dryRun: boolean,
  isCollection: boolean,
): Failure | undefined {
  const { namespace } = old.metadata
  // A request for a collection has no name.
  const name = isCollection ? '' : old.metadata.name
  const request: AdmissionRequest = {
    operation: 'DELETE',
    target: kind,
    resource: gvrOf(kind),
    kind: gvkOf(kind, ''),
    subresource: '',
    name,
    namespace: namespaceIn(kind, name, namespace),
    old,
    options: {
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      ...(options as unknown as JsonObject | undefined),
      ...(dryRun ? { dryRun: ['All'] } : {}),
    },
    dryRun,
    caller,
  }
  const changed = dynamic.mutate(request, (object) => object)
  if (changed !== undefined && isFailure(changed)) return changed
  return dynamic.validate(request)
}
