import type { KubeObject } from '../../../api/objects/meta.ts'
import { type FieldError, forbidden, internalError } from '../../errors/field-error.ts'
import { child, list, type Obj, part } from '../../validation/reader.ts'
import { flag } from '../../validation/scalars.ts'
import type { WriteContext } from '../kind.ts'

const label = 'resource.kubernetes.io/admin-access'

/** A claim may request admin access only in namespaces that allow it (v1.36, registry/resource AuthorizedForAdmin). */
export function claimErrors(
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
): readonly FieldError[] {
  return old === undefined ? requestErrors(object, part(object as unknown as Obj, 'spec'), context) : []
}

export function templateErrors(
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
): readonly FieldError[] {
  return old === undefined ? requestErrors(object, part(part(object as unknown as Obj, 'spec'), 'spec'), context) : []
}

function requestErrors(object: KubeObject, claimSpec: Obj, context: WriteContext): readonly FieldError[] {
  const requests = list(part(claimSpec, 'devices'), 'requests')
  const index = requests.findIndex((request) => flag(child(request, 'exactly'), 'adminAccess'))
  if (index < 0) return []
  // The same path for claims and templates.
  return namespaceErrors(object, `spec.devices.requests[${index}].adminAccess`, context)
}

/** The same for an allocation with admin access; an existing one is kept. */
export function allocationErrors(object: KubeObject, old: KubeObject, context: WriteContext): readonly FieldError[] {
  if (grantedAt(old) >= 0) return []
  const index = grantedAt(object)
  if (index < 0) return []
  return namespaceErrors(object, `status.allocation.devices.results[${index}].adminAccess`, context)
}

function grantedAt(claim: KubeObject): number {
  const allocation = part(part(claim as unknown as Obj, 'status'), 'allocation')
  return list(part(allocation, 'devices'), 'results').findIndex((result) => flag(result, 'adminAccess'))
}

function namespaceErrors({ metadata }: KubeObject, path: string, { store }: WriteContext): readonly FieldError[] {
  const name = metadata.namespace ?? ''
  const namespace = store.get('namespaces', name)
  if (namespace === undefined) {
    const why = `could not retrieve namespace to verify admin access: namespaces ${JSON.stringify(name)} not found`
    return [internalError(path, why)]
  }
  if (namespace.metadata.labels?.[label] === 'true') return []
  return [forbidden(path, `admin access to devices requires the \`${label}: true\` label on the containing namespace`)]
}
