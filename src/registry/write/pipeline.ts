import type { CreateCall, Failure, Outcome, UpdateCall } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Json, JsonObject, KubeObject, ManagedFieldsEntry, ObjectMeta } from '../../api/objects/meta.ts'
import { alreadyExists, conflict, failure, notFound, plainError } from '../../api/status.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { StoreRefusal, StoreWrite } from '../../store/contract.ts'
import { finishes } from '../../store/deletion.ts'
import { admissionRefusal, mutate } from '../admission/admission.ts'
import { namespaceRefusal } from '../admission/namespace-lifecycle.ts'
import { quotaCharges } from '../admission/resource-quota.ts'
import { asStored, contextOf, type Desk, insider, shown, storeKey, withWarnings } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { finishDefinition } from '../custom/definition-strategy.ts'
import { decodeObject, type Unreadable, withDefaults } from '../decode/decode-object.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { setOwn } from '../patch/merge-patch.ts'
import { creationErrors, updateErrors } from '../validation/validate.ts'
import { warningsOf, warningsOfRefused } from '../warnings/warnings.ts'
import { tracked } from './apply.ts'
import { prepareUpdate, withOldIdentity, withoutStatus, writable } from './prepare.ts'
import { withStatusAlone } from './status-update.ts'

const namespaceMismatch = 'the namespace of the provided object does not match the namespace sent on the request'

export function createObject(desk: Desk, kind: Kind, call: CreateCall, caller: Caller): Outcome {
  const decoded = decodeObject(kind, call.object, call.fieldValidation)
  if ('ok' in decoded) return decoded
  const outcome = insertObject(desk, kind, decoded.object, call.namespace, contextOf(desk, caller, call))
  return withWarnings(outcome, decoded.warnings)
}

/** Everything that a POST does to a decoded object, up to and including the write. */
export function insertObject(
  desk: Desk,
  kind: Kind,
  sent: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
  /** The name in the path of a PUT or PATCH that creates. */
  updatedName?: string,
): Outcome {
  const { strategy } = kind
  const named = withIdentity(kind, sent, namespace, context)
  if ('ok' in named) return named
  let object = withDefaults(kind, named)
  // Who owns what is settled on what was sent: what admission and the server add belongs to nobody.
  object = tracked(kind, undefined, object, context)
  const refused = namespaceRefusal(kind, object, context)
  if (refused !== undefined) return refused
  const mutated = mutate({ kind, object, context })
  if (isFailure(mutated)) return mutated
  object = mutated
  const write = { kind, caller: context.caller, namespace, name: updatedName, object }
  const escalated = context.guard?.escalation(write)
  if (escalated !== undefined) return escalated
  if (strategy.allocate !== undefined) {
    const allocated = strategy.allocate(object, context)
    if (isFailure(allocated)) return allocated
    object = allocated
  }
  if (strategy.createsStatus !== true) object = withoutStatus(kind, object)
  if (strategy.prepareCreate !== undefined) object = strategy.prepareCreate(object, context)
  const errors = creationErrors(kind, object)
  if (errors.length > 0) {
    const refusal = invalidObject(kind.kind, kind.storage, object.metadata.name, errors)
    return withWarnings(refusal, warningsOfRefused(kind, object))
  }
  const warnings = warningsFor(kind, object, undefined, context)
  const uncreatable = updatedName === undefined ? undefined : context.guard?.creation(write)
  if (uncreatable !== undefined) return withWarnings(uncreatable, warnings)
  const forbidden = admissionRefusal({ kind, object, context })
  if (forbidden !== undefined) return withWarnings(forbidden, warnings)
  const charges = quotaCharges({ kind, object, context })
  if ('ok' in charges) return withWarnings(charges, warnings)
  return withWarnings(settleCreate(desk, kind, object, sent, charges, context), warnings)
}

// Controllers in the same process read no warnings.
function warningsFor(kind: Kind, object: KubeObject, old: KubeObject | undefined, context: WriteContext) {
  return context.caller === insider ? none : warningsOf(kind, object, old, context.subresource)
}

const none: readonly string[] = []

function settleCreate(
  desk: Desk,
  kind: Kind,
  object: KubeObject,
  sent: KubeObject,
  charges: readonly StoreWrite[],
  context: WriteContext,
): Outcome {
  if (context.dryRun) {
    const key = storeKey(kind, object.metadata.namespace, object.metadata.name)
    if (desk.store.get(kind.storage, key) !== undefined) return alreadyExists(kind.resource, object.metadata.name)
    return { ok: true, kind: 'object', object, created: true }
  }
  if (isVersion(sent.metadata?.resourceVersion)) {
    return plainError('resourceVersion should not be set on objects to be created')
  }
  return commitCreate(desk, kind, object, charges)
}

/** storage/etcd3, Create: what strconv.ParseUint does not read is ignored, as 0 is. */
function isVersion(version: string | undefined): boolean {
  if (version === undefined || !/^\d+$/.test(version)) return false
  const digits = version.replace(/^0+/, '')
  return digits !== '' && digits.length <= 20 && BigInt(digits) < 1n << 64n
}

function commitCreate(desk: Desk, kind: Kind, object: KubeObject, charges: readonly StoreWrite[]): Outcome {
  const key = storeKey(kind, object.metadata.namespace, object.metadata.name)
  const stored = asStored(desk, kind, object)
  // A new object has metadata of its own from the start (newMetadata).
  const write: StoreWrite = { kind: 'create', resource: kind.storage, key, object: stored, isOwn: true }
  const result = desk.store.commit(charges.length === 0 ? [write] : [write, ...charges])
  if (!result.ok) return refusalOf(kind, object.metadata.name, result.refusal)
  const after = result.changes[0]?.after ?? object
  return { ok: true, kind: 'object', object: shown(kind, after), created: true }
}

function withIdentity(
  kind: Kind,
  sent: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): KubeObject | Failure {
  const given: Partial<ObjectMeta> = sent.metadata ?? {}
  const asked = namespace ?? ''
  const own = given.namespace ?? ''
  if (kind.namespaced && asked !== '' && own !== '' && asked !== own) return failure('BadRequest', namespaceMismatch)
  const metadata = newMetadata(kind, given, own === '' ? asked : own, context)
  // What is stored in another form is made anew for that, so here its order does not matter.
  if (kind.toStorage !== undefined && !context.dryRun) {
    return { ...sent, kind: kind.kind, apiVersion: kind.apiVersion, metadata }
  }
  return inFrontOf(sent, kind, metadata)
}

/** The rest of what was sent behind what Go writes first, so that nothing has to be moved later. */
function inFrontOf(sent: KubeObject, { kind, apiVersion }: Kind, metadata: ObjectMeta): KubeObject {
  const given = sent as unknown as JsonObject
  let object: KubeObject | undefined
  for (const name in given) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue
    if (object === undefined && name === 'spec') {
      object = { kind, apiVersion, metadata, spec: given['spec'] } as KubeObject
      continue
    }
    object ??= { kind, apiVersion, metadata }
    setOwn(object as unknown as Record<string, Json>, name, given[name] as Json)
  }
  return object ?? { kind, apiVersion, metadata }
}

type MutableMeta = { -readonly [K in keyof ObjectMeta]: ObjectMeta[K] }

/**
 * What a client may say about a new object's identity; everything else is the server's to say. In the order in which Go
 * writes it, with room for the version that the store gives.
 */
function newMetadata(kind: Kind, given: Partial<ObjectMeta>, namespace: string, context: WriteContext): ObjectMeta {
  const { name: own = '', generateName } = given
  const isDrawn = own === '' && generateName !== undefined && generateName !== ''
  const name = isDrawn ? freeName(kind, generateName, namespace, context) : own
  const { generation: counts } = kind.strategy
  const isCounted = counts !== undefined && counts !== 'spec-once-changed'
  const metadata = identityOf(
    kind,
    { name, generateName, namespace, generation: isCounted ? 1 : given.generation },
    context,
  )
  const { labels, annotations, ownerReferences, finalizers, managedFields } = given
  if (labels !== undefined) metadata.labels = labels
  if (annotations !== undefined) metadata.annotations = annotations
  if (ownerReferences !== undefined) metadata.ownerReferences = ownerReferences
  if (finalizers !== undefined) metadata.finalizers = finalizers
  // A record that cannot be read is begun anew.
  if (managedFields?.every(isReadable) === true) metadata.managedFields = managedFields
  return metadata
}

interface Identity {
  readonly name: string
  readonly generateName: string | undefined
  readonly namespace: string
  readonly generation: number | undefined
}

/**
 * The members that are made most often are written out: an object that gets one after the other is moved as it grows, and
 * lies in two pieces for as long as it lives.
 */
function identityOf(kind: Kind, identity: Identity, { random, dryRun, now }: WriteContext): MutableMeta {
  const { name, generateName, namespace, generation } = identity
  const uid = random.stream('uid').uuid()
  if (kind.namespaced && !dryRun) {
    if (generation === undefined) {
      if (generateName === undefined) return { name, namespace, uid, resourceVersion: '', creationTimestamp: now }
    } else if (generateName === undefined) {
      return { name, namespace, uid, resourceVersion: '', generation, creationTimestamp: now }
    } else return { name, generateName, namespace, uid, resourceVersion: '', generation, creationTimestamp: now }
  }
  const metadata: MutableMeta = { name }
  if (generateName !== undefined) metadata.generateName = generateName
  if (kind.namespaced) metadata.namespace = namespace
  metadata.uid = uid
  if (!dryRun) metadata.resourceVersion = ''
  if (generation !== undefined) metadata.generation = generation
  metadata.creationTimestamp = now
  return metadata
}

function isReadable({ operation, fieldsType }: ManagedFieldsEntry): boolean {
  return (operation === 'Apply' || operation === 'Update') && fieldsType === 'FieldsV1'
}

const maxGeneratedPrefix = 63 - 5

function generatedName(prefix: string, context: WriteContext): string {
  const base = prefix.length > maxGeneratedPrefix ? prefix.slice(0, maxGeneratedPrefix) : prefix
  return base + context.random.stream('generate-name').alphanumeric(5)
}

// v1.36, apiserver registry/generic: so often a name is made up anew before a collision is told.
const maxNameDraws = 8

function freeName(kind: Kind, prefix: string, namespace: string | undefined, context: WriteContext): string {
  let name = generatedName(prefix, context)
  for (let draw = 1; draw < maxNameDraws; draw++) {
    if (context.store.get(kind.storage, storeKey(kind, namespace, name)) === undefined) break
    name = generatedName(prefix, context)
  }
  return name
}

export function updateObject(desk: Desk, kind: Kind, call: UpdateCall, caller: Caller): Outcome {
  const misnamed = misnamedObject(kind, call.object, call)
  if (misnamed !== undefined) {
    const decoded = decodeObject(kind, call.object, call.fieldValidation)
    return 'ok' in decoded ? decoded : withWarnings(misnamed, decoded.warnings)
  }
  const context = contextOf(desk, caller, call)
  return rewriteObject(desk, kind, {
    name: call.name,
    namespace: call.namespace,
    context,
    change: () => call.object,
    createFrom: kind.strategy.createOnUpdate === true && call.subresource === undefined ? call.object : undefined,
  })
}

type Target = { readonly name: string; readonly namespace?: string | undefined }

function misnamedObject(kind: Kind, object: KubeObject, call: Target): Failure | undefined {
  const metadata: Partial<ObjectMeta> = object.metadata ?? {}
  const own = metadata.namespace ?? ''
  if (own !== '' && kind.namespaced && own !== (call.namespace ?? '')) return failure('BadRequest', namespaceMismatch)
  if (!metadata.name) {
    const why = `the name of the object (${call.name} based on URL) was undeterminable: name must be provided`
    return failure('BadRequest', why)
  }
  if (metadata.name === call.name) return undefined
  const why = `the name of the object (${metadata.name}) does not match the name on the URL (${call.name})`
  return failure('BadRequest', why)
}

export interface Rewrite {
  readonly name: string
  readonly namespace?: string | undefined
  readonly context: WriteContext
  /** The object as the caller wants it, in the form the kind shows. */
  readonly change: (existing: KubeObject) => KubeObject | Failure
  /** What to create when there is nothing to rewrite. */
  readonly createFrom?: KubeObject | undefined
  /** How the result of a patch that cannot be read is refused. Absent: it is no patch. */
  readonly unreadable?: Unreadable
  /** Ownership of fields is settled already. */
  readonly isApply?: boolean
}

/** Everything that a PUT or PATCH does, up to and including the write. */
export function rewriteObject(desk: Desk, kind: Kind, rewrite: Rewrite): Outcome {
  const { context } = rewrite
  const key = storeKey(kind, rewrite.namespace, rewrite.name)
  const stored = desk.store.get(kind.storage, key)
  if (stored === undefined) {
    if (rewrite.createFrom === undefined) return notFound(kind.resource, rewrite.name)
    const misnamed = misnamedObject(kind, rewrite.createFrom, rewrite)
    if (misnamed !== undefined) return misnamed
    const { resourceVersion: _, uid: __, ...metadata } = rewrite.createFrom.metadata ?? {}
    const fresh = { ...rewrite.createFrom, metadata: { ...metadata, name: rewrite.name } }
    const decoded = decodeObject(kind, fresh, context.fieldValidation)
    if ('ok' in decoded) return decoded
    const outcome = insertObject(desk, kind, decoded.object, rewrite.namespace, context, rewrite.name)
    return withWarnings(outcome, decoded.warnings)
  }
  const existing = shown(kind, stored)
  const changed = rewrite.change(existing)
  if (isFailure(changed)) return changed
  const settled = existing === stored ? withStatusAlone(kind, changed, stored, context) : undefined
  if (settled !== undefined) return commitStatus(desk, kind, key, settled, stored)
  const decoded = decodeObject(kind, changed, context.fieldValidation, existing, rewrite.unreadable)
  if ('ok' in decoded) return decoded
  const misnamed = misnamedObject(kind, decoded.object, rewrite)
  if (misnamed !== undefined) return withWarnings(misnamed, decoded.warnings)
  const outcome = replaceObject(desk, kind, rewrite, decoded.object, stored)
  return withWarnings(outcome, decoded.warnings)
}

function isFailure(value: KubeObject | Failure): value is Failure {
  return 'ok' in value && value.ok === false
}

function replaceObject(desk: Desk, kind: Kind, rewrite: Rewrite, changed: KubeObject, stored: KubeObject): Outcome {
  const { context } = rewrite
  const existing = shown(kind, stored)
  const old = existing
  const isPatch = rewrite.unreadable !== undefined || rewrite.isApply === true
  const identified = withOldIdentity(kind, changed, existing, rewrite.name)
  const whole = withDefaults(kind, isPatch ? withPatchedUid(identified, changed) : identified)
  // Parts of an object that a subresource writes are told apart only by preparing it.
  const settlesLate = context.subresource !== undefined && context.subresource !== 'status'
  const settles = rewrite.isApply !== true && !settlesLate
  const allowed = settles ? writable(kind, whole, existing, context) : whole
  const owned = settles ? tracked(kind, existing, allowed, context) : whole
  const mutated = mutate({ kind, object: owned, old, context })
  if (isFailure(mutated)) return mutated
  const moved = isPatch ? undefined : otherUid(kind, changed, existing, rewrite.name)
  if (moved !== undefined) return moved
  const escalated = context.guard?.escalation({
    ...{ kind, caller: context.caller, namespace: rewrite.namespace, name: rewrite.name, old },
    object: withDefaults(kind, changed),
  })
  if (escalated !== undefined) return escalated
  const wrong = brokenVersion(kind, changed, existing, rewrite.name)
  if (wrong !== undefined) return wrong
  const allocates = context.subresource === undefined ? kind.strategy.allocate : undefined
  const allocated = allocates === undefined ? mutated : allocates(mutated, context, existing)
  if (isFailure(allocated)) return allocated
  const written = prepareUpdate(kind, allocated, existing, context, settles && allocated === allowed)
  const prepared = rewrite.isApply !== true && settlesLate ? tracked(kind, existing, written, context) : written
  // A subresource may keep the uid whatever is asked for; asked for it was all the same.
  const isMoved = whole.metadata.uid !== existing.metadata.uid && prepared.metadata.uid === existing.metadata.uid
  const found = updateErrors(kind, prepared, existing, context.subresource)
  const errors = isMoved ? [invalid('metadata.uid', whole.metadata.uid, 'field is immutable'), ...found] : found
  if (errors.length > 0) return invalidObject(kind.kind, kind.storage, rewrite.name, errors)
  const warnings = warningsFor(kind, prepared, existing, context)
  const forbidden = admissionRefusal({ kind, object: prepared, old, context })
  if (forbidden !== undefined) return withWarnings(forbidden, warnings)
  const charges = quotaCharges({ kind, object: prepared, old, context })
  if ('ok' in charges) return withWarnings(charges, warnings)
  if (deepEqual(prepared, existing)) return withWarnings({ ok: true, kind: 'object', object: existing }, warnings)
  if (context.dryRun) return withWarnings({ ok: true, kind: 'object', object: prepared }, warnings)
  const key = storeKey(kind, rewrite.namespace, rewrite.name)
  return withWarnings(commitUpdate(desk, kind, key, prepared, stored, charges), warnings)
}

/** Only a PUT states with a uid what it is about; in a patch it is a change of a field, and validated as such. */
function withPatchedUid(object: KubeObject, { metadata }: KubeObject): KubeObject {
  const uid = metadata?.uid
  if (uid === undefined || uid === '' || uid === object.metadata.uid) return object
  return { ...object, metadata: { ...object.metadata, uid } }
}

function commitStatus(desk: Desk, kind: Kind, key: string, object: KubeObject, stored: KubeObject): Outcome {
  const statusOf = (from: KubeObject): unknown => (from as { readonly status?: unknown }).status
  if (deepEqual(statusOf(object), statusOf(stored))) return { ok: true, kind: 'object', object: stored }
  return commitUpdate(desk, kind, key, object, stored)
}

function commitUpdate(
  desk: Desk,
  kind: Kind,
  key: string,
  object: KubeObject,
  before: KubeObject,
  charges: readonly StoreWrite[] = [],
): Outcome {
  const stored = asStored(desk, kind, object, before)
  const version = before.metadata.resourceVersion
  const resource = kind.storage
  if (finishes(before, stored) && kind.strategy.isHeld?.(stored) !== true) {
    const result = desk.store.commit([
      version === undefined ? { kind: 'delete', resource, key } : { kind: 'delete', resource, key, expect: version },
    ])
    if (!result.ok) return refusalOf(kind, object.metadata.name, result.refusal)
    if (kind.custom !== undefined) finishDefinition(desk, kind.resource)
    const last = result.changes[0]?.last
    const resourceVersion = last?.metadata.resourceVersion
    const metadata = resourceVersion === undefined ? object.metadata : { ...object.metadata, resourceVersion }
    return { ok: true, kind: 'object', object: { ...object, metadata } }
  }
  // Metadata that is not what was stored was made for this write, and the object around it too (withOldIdentity).
  const isOwn = stored.metadata !== before.metadata
  const write: StoreWrite =
    version === undefined
      ? { kind: 'update', resource, key, object: stored, isOwn }
      : { kind: 'update', resource, key, object: stored, isOwn, expect: version }
  const result = desk.store.commit(charges.length === 0 ? [write] : [write, ...charges])
  if (!result.ok) return refusalOf(kind, object.metadata.name, result.refusal)
  return { ok: true, kind: 'object', object: shown(kind, result.changes[0]?.after ?? object) }
}

// Where etcd has the objects of kinds that are older than the rule that it is by their plural.
const etcdPlaces = lookupTable<string>({
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  'ingresses.networking.k8s.io': 'ingress',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
})

/** A PUT of another object than the one that is stored under its name. */
function otherUid(kind: Kind, object: KubeObject, existing: KubeObject, name: string): Failure | undefined {
  const uid = object.metadata?.uid
  if (uid === undefined || uid === '' || uid === existing.metadata.uid) return undefined
  const place = etcdPlaces[kind.storage] ?? kind.plural
  const key = `/${place}/${existing.metadata.namespace === undefined ? '' : `${existing.metadata.namespace}/`}${name}`
  const why =
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing.metadata.uid ?? ''}`
  return conflict(kind.resource, name, why)
}

function brokenVersion(kind: Kind, object: KubeObject, existing: KubeObject, name: string): Failure | undefined {
  const { resourceVersion } = object.metadata ?? {}
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (kind.strategy.needsVersion !== true) return undefined
    return invalidObject(kind.plural, kind.resource, name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  if (!/^\d+$/.test(resourceVersion)) {
    return plainError(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`)
  }
  return resourceVersion === existing.metadata.resourceVersion ? undefined : conflict(kind.resource, name)
}

export function refusalOf(kind: Kind, name: string, refusal: StoreRefusal): Failure {
  switch (refusal.kind) {
    case 'exists':
      return alreadyExists(kind.resource, name)
    case 'missing':
      return notFound(kind.resource, name)
    case 'conflict':
      return conflict(kind.resource, name)
    case 'read-only':
      return failure('ServiceUnavailable', refusalText(refusal), { retryAfterSeconds: 1 })
    case 'full':
      // What etcd answers is passed on as it is, without a reason.
      return plainError(refusalText(refusal))
  }
}

const refusalText = ({ message }: StoreRefusal): string => message ?? 'etcdserver: mvcc: database space exceeded'
