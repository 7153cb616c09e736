import type { Patch } from '../../api/call.ts'
import type { KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'
import { layoutOf } from '../../store/stamp.ts'
import { inProcessCaller } from '../backend.ts'
import { decodeField } from '../decode/decode.ts'
import { applyDefaultsTo } from '../defaults/apply-defaults.ts'
import { convertStatus, keepsMetadata } from '../kinds/conversion.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { updateErrors } from '../validation/validate.ts'
import { patchedCondition, settleStatus, withConditionMessage } from './condition-message.ts'
import { withoutDisabledFields } from './prepare.ts'

const fieldsOf = (object: KubeObject): Fields => object as unknown as Fields

/** Kinds whose status updates have no side effects outside the status: no admission, defaults or conversion. */
const statusOnlyKinds: ReadonlySet<string> = new Set([
  'pods',
  'nodes',
  'replicasets.apps',
  'deployments.apps',
  'poddisruptionbudgets.policy',
])

/**
 * Shortcut for a controller in this process that sends back the stored object with a new status: the most frequent write of
 * a running cluster. Only the status is decoded, defaulted and validated. Undefined if the request does anything else or is
 * invalid; then the stages of an update handle it.
 */
export function statusOnlyUpdate(
  kind: Kind,
  sent: KubeObject,
  stored: KubeObject,
  context: WriteContext,
): KubeObject | undefined {
  const { shape } = kind
  const field = shape?.fields.get('status')
  if (shape === undefined || field === undefined || !statusOnlyKinds.has(kind.resource)) return undefined
  if (!isUnrecorded(context, stored.metadata) || !isNormalized(kind, stored)) return undefined
  if (!differsInStatusOnly(sent, stored)) return undefined
  const given = fieldsOf(sent)['status']
  if (given === undefined || given === null) return undefined
  const decoded = decodeField(shape, field, given)
  if (decoded === undefined) return undefined
  const status = convertStatus(kind.resource, applyDefaultsTo(shape, field, decoded, kind.release) as Fields)
  // An object with the member order of the stored one is used as is. The store copies it, because it is not marked `isOwn`.
  const layout = status === given ? layoutOf(sent) : 'other'
  const changed = layout !== 'other' && layout === layoutOf(stored) ? sent : ({ ...stored, status } as KubeObject)
  const prepare = kind.strategy.prepareSubresource?.['status']
  const prepared = withoutDisabledFields(
    kind,
    prepare === undefined ? changed : prepare(changed, stored, context),
    stored,
  )
  if (updateErrors(kind, prepared, stored, 'status').length > 0) return undefined
  if (kind.resource === 'pods') settleStatus(prepared)
  return prepared
}

/**
 * The stored pod with another message of a condition, if that is the whole patch of a controller in this process.
 * Undefined: the other stages handle it.
 */
export function conditionMessageUpdate(
  kind: Kind,
  patch: Patch,
  read: () => KubeObject | undefined,
  context: WriteContext,
): { readonly stored: KubeObject; readonly object: KubeObject } | undefined {
  if (kind.resource !== 'pods' || context.subresource !== 'status' || context.dynamic !== undefined) return undefined
  const condition = patchedCondition(patch)
  const stored = condition === undefined ? undefined : read()
  if (condition === undefined || stored === undefined) return undefined
  if (!isUnrecorded(context, stored.metadata) || !isNormalized(kind, stored)) return undefined
  const object = withConditionMessage(stored, condition)
  return object === undefined ? undefined : { stored, object }
}

/** True if the write returns no warnings and does not change managedFields. */
function isUnrecorded(context: WriteContext, { managedFields }: ObjectMeta): boolean {
  const { caller, subresource, dryRun, fieldManager } = context
  if (caller !== inProcessCaller || subresource !== 'status' || dryRun || fieldManager !== undefined) return false
  return context.managedFields === 'none' || (context.managedFields !== 'all' && managedFields === undefined)
}

/** True if an update would not change the rest of the stored object. Objects loaded from a file may not be normalized. */
function isNormalized(kind: Kind, { kind: name, apiVersion, metadata }: KubeObject): boolean {
  return (
    name === kind.kind &&
    apiVersion === kind.apiVersion &&
    kind.namespaced === (metadata.namespace !== undefined) &&
    keepsMetadata(kind.resource, metadata)
  )
}

function differsInStatusOnly(sent: KubeObject, stored: KubeObject): boolean {
  if (sent.metadata !== stored.metadata) return false
  for (const name in sent) if (name !== 'status' && fieldsOf(sent)[name] !== fieldsOf(stored)[name]) return false
  return true
}
