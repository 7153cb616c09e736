import type { Call, Failure, Outcome, PatchCall, UpdateCall } from '../../api/call.ts'
import { compileLabelSelector, matcherFromMap } from '../../api/label-selector.ts'
import type { JsonObject, KubeObject, LabelSelector, ObjectMeta, StringMap } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { conflict, notFound } from '../../api/status.ts'
import { type Backend, servedForm, storeKey, withWarnings, writeContextOf } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { type DecodedObject, type DecodeFailure, decodeObject } from '../decode/decode-object.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { Kind } from '../kinds/kind.ts'
import { checkMeta } from '../validation/meta.ts'
import { noErrors, type Obj } from '../validation/reader.ts'
import { type ApplyPatch, configFailure, conversionFailure } from '../write/apply.ts'
import { patchedDecodeFailure, patchedObject } from '../write/patch.ts'
import { changeObject, patchObject } from '../write/pipeline.ts'
import { nameMismatch, uidConflict } from '../write/preconditions.ts'

interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number }
  readonly status: { readonly replicas: number; readonly selector?: string }
}

/** Reads and writes the fields of a Scale in an object of the kind. */
export interface ScaleAccess {
  readonly replicas: (object: KubeObject) => number
  readonly observed: (object: KubeObject) => number
  readonly selector: (object: KubeObject) => string
  readonly withReplicas: (object: KubeObject, replicas: number) => KubeObject
}

interface Scalable extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector | StringMap }
  readonly status?: { readonly replicas?: number }
}

const workloads: ScaleAccess = {
  replicas: (object) => (object as Scalable).spec?.replicas ?? 0,
  observed: (object) => (object as Scalable).status?.replicas ?? 0,
  selector: (object) => {
    const compiled = compileLabelSelector((object as Scalable).spec?.selector as LabelSelector | undefined)
    return compiled.ok ? compiled.value.toString() : ''
  },
  withReplicas: (object, replicas) => ({ ...object, spec: { ...(object as Scalable).spec, replicas } }) as KubeObject,
}

const replicationControllers: ScaleAccess = {
  ...workloads,
  selector: (object) => matcherFromMap((object as Scalable).spec?.selector as StringMap | undefined).toString(),
}

function accessOf(kind: Kind): ScaleAccess {
  return kind.scale ?? (kind.resource === 'replicationcontrollers' ? replicationControllers : workloads)
}

function scaleOf(kind: Kind, object: KubeObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const access = accessOf(kind)
  const replicas = access.replicas(object)
  const selector = access.selector(object)
  const metadata: Partial<Record<keyof ObjectMeta, unknown>> = {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
  }
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: metadata as unknown as ObjectMeta,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: access.observed(object), ...(selector === '' ? {} : { selector }) },
  }
}

const scaleKinds = new WeakMap<Kind, Kind>()

/** The Scale of a kind as a kind, so that a Scale is decoded as any other object. */
function scaleKindOf(kind: Kind): Kind {
  const known = scaleKinds.get(kind)
  if (known !== undefined) return known
  const { custom: _, ...own } = kind
  const shape = kind.release.api.types.get('autoscaling.Scale')
  const identity = { kind: 'Scale', apiVersion: 'autoscaling/v1', group: 'autoscaling', version: 'v1' }
  const made: Kind = { ...own, ...identity, ...(shape === undefined ? {} : { shape }) }
  scaleKinds.set(kind, made)
  return made
}

/** GET, PUT and PATCH of the scale subresource, which changes the number of replicas only. */
export function scaleCall(backend: Backend, kind: Kind, call: Call, caller: Caller): Outcome | undefined {
  if (call.verb !== 'get' && call.verb !== 'update' && call.verb !== 'patch') return undefined
  const stored = backend.store.get(kind.storage, storeKey(kind, call.namespace, call.name))
  if (stored === undefined) return notFound(kind.resource, call.name)
  const served = servedForm(kind, stored)
  const present = scaleOf(kind, served)
  if (call.verb === 'get') return { ok: true, kind: 'object', object: present }
  const sent = call.verb === 'update' ? sentScale(kind, call) : patchedScale(kind, call, present)
  if (isFailure(sent)) return sent
  const scale = sent.object as Scale
  const refused = nameMismatch(kind, scale, call) ?? scaleFailure(kind, call, scale, served)
  const outcome =
    call.verb === 'patch' && call.patch.kind === 'apply'
      ? applyReplicas(backend, kind, call, call.patch, scale, caller, refused)
      : (refused ?? changeReplicas(backend, kind, call, scale, caller))
  const shown: Outcome =
    outcome.ok && outcome.kind === 'object' ? { ...outcome, object: scaleOf(kind, outcome.object) } : outcome
  return withWarnings(shown, sent.warnings)
}

function sentScale(kind: Kind, { object, fieldValidation }: UpdateCall): DecodedObject | Failure {
  return decodeObject(scaleKindOf(kind), object, fieldValidation)
}

function patchedScale(kind: Kind, call: PatchCall, present: Scale): DecodedObject | Failure {
  const scaleKind = scaleKindOf(kind)
  const { patch, fieldValidation } = call
  if (patch.kind === 'apply') return appliedScale(scaleKind, call, patch.object as unknown as KubeObject)
  const patched = patchedObject(scaleKind, present, patch)
  if (isFailure(patched)) return patched
  const paths = patch.kind === 'strategic' ? 'without-keys' : undefined
  const refuse: DecodeFailure = (object, why) => patchedDecodeFailure(scaleKind, patch, object, why)
  return decodeObject(scaleKind, patched, fieldValidation, undefined, refuse, paths)
}

/** The configuration. It need not have a name. */
function appliedScale(scaleKind: Kind, call: PatchCall, config: KubeObject): DecodedObject | Failure {
  const refused = configFailure(scaleKind, call, config)
  if (refused !== undefined) return refused
  const name = config.metadata?.name || call.name
  const named = { spec: {}, ...config, metadata: { ...config.metadata, name } } as KubeObject
  const refuse: DecodeFailure = (_, why) => conversionFailure(scaleKind, config, why)
  return decodeObject(scaleKind, named, call.fieldValidation, undefined, refuse)
}

/** Why the Scale cannot be written (ValidateScale; v1.37 no longer checks metadata, which is not written). */
function scaleFailure(kind: Kind, call: UpdateCall | PatchCall, scale: KubeObject, old: KubeObject) {
  const uid = call.verb === 'update' ? uidConflict(kind, scale, old, call.name) : undefined
  if (uid !== undefined || kind.custom !== undefined) return uid
  const errors = noErrors(kind.release)
  const { namespace } = call
  // Invalid records of managers are ignored, as in every write.
  const { managedFields: _, ...sent } = scale.metadata
  const metadata = { ...sent, ...(namespace === undefined ? {} : { namespace }) } as unknown as Obj
  if (!atLeast(kind.release, '1.37')) checkMeta(errors, metadata, { namespaced: true, name: 'subdomain' })
  const replicas = (scale as Scale).spec?.replicas ?? 0
  if (replicas < 0) errors.push(invalid('spec.replicas', replicas, 'must be greater than or equal to 0'))
  if (errors.length > 0) return invalidObject('Scale', 'scales.autoscaling', call.name, errors)
  const wanted = scale.metadata?.uid ?? ''
  if (wanted === '' || wanted === old.metadata.uid) return undefined
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${old.metadata.uid ?? ''}`
  return conflict(subresourceOf(kind), call.name, why)
}

const subresourceOf = ({ plural, group }: Kind): string => `${plural}/scale${group === '' ? '' : `.${group}`}`

/** Applies the number of replicas to the object itself, with its own field owner. */
function applyReplicas(
  backend: Backend,
  kind: Kind,
  call: PatchCall,
  patch: ApplyPatch,
  { metadata: { resourceVersion }, spec }: Scale,
  caller: Caller,
  refused: Failure | undefined,
): Outcome {
  const { name, namespace } = call
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  const empty = { apiVersion: kind.apiVersion, kind: kind.kind, metadata } as KubeObject
  // Decoding drops an explicit zero.
  const isWished = Object.hasOwn((patch.object['spec'] ?? {}) as object, 'replicas')
  const replicas = isWished ? (spec.replicas ?? 0) : undefined
  const config = replicas === undefined ? empty : accessOf(kind).withReplicas(empty, replicas)
  const applied = { ...patch, object: config as unknown as JsonObject }
  const dryRun = refused === undefined ? call.dryRun : true
  const applying: PatchCall = {
    ...call,
    ...(dryRun === undefined ? {} : { dryRun }),
    subresource: 'scale',
    patch: applied,
  }
  const outcome = patchObject(backend, kind, applying, caller)
  if (outcome.ok) return refused ?? outcome
  // Conflicts with other managers are reported before the Scale is checked.
  const hasOwners = outcome.status.details?.causes?.[0]?.reason === 'FieldManagerConflict'
  return hasOwners ? withScaleVersion(kind, outcome) : (refused ?? outcome)
}

/** The conflict names the field of other managers in the version of the Scale. */
function withScaleVersion({ apiVersion }: Kind, refused: Failure): Failure {
  const { status } = refused
  const causes = status.details?.causes ?? []
  const renamed = (text: string | undefined) => text?.replaceAll(` using ${apiVersion}`, ' using autoscaling/v1') ?? ''
  const details = { ...status.details, causes: causes.map((one) => ({ ...one, message: renamed(one.message) })) }
  return { ...refused, status: { ...status, message: renamed(status.message), details } }
}

function changeReplicas(
  backend: Backend,
  kind: Kind,
  call: UpdateCall | PatchCall,
  scale: Scale,
  caller: Caller,
): Outcome {
  const { resourceVersion, uid } = scale.metadata ?? {}
  return changeObject(backend, kind, {
    source: 'put',
    name: call.name,
    namespace: call.namespace,
    context: writeContextOf(backend, caller, { ...call, subresource: 'scale' }),
    lens: {
      show: (object) => scaleOf(kind, object),
      take: (object, changed) => accessOf(kind).withReplicas(object, (changed as Scale).spec?.replicas ?? 0),
    },
    change: (old) => {
      const { resourceVersion: _, uid: __, ...metadata } = old.metadata
      const identity = {
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(uid === undefined || call.verb === 'patch' ? {} : { uid }),
      }
      const scaled = accessOf(kind).withReplicas(old, scale.spec?.replicas ?? 0)
      return { ...scaled, metadata: { ...metadata, ...identity } }
    },
  })
}
