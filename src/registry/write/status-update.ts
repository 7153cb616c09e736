import type { KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { layoutOf } from '../../store/stamp.ts'
import { insider } from '../backend.ts'
import { decodeField } from '../decode/decode.ts'
import { applyDefaultsTo } from '../defaults/apply-defaults.ts'
import { convertStatus, keepsMetadata } from '../kinds/conversion.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { updateErrors } from '../validation/validate.ts'

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (object: KubeObject): Fields => object as unknown as Fields

/** Kinds that have no admission, defaults or conversion of their own that a write of the status would set off elsewhere. */
const plainKinds: ReadonlySet<string> = new Set([
  'pods',
  'nodes',
  'replicasets.apps',
  'deployments.apps',
  'poddisruptionbudgets.policy',
])

/**
 * The object with its new status, when a controller in this process sends back what is stored with nothing but another
 * status. Most writes of a cluster at work are of this kind, and all that is done to the rest of such an object comes to
 * nothing. Undefined when it is anything else, or if there is anything to say against it: the long way says it.
 */
export function withStatusAlone(
  kind: Kind,
  sent: KubeObject,
  stored: KubeObject,
  context: WriteContext,
): KubeObject | undefined {
  const { shape } = kind
  const field = shape?.fields.get('status')
  if (shape === undefined || field === undefined || !plainKinds.has(kind.resource)) return undefined
  if (!isPlainWrite(context, stored.metadata) || !isKnown(kind, stored)) return undefined
  if (!differsInStatusOnly(sent, stored)) return undefined
  const given = fieldsOf(sent)['status']
  if (given === undefined || given === null) return undefined
  const decoded = decodeField(shape, field, given)
  if (decoded === undefined) return undefined
  const status = convertStatus(kind.resource, applyDefaultsTo(shape, field, decoded) as Fields)
  // What was sent in the order of what is stored will do as it is: the store writes no version into what is not its own.
  const layout = status === given ? layoutOf(sent) : 'other'
  const changed = layout !== 'other' && layout === layoutOf(stored) ? sent : ({ ...stored, status } as KubeObject)
  const special = kind.strategy.prepareSubresource?.['status']
  const prepared = special === undefined ? changed : special(changed, stored, context)
  return updateErrors(kind, prepared, stored, 'status').length > 0 ? undefined : prepared
}

/** Nobody is warned, nobody's fields are recorded. */
function isPlainWrite(context: WriteContext, { managedFields }: ObjectMeta): boolean {
  const { caller, subresource, dryRun, fieldManager } = context
  if (caller !== insider || subresource !== 'status' || dryRun || fieldManager !== undefined) return false
  return context.managedFields === 'none' || (context.managedFields !== 'all' && managedFields === undefined)
}

/** What was read from a file may not be as a write would have left it. */
function isKnown(kind: Kind, { kind: name, apiVersion, metadata }: KubeObject): boolean {
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
