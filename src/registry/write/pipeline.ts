import type {
  CreateCall,
  DeleteCall,
  DeleteCollectionCall,
  Failure,
  Outcome,
  PatchCall,
  UpdateCall,
} from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure, notFound } from '../../api/status.ts'
import { grownValueProblem } from '../../base/value-limits.ts'
import type { StoreWrite } from '../../store/contract.ts'
import { admissionRefusal, mutate } from '../admission/admission.ts'
import { namespaceRefusal } from '../admission/namespace-lifecycle.ts'
import { nodeRestriction } from '../admission/node-restriction.ts'
import { podSecurityVerdict } from '../admission/pod-security/pod-security.ts'
import { quotaCharges } from '../admission/resource-quota.ts'
import {
  type Backend,
  inProcessCaller,
  inStoredOrder,
  keyOfObject,
  servedForm,
  storeKey,
  withWarnings,
  writeContextOf,
} from '../backend.ts'
import type { Caller } from '../contract.ts'
import { type DecodeFailure, decodeObject, withDefaults } from '../decode/decode-object.ts'
import { type FieldError, invalid, invalidObject } from '../errors/field-error.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { listObjects } from '../read/read.ts'
import { part } from '../request-parts.ts'
import { emptyListErrors } from '../validation/empty-lists.ts'
import { creationErrors, updateErrors } from '../validation/validate.ts'
import { warningsOf, warningsOfRefused } from '../warnings/warnings.ts'
import { type ApplyPatch, appliedTo, configFailure, conversionFailure } from './apply.ts'
import { commitCreate, commitStatus, commitUpdate, dryRunCreate } from './commit.ts'
import { optionsFailure, protectionFailure, removeObject, unsafeFailure } from './delete.ts'
import { deletionRefusal, governCreate, governedRefusal, governUpdate, type Lens } from './governed.ts'
import { assignIdentity, keepIdentity, withPatchedUid } from './identity.ts'
import { recordManagers } from './managers.ts'
import { patchedDecodeFailure, patchedObject } from './patch.ts'
import { nameMismatch, uidConflict, versionConflict, versionOnCreate } from './preconditions.ts'
import { dropStatus, keepReadOnlyFields, prepareUpdate, withoutDisabledFields } from './prepare.ts'
import { conditionMessageUpdate, statusOnlyUpdate } from './status-update.ts'

/*
 * The write path. A stage takes the object and returns it changed, or returns the failure that ends the request.
 *
 *   create          decode → insert
 *   update          read → decode → replace          (status of a controller: read → status only → commit)
 *   patch           read → patch → decode → replace
 *   apply           read → merge → decode → replace
 *   delete          read → decide → mark or remove   (delete.ts)
 *
 *   insert          identity → defaults → managers → admission → prepare → validation → policy → commit
 *   replace         identity → defaults → managers → admission → preconditions → prepare → validation → policy → commit
 *
 * Admission and policy include webhooks, if any are configured (governed.ts). A stage that needs the answer of a webhook
 * leaves the pipeline; the request runs again from the beginning when the answer is there (attempt.ts).
 */

/** POST of an object. */
export function createObject(backend: Backend, kind: Kind, call: CreateCall, caller: Caller): Outcome {
  const { object, fieldValidation } = call
  const sending = writeContextOf(backend, caller, call)
  const decoded = part(sending.parts, 'decoded', [kind, object], () => decodeObject(kind, object, fieldValidation))
  if (isFailure(decoded)) return decoded
  const context = withSentErrors(kind, object, sending, true)
  return withWarnings(insertObject(backend, kind, decoded.object, call.namespace, context), decoded.warnings)
}

/** PUT of an object or of a subresource that has the form of the object, such as `status`. */
export function updateObject(backend: Backend, kind: Kind, call: UpdateCall, caller: Caller): Outcome {
  const { name, namespace, object } = call
  const mismatch = nameMismatch(kind, object, call)
  if (mismatch !== undefined) {
    const decoded = decodeObject(kind, object, call.fieldValidation)
    return isFailure(decoded) ? decoded : withWarnings(mismatch, decoded.warnings)
  }
  const isCreatable = kind.strategy.createOnUpdate === true && call.subresource === undefined
  return changeObject(backend, kind, {
    source: 'put',
    name,
    namespace,
    context: writeContextOf(backend, caller, call),
    change: () => object,
    createFrom: () => (isCreatable ? object : undefined),
  })
}

/** PATCH of an object: JSON patch, merge patch, strategic merge patch, or apply. */
export function patchObject(backend: Backend, kind: Kind, call: PatchCall, caller: Caller): Outcome {
  const { name, namespace, patch } = call
  if (patch.kind === 'apply') return applyObject(backend, kind, call, patch, caller)
  const context = writeContextOf(backend, caller, call)
  const key = storeKey(kind, namespace, name)
  const update = conditionMessageUpdate(kind, patch, () => backend.store.get(kind.storage, key), context)
  if (update !== undefined) return commitUpdate(backend, kind, key, update.object, update.stored)
  return changeObject(backend, kind, {
    source: patch.kind === 'strategic' ? 'strategic' : 'patch',
    name,
    namespace,
    context,
    change: (old) => patchedObject(kind, old, patch),
    decodeFailure: (patched, reason) => patchedDecodeFailure(kind, patch, patched, reason),
  })
}

/** PATCH with an apply configuration: creates the object, or merges the configuration by the owners of the fields. */
function applyObject(backend: Backend, kind: Kind, call: PatchCall, patch: ApplyPatch, caller: Caller): Outcome {
  const { name, namespace } = call
  const config = patch.object as unknown as KubeObject
  const refused = configFailure(kind, call, config)
  if (refused !== undefined) return refused
  const context = writeContextOf(backend, caller, call)
  const metadata = namespace === undefined ? { name } : { name, namespace }
  const created = (): KubeObject | undefined => {
    if (call.subresource !== undefined) return undefined
    const empty = { apiVersion: kind.apiVersion, kind: kind.kind, metadata }
    const object = part(context.parts, 'created', [kind], () => appliedTo(empty, kind, patch, name, context))
    return isFailure(object) ? undefined : object
  }
  return changeObject(backend, kind, {
    source: 'apply',
    name,
    namespace,
    context,
    change: (old) => appliedTo(old, kind, patch, name, context),
    createFrom: created,
    decodeFailure: kind.shape === undefined ? undefined : (_, reason) => conversionFailure(kind, config, reason),
  })
}

/** DELETE of an object. */
export function deleteObject(backend: Backend, kind: Kind, call: DeleteCall, caller: Caller): Outcome {
  const invalidCall = optionsFailure(call.options, backend.release, 'delete')
  if (invalidCall !== undefined) return invalidCall
  const stored = backend.store.get(kind.storage, storeKey(kind, call.namespace, call.name))
  if (stored === undefined) return notFound(kind.resource, call.name)
  const refused =
    protectionFailure(backend, kind, call.name) ?? unsafeFailure(kind, stored, call.options, backend.release)
  if (refused !== undefined) return refused
  const check = deletionCheck(backend, kind, call, caller)
  return removeObject(backend, kind, { object: stored, options: call.options, dryRun: call.dryRun === true, check })
}

/** The check of a deletion by webhooks, policies and NodeRestriction. */
function deletionCheck(
  backend: Backend,
  kind: Kind,
  { verb, options, dryRun }: DeleteCall | DeleteCollectionCall,
  caller: Caller,
): ((object: KubeObject) => Failure | undefined) | undefined {
  const { dynamic, store, release, guard } = backend
  const restrictsNodes = backend.options.restrictsNodes === true
  if (dynamic === undefined && !restrictsNodes) return undefined
  const isCollection = verb === 'deletecollection'
  return (object) => {
    const { name, namespace = '' } = object.metadata
    const place = { kind, caller, name, namespace, subresource: '', old: object, store, release, guard }
    const restricted = restrictsNodes ? nodeRestriction({ ...place, operation: 'DELETE' }) : undefined
    if (restricted !== undefined || dynamic === undefined) return restricted
    return deletionRefusal(dynamic, kind, caller, servedForm(kind, object), options, dryRun === true, isCollection)
  }
}

/** DELETE of the objects that a list with the same options returns. */
export function deleteCollection(backend: Backend, kind: Kind, call: DeleteCollectionCall, caller: Caller): Outcome {
  const invalidCall = optionsFailure(call.options, backend.release, 'deletecollection')
  if (invalidCall !== undefined) return invalidCall
  const progress = collectionProgress(backend, kind, call)
  if ('ok' in progress) return progress
  const { listed, items } = progress
  const { options, dryRun = false } = call
  const check = deletionCheck(backend, kind, call, caller)
  for (; progress.next < listed.length; progress.next++) {
    const item = listed[progress.next] as KubeObject
    const stored = backend.store.get(kind.storage, keyOfObject(kind, item))
    if (stored !== undefined) {
      const outcome = removeObject(backend, kind, { object: stored, options, dryRun, check })
      if (!outcome.ok) return outcome
      items.push(outcome.kind === 'object' ? outcome.object : item)
    }
  }
  return { ok: true, kind: 'list', items, resourceVersion: String(backend.store.revision) }
}

interface CollectionProgress {
  readonly listed: readonly KubeObject[]
  next: number
  readonly items: KubeObject[]
}

/** The objects to delete. A request that waited for webhooks continues where it stopped. */
function collectionProgress(backend: Backend, kind: Kind, call: DeleteCollectionCall): CollectionProgress | Outcome {
  const { attempt } = backend
  if (attempt?.progress !== undefined) return attempt.progress as CollectionProgress
  const listed = listObjects(backend, kind, { ...call, verb: 'list' })
  if (!listed.ok || listed.kind !== 'list') return listed
  const progress: CollectionProgress = { listed: listed.items, next: 0, items: [] }
  if (attempt !== undefined) attempt.progress = progress
  return progress
}

/** A request to change the stored object. */
export interface ChangeRequest {
  readonly source: 'put' | 'patch' | 'strategic' | 'apply'
  /** The name and namespace in the path. */
  readonly name: string
  readonly namespace: string | undefined
  readonly context: WriteContext
  /** Computes the object that the client requests, in its served form. */
  readonly change: (old: KubeObject) => KubeObject | Failure
  /** The object to create if none is stored. Absent: NotFound. */
  readonly createFrom?: () => KubeObject | undefined
  /** The answer if the changed object cannot be decoded. Absent: the answer for a request body. */
  readonly decodeFailure?: DecodeFailure | undefined
  /** The view of the object for webhooks and policies. Absent: the object itself. */
  readonly lens?: Lens
}

/** The common part of PUT and PATCH: read → change → decode → replace. */
export function changeObject(backend: Backend, kind: Kind, request: ChangeRequest): Outcome {
  const { context } = request
  const key = storeKey(kind, request.namespace, request.name)
  const stored = backend.store.get(kind.storage, key)
  if (stored === undefined) {
    const createFrom = request.createFrom?.()
    if (createFrom === undefined) return notFound(kind.resource, request.name)
    return createByChange(backend, kind, request, createFrom)
  }
  const { parts } = context
  const served = servedForm(kind, stored)
  const old = parts === undefined ? served : parts.steady('old', served)
  const sent = request.source === 'put' ? request.change(old) : part(parts, 'changed', [old], () => request.change(old))
  if (isFailure(sent)) return sent
  const excess = request.source === 'put' ? undefined : excessOf(sent, old)
  if (excess !== undefined) return excess
  const isPlain = old === stored && context.dynamic === undefined
  const withStatus = isPlain ? statusOnlyUpdate(kind, sent, stored, context) : undefined
  if (withStatus !== undefined) return commitStatus(backend, kind, key, withStatus, stored)
  const paths = request.source === 'strategic' ? 'without-keys' : undefined
  const decoded = part(parts, 'decoded', [kind, sent, old], () =>
    decodeObject(kind, sent, context.fieldValidation, old, request.decodeFailure, paths),
  )
  if (isFailure(decoded)) return decoded
  const ofSent = withSentErrors(kind, sent, context, false)
  const checked = ofSent === context ? request : { ...request, context: ofSent }
  const outcome =
    nameMismatch(kind, decoded.object, request) ?? replaceObject(backend, kind, checked, decoded.object, old, stored)
  return withWarnings(outcome, decoded.warnings)
}

/** A patch cannot make an object larger than a body may be. */
function excessOf(sent: KubeObject, old: KubeObject): Failure | undefined {
  if (sent === old) return undefined
  const problem = grownValueProblem(withoutManagers(sent), withoutManagers(old))
  if (problem === undefined) return undefined
  return failure('RequestEntityTooLarge', `Request entity too large: the patched object ${problem}`)
}

const withoutManagers = (object: KubeObject): KubeObject => {
  const { managedFields: _, ...metadata } = object.metadata ?? {}
  return { ...object, metadata: metadata as KubeObject['metadata'] }
}

/** A PUT or an apply of an object that does not exist. */
function createByChange(backend: Backend, kind: Kind, request: ChangeRequest, createFrom: KubeObject): Outcome {
  const { name, namespace, context } = request
  const mismatch = nameMismatch(kind, createFrom, request)
  if (mismatch !== undefined) return mismatch
  const { resourceVersion: _, uid: __, ...metadata } = createFrom.metadata ?? {}
  const unversioned = { ...createFrom, metadata: { ...metadata, name } }
  const decoded = part(context.parts, 'decoded', [kind, createFrom], () =>
    decodeObject(kind, unversioned, context.fieldValidation),
  )
  if (isFailure(decoded)) return decoded
  const checked = withSentErrors(kind, unversioned, context, true)
  return withWarnings(insertObject(backend, kind, decoded.object, namespace, checked, name), decoded.warnings)
}

/** A write of a subresource does not contain the lists that are checked as sent. */
function withSentErrors(kind: Kind, sent: KubeObject, context: WriteContext, isNew: boolean): WriteContext {
  if (context.subresource !== undefined) return context
  const sentErrors = emptyListErrors(kind.resource, sent, kind.release, isNew)
  return sentErrors.length === 0 ? context : { ...context, sentErrors }
}

/** The stages of a create after decoding. `pathName` is set if a PUT or a PATCH creates the object. */
function insertObject(
  backend: Backend,
  kind: Kind,
  sent: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
  pathName?: string,
): Outcome {
  const { parts } = context
  const identified = assignIdentity(kind, sent, namespace, context)
  if (isFailure(identified)) return identified
  const named = parts === undefined ? identified : parts.steady('identified', identified)
  const defaulted = part(parts, 'defaulted', [kind, named], () => withDefaults(kind, named))
  // Before admission: a client owns the fields it sent, and no manager owns what admission adds.
  let object: KubeObject | Failure = part(parts, 'managed', [kind, defaulted], () =>
    recordManagers(kind, defaulted, undefined, context),
  )
  const refused = namespaceRefusal(kind, object, context)
  if (refused !== undefined) return refused
  object = mutate({ kind, object, context })
  if (isFailure(object)) return object
  if (context.dynamic !== undefined) {
    const builtin = (one: KubeObject) => mutate({ kind, object: one, context })
    object = governCreate(kind, object, sent, { pathName, namespace }, context, builtin)
    if (isFailure(object)) return object
  }
  const { guard } = context
  const guarded = guard === undefined ? undefined : { kind, caller: context.caller, namespace, name: pathName, object }
  const escalation = guarded === undefined ? undefined : guard?.escalation(guarded)
  if (escalation !== undefined) return escalation
  const prepared = prepareCreate(kind, object, context)
  if (isFailure(prepared)) return prepared
  const whole = parts === undefined ? prepared : parts.steady('prepared', prepared)
  object = whole
  const found = part(parts, 'checked', [kind, whole], () => creationErrors(kind, whole))
  const errors = joined(denials(kind, object, undefined, context), found)
  if (errors.length > 0) {
    const failure = invalidObject(kind.kind, kind.storage, object.metadata.name, errors)
    return withWarnings(failure, warningsOfRefused(kind, object))
  }
  const warnings = warningsFor(kind, object, undefined, context)
  const uncreatable = pathName === undefined || guarded === undefined ? undefined : guard?.creation(guarded)
  if (uncreatable !== undefined) return withWarnings(uncreatable, warnings)
  const charges = checkPolicy(kind, object, undefined, context)
  if (isFailure(charges)) return withWarnings(charges, warnings)
  const outcome = context.dryRun
    ? dryRunCreate(backend, kind, object)
    : (versionOnCreate(sent) ?? commitCreate(backend, kind, object, charges))
  return withWarnings(outcome, warnings)
}

/** Stage of a create: what the kind allocates, drops and sets. */
function prepareCreate(kind: Kind, object: KubeObject, context: WriteContext): KubeObject | Failure {
  const { allocate, createsStatus, prepareCreate: prepare } = kind.strategy
  const allocated = allocate === undefined ? object : allocate(object, context)
  if (isFailure(allocated)) return allocated
  const created = createsStatus === true ? allocated : dropStatus(kind, allocated)
  return withoutDisabledFields(kind, prepare === undefined ? created : prepare(created, context))
}

/** The stages of a change after decoding. `old` is the stored object in its served form. */
function replaceObject(
  backend: Backend,
  kind: Kind,
  request: ChangeRequest,
  sent: KubeObject,
  old: KubeObject,
  stored: KubeObject,
): Outcome {
  const { name, namespace, context } = request
  const recording = recordingOf(request)
  const { parts } = context
  const { begun, uid } = part(parts, 'defaulted', [kind, sent, old], () => begunChange(kind, request, sent, old))
  const record = (one: KubeObject) =>
    part(parts, 'managed', [kind, one, old], () => recordManagers(kind, one, old, context))
  let object: KubeObject | Failure = begun
  if (recording === 'before admission') object = record(object)
  object = mutate({ kind, object, old, context })
  if (isFailure(object)) return object
  if (context.dynamic !== undefined) {
    const builtin = (one: KubeObject) => mutate({ kind, object: one, old, context })
    object = governUpdate(kind, object, sent, old, request, context, builtin, request.lens)
    if (isFailure(object)) return object
    object = keepReadOnlyFields(kind, object, old, context)
  }
  const refused = preconditionFailure(kind, request, sent, old)
  if (refused !== undefined) return refused
  object = allocateAgain(kind, object, old, context)
  if (isFailure(object)) return object
  object = prepareUpdate(kind, object, old, context)
  if (parts !== undefined) object = parts.steady('prepared', object)
  if (recording === 'after preparation') object = record(object)
  const errors = changeErrors(kind, object, old, uid, context)
  if (errors.length > 0) return invalidObject(kind.kind, kind.storage, name, errors)
  const warnings = warningsFor(kind, object, old, context)
  const charges = checkPolicy(kind, object, old, context, request.lens)
  if (isFailure(charges)) return withWarnings(charges, warnings)
  if (deepEqual(object, old)) return withWarnings({ ok: true, kind: 'object', object: old }, warnings)
  if (context.dryRun) {
    return withWarnings({ ok: true, kind: 'object', object: inStoredOrder(backend, kind, object, old) }, warnings)
  }
  return withWarnings(commitUpdate(backend, kind, storeKey(kind, namespace, name), object, stored, charges), warnings)
}

/** The beginning of a change: identity, defaults, and what cannot be written. `uid` is the one that the client wants. */
function begunChange(kind: Kind, { source, name, context }: ChangeRequest, sent: KubeObject, old: KubeObject) {
  const kept = keepIdentity(kind, sent, old, name)
  const defaulted = withDefaults(kind, source === 'put' ? kept : withPatchedUid(kept, sent))
  return { begun: keepReadOnlyFields(kind, defaulted, old, context), uid: defaulted.metadata.uid }
}

/**
 * When a change updates managedFields. An apply has already updated them. The fields that a subresource other than
 * `status` writes are known only after its strategy has prepared the object.
 */
function recordingOf({ source, context: { subresource } }: ChangeRequest) {
  if (source === 'apply') return 'done'
  return subresource === undefined || subresource === 'status' ? 'before admission' : 'after preparation'
}

/** Stage of a change: the uid and the version that the client sends, and the rights that the object needs. */
function preconditionFailure(kind: Kind, request: ChangeRequest, sent: KubeObject, old: KubeObject) {
  const { name, namespace, context } = request
  const uid = request.source === 'put' ? uidConflict(kind, sent, old, name) : undefined
  if (uid !== undefined) return uid
  const { caller, guard } = context
  if (guard !== undefined) {
    const object = part(context.parts, 'guarded', [kind, sent], () => withDefaults(kind, sent))
    const escalation = guard.escalation({ kind, caller, namespace, name, old, object })
    if (escalation !== undefined) return escalation
  }
  return versionConflict(kind, sent, old, name)
}

/** Stage of a change: what the kind allocates, such as the node ports of a service. */
function allocateAgain(kind: Kind, object: KubeObject, old: KubeObject, context: WriteContext): KubeObject | Failure {
  const { allocate } = kind.strategy
  if (allocate === undefined || context.subresource !== undefined) return object
  const allocated = allocate(object, context, old)
  return isFailure(allocated) ? allocated : keepReadOnlyFields(kind, allocated, old, context)
}

/** Errors about the rights of the caller, and about the object as it was sent. */
function denials(kind: Kind, object: KubeObject, old: KubeObject | undefined, context: WriteContext) {
  const { sentErrors } = context
  const denied = kind.strategy.authorize?.(object, old, context) ?? noDenials
  return sentErrors === undefined ? denied : joined(denied, sentErrors)
}

const noDenials: readonly FieldError[] = []

function joined(first: readonly FieldError[], second: readonly FieldError[]): readonly FieldError[] {
  return first.length === 0 ? second : [...first, ...second]
}

/**
 * Stage of a change: validation. `uid` is the uid that the client sent; a subresource may have restored the stored uid.
 */
function changeErrors(kind: Kind, object: KubeObject, old: KubeObject, uid: string | undefined, context: WriteContext) {
  const { parts, subresource } = context
  const found = part(parts, 'checked', [kind, object, old], () => updateErrors(kind, object, old, subresource))
  const errors = joined(denials(kind, object, old, context), found)
  const isRestored = uid !== old.metadata.uid && object.metadata.uid === old.metadata.uid
  return isRestored ? [invalid('metadata.uid', uid, 'field is immutable'), ...errors] : errors
}

/** Stage of every write: validating admission and quotas. Returns the writes that charge the quotas. */
function checkPolicy(
  kind: Kind,
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
  lens?: Lens,
): readonly StoreWrite[] | Failure {
  const admission = old === undefined ? { kind, object, context } : { kind, object, old, context }
  const { podSecurity } = context
  const security = podSecurity === undefined ? undefined : podSecurityVerdict(admission, podSecurity)
  if (security !== undefined) for (const [key, value] of security.notes) context.dynamic?.attempt.note(key, value)
  const builtin = admissionRefusal(admission) ?? security?.refused
  return builtin ?? governedRefusal(kind, object, old, context, lens) ?? quotaCharges(admission)
}

// Controllers in the same process do not read warnings.
function warningsFor(kind: Kind, object: KubeObject, old: KubeObject | undefined, context: WriteContext) {
  const { caller, dynamic, podSecurity, subresource, parts } = context
  const warned = () => warningsOf(kind, object, old, subresource)
  const own = caller === inProcessCaller ? noWarnings : part(parts, 'warnings', [kind, object, old], warned)
  if (dynamic === undefined && podSecurity === undefined) return own
  const admission = old === undefined ? { kind, object, context } : { kind, object, old, context }
  const security = podSecurity === undefined ? noWarnings : podSecurityVerdict(admission, podSecurity).warnings
  if (dynamic === undefined) return security.length === 0 ? own : [...own, ...security]
  return [...dynamic.attempt.takeWarnings(), ...own, ...security]
}

const noWarnings: readonly string[] = []
