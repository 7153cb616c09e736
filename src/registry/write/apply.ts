import type { Failure, Outcome, Patch, PatchCall } from '../../api/call.ts'
import type { Json, KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { zeroOf } from '../../api/schema/parse-types.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import { failure, plainError } from '../../api/status.ts'
import { createdFields } from '../apply/created-fields.ts'
import { applyConfig, trackCreation, trackUpdate, type Writer } from '../apply/managed-fields.ts'
import { typedProblem } from '../apply/typed-problems.ts'
import { listProblem, type Ownership, ownershipOfStruct, Unnameable } from '../apply/typed-value.ts'
import { contextOf, type Desk } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { undeclaredField } from '../custom/custom-kind.ts'
import { invalidObject, required } from '../errors/field-error.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { converterProblem } from '../patch/converter-problem.ts'
import { rewriteObject } from './pipeline.ts'
import { statusFieldsOf } from './prepare.ts'

const anything: Ownership = { is: 'members', of: () => anything }

function ownershipOfKind(kind: Kind): Ownership {
  if (kind.custom !== undefined) return kind.custom.ownership
  return kind.shape === undefined ? anything : ownershipOfStruct(kind.shape)
}

const emptyObjects = new WeakMap<StructShape, Readonly<Record<string, unknown>>>()

/** The empty object of a kind, always the same one. */
function emptyOf({ shape }: Kind): Readonly<Record<string, unknown>> {
  if (shape === undefined) return nothing
  let empty = emptyObjects.get(shape)
  if (empty === undefined) {
    empty = zeroOf(shape) as Readonly<Record<string, unknown>>
    emptyObjects.set(shape, empty)
  }
  return empty
}

const nothing = {}

function writerOf(kind: Kind, context: WriteContext): Writer {
  return {
    manager: context.fieldManager ?? 'berth',
    apiVersion: kind.apiVersion,
    ...(context.subresource === undefined ? {} : { subresource: context.subresource }),
    now: context.now,
  }
}

/** The object with the record of who owns what brought up to date, where a record is kept. */
export function tracked(kind: Kind, live: KubeObject | undefined, next: KubeObject, context: WriteContext): KubeObject {
  try {
    return withRecord(kind, live, next, context)
  } catch (error) {
    if (!(error instanceof Unnameable)) throw error
    // Upstream gives up the whole record rather than keep a wrong one (FieldManager.UpdateNoErrors).
    const { managedFields: _, ...metadata } = next.metadata
    return { ...next, metadata }
  }
}

function withRecord(kind: Kind, live: KubeObject | undefined, next: KubeObject, context: WriteContext): KubeObject {
  const recorded = (live ?? next).metadata.managedFields
  if (!isRecorded(context, recorded !== undefined)) return next
  if (live === undefined) {
    if (recorded !== undefined) return next
    const object = next as unknown as Readonly<Record<string, unknown>>
    const fields = createdFields(object, emptyOf(kind), ownershipOfKind(kind), statusFieldsOf(kind))
    return trackCreation(next, fields, writerOf(kind, context))
  }
  return trackUpdate(live, next, ownershipOfKind(kind), writerOf(kind, context))
}

function isRecorded({ managedFields, fieldManager }: WriteContext, before: boolean): boolean {
  switch (managedFields) {
    case 'all':
      return true
    case 'none':
      return false
    case 'apply-only':
      return before
    case 'named':
      return before || fieldManager !== undefined
  }
}

type ApplyPatch = Extract<Patch, { readonly kind: 'apply' }>

/** PATCH with an apply configuration: created when missing, merged by ownership when there. */
export function applyObject(desk: Desk, kind: Kind, call: PatchCall, patch: ApplyPatch, caller: Caller): Outcome {
  const config = patch.object as unknown as KubeObject
  const wrong = wrongConfig(kind, call, config)
  if (wrong !== undefined) return wrong
  const context = contextOf(desk, caller, call)
  const apply = (live: KubeObject): KubeObject | Failure =>
    applyConfig(
      live,
      withMetadata(config, call.name),
      ownershipOfKind(kind),
      writerOf(kind, context),
      patch.force === true,
    )
  const namespace = call.namespace === undefined ? {} : { namespace: call.namespace }
  const fresh = apply({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: call.name, ...namespace } })
  return rewriteObject(desk, kind, {
    name: call.name,
    ...namespace,
    context,
    isApply: true,
    change: apply,
    ...(kind.shape === undefined ? {} : { unreadable: (_, why) => unconverted(kind, config, why) }),
    ...(call.subresource === undefined && !('ok' in fresh) ? { createFrom: fresh } : {}),
  })
}

function withMetadata(config: KubeObject, name: string): KubeObject {
  return { ...config, metadata: { ...config.metadata, name: config.metadata?.name || name } }
}

function wrongConfig(kind: Kind, call: PatchCall, config: KubeObject): Failure | undefined {
  if (call.fieldManager === undefined || call.fieldManager === '') {
    return invalidObject('PatchOptions', 'x.meta.k8s.io', '', [required('fieldManager', 'is required for apply patch')])
  }
  if (config.apiVersion !== kind.apiVersion) {
    const said = config.apiVersion ?? ''
    const why = `Incorrect version specified in apply patch. Specified patch version: ${said}, expected: ${kind.apiVersion}`
    return failure('BadRequest', why)
  }
  if (config.metadata?.managedFields !== undefined) return failure('BadRequest', 'metadata.managedFields must be nil')
  const problem =
    kind.shape === undefined
      ? (undeclaredField(kind.custom, config) ?? listProblem(config, ownershipOfKind(kind), ''))
      : typedProblem(kind.shape, config as unknown as Json)
  if (problem !== undefined) return untyped(kind, config, problem)
  const name: unknown = config.metadata?.name
  if (name !== null && name !== '') return undefined
  const why = `the name of the object (${call.name} based on URL) was undeterminable: name must be provided`
  return failure('BadRequest', why)
}

const kindText = (kind: Kind): string => `${kind.group}/${kind.version}, Kind=${kind.kind}`

function objectText(kind: Kind, config: KubeObject): string {
  const { namespace, name } = (config.metadata ?? {}) as Partial<ObjectMeta>
  const said = [namespace, name].map((text: unknown) => (typeof text === 'string' ? text : ''))
  return `(${said.join('/')}; ${kindText(kind)})`
}

// Upstream does not class these: they travel as a bare 500.
function untyped(kind: Kind, config: KubeObject, problem: string): Failure {
  return plainError(`failed to create typed patch object ${objectText(kind, config)}: ${problem}`)
}

function unconverted(kind: Kind, config: KubeObject, problem: string): Failure {
  const why = `unable to convert unstructured object to ${kindText(kind)}: ${converterProblem(problem)}`
  return plainError(`failed to convert new object ${objectText(kind, config)} to proper version: ${why}`)
}
