import { semanticEqual } from '../../../api/equality.ts'
import { subdomainProblems } from '../../../api/name-problems.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import type { Caller } from '../../contract.ts'
import { type FieldError, forbidden } from '../../errors/field-error.ts'
import { deviceKey } from '../../validation/device-claim-status.ts'
import { child, list, type Obj, part, texts } from '../../validation/reader.ts'
import { text } from '../../validation/scalars.ts'
import type { WriteContext } from '../kind.ts'
import { allocationErrors } from './admin-access.ts'

const resource = { group: 'resource.k8s.io', plural: 'resourceclaims' } as const

const statusOf = (claim: KubeObject): Obj => part(claim as unknown as Obj, 'status')

/** The rights to change each part of a claim's status (v1.36, DRAResourceClaimGranularStatusAuthorization). */
export function statusErrors(
  claim: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
): readonly FieldError[] {
  if (old === undefined) return []
  const status = statusOf(claim)
  const before = statusOf(old)
  const errors = [...allocationErrors(claim, old, context), ...bindingErrors(status, before, context)]
  if (child(status, 'allocation') !== undefined) errors.push(...deviceErrors(claim, status, before, context))
  return errors
}

/** Allocations and reservations need the right of the scheduler (AuthorizedForBinding). */
function bindingErrors(status: Obj, before: Obj, { guard, caller, verb }: WriteContext): readonly FieldError[] {
  const isSame = (field: string): boolean => semanticEqual(status[field] ?? undefined, before[field] ?? undefined)
  if (guard === undefined || (isSame('allocation') && isSame('reservedFor'))) return []
  const denied = guard.permission(caller, { ...resource, verb, subresource: 'binding' })
  if (denied === undefined) return []
  const needs = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission`
  return [forbidden('status.allocation', `${needs}: ${denied}`)]
}

/** The status of devices belongs to their driver, for its own node or for any node (AuthorizedForDeviceStatus). */
function deviceErrors(claim: KubeObject, status: Obj, before: Obj, context: WriteContext): readonly FieldError[] {
  const { guard, caller, verb } = context
  const drivers = changedDrivers(list(status, 'devices'), list(before, 'devices'))
  if (guard === undefined || drivers.length === 0) return []
  const isOnNode = isServiceAccountOn(caller, allocatedNode(child(status, 'allocation')))
  const verbs = [...(isOnNode ? [`associated-node:${verb}`] : []), `arbitrary-node:${verb}`]
  const { namespace } = claim.metadata
  const errors: FieldError[] = []
  for (const driver of drivers) {
    const denials = verbs.map((one) =>
      guard.permission(caller, { ...resource, verb: one, subresource: 'driver', namespace, name: driver }),
    )
    const [first] = denials
    if (first === undefined || denials.includes(undefined)) continue
    const needs = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`
    errors.push(forbidden('status.devices', `${needs}: ${first}`))
  }
  return errors
}

function changedDrivers(now: readonly Obj[], before: readonly Obj[]): readonly string[] {
  const known = new Map(before.map((device) => [deviceKey(device), device]))
  const drivers = new Set<string>()
  for (const device of now) {
    const key = deviceKey(device)
    if (!semanticEqual(known.get(key), device)) drivers.add(text(device, 'driver'))
    known.delete(key)
  }
  for (const device of known.values()) drivers.add(text(device, 'driver'))
  return [...drivers].sort()
}

/** The only node on which an allocation can be used, if there is one. */
function allocatedNode(allocation: Obj | undefined): string {
  const terms = list(child(allocation, 'nodeSelector'), 'nodeSelectorTerms')
  const [term] = terms
  if (term === undefined || terms.length > 1 || list(term, 'matchExpressions').length > 0) return ''
  const [field, ...others] = list(term, 'matchFields')
  const values = texts(field, 'values')
  if (others.length > 0 || values.length !== 1) return ''
  return text(field, 'key') === 'metadata.name' && text(field, 'operator') === 'In' ? (values[0] ?? '') : ''
}

const nodeNameKey = 'authentication.kubernetes.io/node-name'

function isServiceAccountOn(caller: Caller, node: string): boolean {
  if (node === '' || !/^system:serviceaccount:[^:]+:[^:]+$/.test(caller.name)) return false
  const nodes = caller.extra?.[nodeNameKey] ?? []
  return nodes.length === 1 && nodes[0] === node && subdomainProblems(node).length === 0
}
