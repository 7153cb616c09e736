import type { Failure, Patch, PatchCall } from '../../api/call.ts'
import type { Json, KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { failure, plainError } from '../../api/status.ts'
import { applyConfig } from '../apply/managed-fields.ts'
import { typedProblem } from '../apply/typed-problems.ts'
import { listProblem } from '../apply/typed-value.ts'
import { undeclaredField } from '../custom/custom-kind.ts'
import { invalidObject, required } from '../errors/field-error.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { converterProblem } from '../patch/converter-problem.ts'
import { ownershipOfKind, writerOf } from './managers.ts'
import { nameMissing } from './preconditions.ts'
import { resetFieldsOf, statusFieldsOf } from './prepare.ts'

export type ApplyPatch = Extract<Patch, { readonly kind: 'apply' }>

/** Why a configuration cannot be applied to any object of the kind. */
export function configFailure(kind: Kind, call: PatchCall, config: KubeObject): Failure | undefined {
  if (call.fieldManager === undefined || call.fieldManager === '') {
    return invalidObject('PatchOptions', 'x.meta.k8s.io', '', [required('fieldManager', 'is required for apply patch')])
  }
  if (config.apiVersion !== kind.apiVersion) {
    const specified = config.apiVersion ?? ''
    const why = `Incorrect version specified in apply patch. Specified patch version: ${specified}, expected: ${kind.apiVersion}`
    return failure('BadRequest', why)
  }
  if (config.metadata?.managedFields !== undefined) return failure('BadRequest', 'metadata.managedFields must be nil')
  const problem =
    kind.shape === undefined
      ? (undeclaredField(kind.custom, config) ?? listProblem(config, ownershipOfKind(kind), ''))
      : typedProblem(kind.shape, config as unknown as Json)
  if (problem !== undefined) return typeFailure(kind, config, problem)
  const name: unknown = config.metadata?.name
  return name === null || name === '' ? nameMissing(call.name) : undefined
}

/** Merges the configuration into an object and records its manager, or returns the conflicts with other managers. */
export function appliedTo(
  live: KubeObject,
  kind: Kind,
  { object, force }: ApplyPatch,
  name: string,
  context: WriteContext,
): KubeObject | Failure {
  const config = object as unknown as KubeObject
  const named = { ...config, metadata: { ...config.metadata, name: config.metadata?.name || name } }
  const owned = withoutResetFields(kind, named, context.subresource)
  // A new object may keep a status without an owner; the status of a stored one is not touched.
  const merged = live.metadata.uid === undefined ? named : owned
  return applyConfig(live, merged, owned, ownershipOfKind(kind), writerOf(kind, context), force === true)
}

/** Removes the fields that the endpoint resets, so that the applier does not own them (GetResetFields). */
function withoutResetFields(kind: Kind, config: KubeObject, subresource: string | undefined): KubeObject {
  const status = statusFieldsOf(kind)
  if (subresource === undefined) {
    const reset = resetFieldsOf(kind)
    return withFieldsWhere(config, (name) => !reset.includes(name))
  }
  if (subresource !== 'status') return config
  return withFieldsWhere(config, (name) => status.includes(name) || identityFields.has(name))
}

const identityFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function withFieldsWhere(object: KubeObject, isKept: (name: string) => boolean): KubeObject {
  const entries = Object.entries(object)
  const kept = entries.filter(([name]) => isKept(name))
  return kept.length === entries.length ? object : (Object.fromEntries(kept) as unknown as KubeObject)
}

const kindText = (kind: Kind): string => `${kind.group}/${kind.version}, Kind=${kind.kind}`

function objectText(kind: Kind, config: KubeObject): string {
  const { namespace, name } = (config.metadata ?? {}) as Partial<ObjectMeta>
  const parts = [namespace, name].map((part: unknown) => (typeof part === 'string' ? part : ''))
  return `(${parts.join('/')}; ${kindText(kind)})`
}

// Upstream returns this error and the next without a reason, so the status is 500.
function typeFailure(kind: Kind, config: KubeObject, problem: string): Failure {
  return plainError(`failed to create typed patch object ${objectText(kind, config)}: ${problem}`)
}

/** The answer if the applied object cannot be decoded. */
export function conversionFailure(kind: Kind, config: KubeObject, problem: string): Failure {
  const why = `unable to convert unstructured object to ${kindText(kind)}: ${converterProblem(kind.release.api.types, problem)}`
  return plainError(`failed to convert new object ${objectText(kind, config)} to proper version: ${why}`)
}
