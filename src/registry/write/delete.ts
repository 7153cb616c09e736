import type { Failure, Outcome } from '../../api/call.ts'
import type { DeleteOptions, KubeObject, Status } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { conflict, failure } from '../../api/status.ts'
import { formatTime } from '../../api/time.ts'
import type { StoreWrite } from '../../store/contract.ts'
import { decideDeletion } from '../../store/deletion.ts'
import { type Backend, inStoredOrder, keyOfObject, servedForm } from '../backend.ts'
import { definitionsResource, finishDefinition } from '../custom/definition-strategy.ts'
import { type FieldError, invalid } from '../errors/field-error.ts'
import { deleteOptionErrors, invalidOptions } from '../errors/option-errors.ts'
import type { Kind } from '../kinds/kind.ts'
import { commitWith, storeFailure } from './commit.ts'

/** Fails if the delete options are invalid. dryRun is validated with the request. */
export function optionsFailure(
  options: DeleteOptions | undefined,
  release: KubernetesRelease,
  verb: 'delete' | 'deletecollection',
): Failure | undefined {
  if (options === undefined) return undefined
  const unsafe = isUnsafe(options, release) ? unsafeErrors(options, verb) : []
  return invalidOptions('DeleteOptions', [...deleteOptionErrors({ ...options, dryRun: noDryRun }), ...unsafe])
}

const isUnsafe = (options: DeleteOptions | undefined, { gates }: KubernetesRelease): boolean =>
  options?.ignoreStoreReadErrorWithClusterBreakingPotential === true && gates.has('AllowUnsafeMalformedObjectDeletion')

/** The options that the deletion of an unreadable object excludes (v1.37, ValidateIgnoreStoreReadError). */
function unsafeErrors(options: DeleteOptions, verb: 'delete' | 'deletecollection'): readonly FieldError[] {
  const field = 'ignoreStoreReadErrorWithClusterBreakingPotential'
  const others = (['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const).filter(
    (name) => options[name] !== undefined,
  )
  if (others.length > 0) return others.map((name) => invalid(field, true, `cannot be set together with .${name}`))
  const why = 'is not allowed with DELETECOLLECTION, try again after removing the option'
  return verb === 'delete' ? [] : [invalid(field, true, why)]
}

/** berth can read every object, so it always refuses the deletion of an unreadable one. */
export function unsafeFailure(
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions | undefined,
  release: KubernetesRelease,
): Failure | undefined {
  if (!isUnsafe(options, release)) return undefined
  const { name } = object.metadata
  const key = `/registry/${kind.plural}/${keyOfObject(kind, object)}`
  const why = 'unsafe deletion is not allowed because the object is decodable from storage'
  const error = `invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
  return conflict(kind.resource, name, `StorageError: ${error}`)
}

const noDryRun: readonly string[] = []

const protectedNamespaces = new Set(['default', 'kube-system', 'kube-public'])

/** Fails for a namespace that cannot be deleted (admission plugin NamespaceLifecycle). */
export function protectionFailure({ disabledAdmission }: Backend, kind: Kind, name: string): Failure | undefined {
  if (kind.resource !== 'namespaces' || !protectedNamespaces.has(name)) return undefined
  if (disabledAdmission.has('NamespaceLifecycle')) return undefined
  const message = `namespaces ${JSON.stringify(name)} is forbidden: this namespace may not be deleted`
  return failure('Forbidden', message, { name, kind: 'namespaces' })
}

interface Removal {
  readonly object: KubeObject
  readonly options?: DeleteOptions | undefined
  readonly dryRun: boolean
  /** Rejects the deletion before it is written. */
  readonly check?: ((object: KubeObject) => Failure | undefined) | undefined
}

/** Deletes one stored object, or marks it for deletion. */
export function removeObject(backend: Backend, kind: Kind, removal: Removal): Outcome {
  const { object, dryRun } = removal
  const outcome = removeOne(backend, kind, removal)
  if (dryRun || !outcome.ok) return outcome
  if (kind.resource === definitionsResource) return removeInstances(backend, kind, object, outcome)
  if (kind.custom !== undefined) finishDefinition(backend, kind.resource)
  return outcome
}

/** Deletes the objects of a definition. The definition stays until the last of them is deleted. */
function removeInstances(backend: Backend, kind: Kind, definition: KubeObject, outcome: Outcome): Outcome {
  const { name } = definition.metadata
  const instances = backend.kinds.find(name)
  for (const instance of backend.store.list(name)) {
    if (instances !== undefined) removeOne(backend, instances, { object: instance, dryRun: false })
  }
  return finishDefinition(backend, name) && outcome.ok ? removedOutcome(kind, definition) : outcome
}

function removeOne(backend: Backend, kind: Kind, { object, options, dryRun, check }: Removal): Outcome {
  const { graceSeconds } = kind.strategy
  const deletion = decideDeletion({
    object,
    options,
    graceSeconds: graceSeconds === undefined ? undefined : (asked) => graceSeconds(object, asked),
    dependents: kind.strategy.dependents,
    nowMs: backend.clock.now(),
  })
  const key = keyOfObject(kind, object)
  const target = { resource: kind.storage, key }
  const { name } = object.metadata
  if (check !== undefined && (deletion.kind === 'mark' || deletion.kind === 'remove')) {
    const refused = check(object)
    if (refused !== undefined) return refused
  }
  switch (deletion.kind) {
    case 'conflict':
      return conflict(kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`, name, deletion.message)
    case 'unchanged':
      return { ok: true, kind: 'object', object: servedForm(kind, object) }
    case 'mark':
      return markDeleted(backend, kind, key, deletion.object, object, dryRun)
    case 'remove': {
      if (kind.strategy.isHeld?.(object) === true) {
        if (object.metadata.deletionTimestamp !== undefined) return { ok: true, kind: 'object', object }
        const metadata = { ...object.metadata, deletionTimestamp: formatTime(backend.clock.now()) }
        return markDeleted(backend, kind, key, { ...object, metadata }, object, dryRun)
      }
      const writes: StoreWrite[] = []
      if (deletion.marked !== undefined)
        writes.push({
          kind: 'update',
          ...target,
          object: inStoredOrder(backend, kind, deletion.marked, object),
          isOwn: true,
        })
      writes.push({ kind: 'delete', ...target })
      if (dryRun) return removedOutcome(kind, deletion.marked ?? object)
      const result = commitWith(backend, kind, writes, undefined, object)
      if (!result.ok) return storeFailure(kind, name, result.refusal)
      return removedOutcome(kind, result.changes.at(-1)?.last ?? object)
    }
  }
}

function markDeleted(
  backend: Backend,
  kind: Kind,
  key: string,
  object: KubeObject,
  before: KubeObject,
  dryRun: boolean,
): Outcome {
  const marked = kind.strategy.onMarked === undefined ? object : kind.strategy.onMarked(object)
  if (dryRun) return { ok: true, kind: 'object', object: servedForm(kind, marked) }
  const result = backend.store.commit([
    { kind: 'update', resource: kind.storage, key, object: inStoredOrder(backend, kind, marked, before) },
  ])
  if (!result.ok) return storeFailure(kind, object.metadata.name, result.refusal)
  return { ok: true, kind: 'object', object: servedForm(kind, result.changes[0]?.after ?? marked) }
}

/** The answer to a DELETE that removed the object. */
function removedOutcome(kind: Kind, last: KubeObject): Outcome {
  if (kind.strategy.returnsDeleted === true) return { ok: true, kind: 'object', object: servedForm(kind, last) }
  const { name, uid } = last.metadata
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(kind.group === '' ? {} : { group: kind.group }),
      kind: kind.plural,
      ...(uid === undefined ? {} : { uid }),
    },
  }
  return { ok: true, kind: 'status', status }
}
