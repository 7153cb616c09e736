import type { Call, Failure, Outcome } from '../../api/call.ts'
import { compileLabelSelector, matcherFromMap } from '../../api/label-selector.ts'
import type { Json, JsonObject, KubeObject, LabelSelector, ObjectMeta, StringMap } from '../../api/objects/meta.ts'
import { shapeOfKind } from '../../api/schema/builtin-schema.ts'
import { notFound } from '../../api/status.ts'
import { contextOf, type Desk, shown, storeKey } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { decode } from '../decode/decode.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { patchedJson } from '../write/patch.ts'
import { rewriteObject } from '../write/pipeline.ts'

interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number }
  readonly status: { readonly replicas: number; readonly selector?: string }
}

/** Where a kind keeps what a Scale shows. */
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

/** GET, PUT and PATCH of the scale subresource: the number of replicas and nothing else. */
export function scaleCall(desk: Desk, kind: Kind, call: Call, caller: Caller): Outcome | undefined {
  if (call.verb !== 'get' && call.verb !== 'update' && call.verb !== 'patch') return undefined
  const stored = desk.store.get(kind.storage, storeKey(kind, call.namespace, call.name))
  if (stored === undefined) return notFound(kind.resource, call.name)
  const present = scaleOf(kind, shown(kind, stored))
  if (call.verb === 'get') return { ok: true, kind: 'object', object: present }
  const wanted = call.verb === 'update' ? call.object : patchedScale(present, call.patch)
  if ('ok' in wanted) return wanted
  const read = readScale(wanted, call.name, kind.custom !== undefined)
  if ('ok' in read) return read
  const { resourceVersion, uid } = read.metadata ?? {}
  const outcome = rewriteObject(desk, kind, {
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    context: { ...contextOf(desk, caller, { ...call, subresource: 'scale' }) },
    change: (existing) => {
      const { resourceVersion: _, uid: __, ...metadata } = existing.metadata
      const identity = {
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(uid === undefined ? {} : { uid }),
      }
      const scaled = accessOf(kind).withReplicas(existing, read.spec.replicas ?? 0)
      return { ...scaled, metadata: { ...metadata, ...identity } }
    },
  })
  return outcome.ok && outcome.kind === 'object' ? { ...outcome, object: scaleOf(kind, outcome.object) } : outcome
}

const scaleShape = shapeOfKind('autoscaling', 'Scale')

function patchedScale(present: Scale, patch: Parameters<typeof patchedJson>[2]): KubeObject | Failure {
  const result = patchedJson(scaleShape, present as unknown as Json as JsonObject, patch)
  return 'ok' in result && result.ok === false ? (result as Failure) : (result as unknown as KubeObject)
}

/** Of custom resources their own validation says what is too few. */
function readScale(sent: KubeObject, name: string, isCustom: boolean): Scale | Failure {
  const decoded = scaleShape === undefined ? undefined : decode(scaleShape, sent)
  if (decoded === undefined || !decoded.ok) {
    const why = decoded?.ok === false ? decoded.message : 'unknown type'
    return invalidObject('Scale', 'scales.autoscaling', name, [invalid('spec', sent, why)])
  }
  const scale = decoded.value as unknown as Scale
  const replicas = scale.spec.replicas ?? 0
  if (replicas >= 0 || isCustom) return scale
  return invalidObject('Scale', 'scales.autoscaling', name, [
    invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ])
}
