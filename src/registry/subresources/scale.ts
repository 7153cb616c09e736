import type { Call, Failure, Outcome, PatchCall } from '../../api/call.ts'
import { compileLabelSelector, matcherFromMap } from '../../api/label-selector.ts'
import type { JsonObject, KubeObject, LabelSelector, ObjectMeta, StringMap } from '../../api/objects/meta.ts'
import { notFound } from '../../api/status.ts'
import { type Backend, servedForm, storeKey, writeContextOf } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { decode } from '../decode/decode.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { Kind } from '../kinds/kind.ts'
import { patchedJson } from '../write/patch.ts'
import { changeObject, patchObject } from '../write/pipeline.ts'

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

/** An apply of a Scale is an apply of the number of replicas to the object itself, with its own owner. */
function applyScale(
  backend: Backend,
  kind: Kind,
  call: PatchCall,
  patch: Extract<PatchCall['patch'], { readonly kind: 'apply' }>,
  caller: Caller,
): Outcome {
  const scale = decodeScale(patch.object as unknown as KubeObject, call.name, kind)
  if (isFailure(scale)) return scale
  const { name } = call
  const metadata = { name, ...(call.namespace === undefined ? {} : { namespace: call.namespace }) }
  const empty = { apiVersion: kind.apiVersion, kind: kind.kind, metadata } as KubeObject
  const { replicas } = scale.spec ?? {}
  const config = replicas === undefined ? empty : accessOf(kind).withReplicas(empty, replicas)
  const applied = { ...patch, object: config as unknown as JsonObject }
  const outcome = patchObject(backend, kind, { ...call, subresource: 'scale', patch: applied }, caller)
  return outcome.ok && outcome.kind === 'object' ? { ...outcome, object: scaleOf(kind, outcome.object) } : outcome
}

/** GET, PUT and PATCH of the scale subresource, which changes the number of replicas only. */
export function scaleCall(backend: Backend, kind: Kind, call: Call, caller: Caller): Outcome | undefined {
  if (call.verb !== 'get' && call.verb !== 'update' && call.verb !== 'patch') return undefined
  const stored = backend.store.get(kind.storage, storeKey(kind, call.namespace, call.name))
  if (stored === undefined) return notFound(kind.resource, call.name)
  if (call.verb === 'patch' && call.patch.kind === 'apply') return applyScale(backend, kind, call, call.patch, caller)
  const present = scaleOf(kind, servedForm(kind, stored))
  if (call.verb === 'get') return { ok: true, kind: 'object', object: present }
  const sent =
    call.verb === 'update' ? call.object : patchedJson(scaleShapeOf(kind), present as unknown as JsonObject, call.patch)
  if (isFailure(sent)) return sent
  const scale = decodeScale(sent as unknown as KubeObject, call.name, kind)
  if (isFailure(scale)) return scale
  const { resourceVersion, uid } = scale.metadata ?? {}
  const outcome = changeObject(backend, kind, {
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
        ...(uid === undefined ? {} : { uid }),
      }
      const scaled = accessOf(kind).withReplicas(old, scale.spec.replicas ?? 0)
      return { ...scaled, metadata: { ...metadata, ...identity } }
    },
  })
  return outcome.ok && outcome.kind === 'object' ? { ...outcome, object: scaleOf(kind, outcome.object) } : outcome
}

const scaleShapeOf = ({ release }: Kind) => release.api.types.get('autoscaling.Scale')

/** Negative replicas of a custom resource are rejected by its own validation. */
function decodeScale(sent: KubeObject, name: string, kind: Kind): Scale | Failure {
  const scaleShape = scaleShapeOf(kind)
  const decoded = scaleShape === undefined ? undefined : decode(scaleShape, sent)
  if (decoded === undefined || !decoded.ok) {
    const why = decoded?.ok === false ? decoded.message : 'unknown type'
    return invalidObject('Scale', 'scales.autoscaling', name, [invalid('spec', sent, why)])
  }
  const scale = decoded.value as unknown as Scale
  const replicas = scale.spec.replicas ?? 0
  if (replicas >= 0 || kind.custom !== undefined) return scale
  return invalidObject('Scale', 'scales.autoscaling', name, [
    invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ])
}
