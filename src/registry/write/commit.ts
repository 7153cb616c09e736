import type { Failure, Outcome } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { alreadyExists, conflict, failure, notFound, plainError } from '../../api/status.ts'
import type { CommitResult, StoreRefusal, StoreWrite } from '../../store/contract.ts'
import { finishes } from '../../store/deletion.ts'
import { type Backend, inStoredOrder, keyOfObject, servedForm, storedForm } from '../backend.ts'
import { finishDefinition } from '../custom/definition-strategy.ts'
import type { Kind } from '../kinds/kind.ts'

/** Writes a new object, and the quotas that count it, in one transaction. */
export function commitCreate(
  backend: Backend,
  kind: Kind,
  object: KubeObject,
  charges: readonly StoreWrite[],
): Outcome {
  const key = keyOfObject(kind, object)
  const stored = storedForm(backend, kind, object)
  backend.attempt?.parts?.leave()
  // The metadata of a new object is not shared with any other object (newMetadata), so the store may write to it.
  const write: StoreWrite = { kind: 'create', resource: kind.storage, key, object: stored, isOwn: true }
  const writes = charges.length === 0 ? [write] : [write, ...charges]
  const result = commitWith(backend, kind, writes, object, undefined)
  if (!result.ok) return storeFailure(kind, object.metadata.name, result.refusal)
  const after = result.changes[0]?.after ?? object
  if (backend.attempt?.parts !== undefined) backend.largeObjects.add(after)
  return { ok: true, kind: 'object', object: servedForm(kind, after), created: true }
}

/** Writes an object, and the objects of other kinds that change with it, in one transaction. Returns the changes of `writes`. */
export function commitWith(
  backend: Backend,
  kind: Kind,
  writes: readonly StoreWrite[],
  after: KubeObject | undefined,
  before: KubeObject | undefined,
): CommitResult {
  const { sideWrites } = kind.strategy
  const { store, attempt, largeObjects } = backend
  const commit = (all: readonly StoreWrite[]) =>
    attempt?.parts === undefined ? store.commit(all) : largeObjects.during(() => store.commit(all))
  if (sideWrites === undefined) return commit(writes)
  const { first, last } = sideWrites(after, before, backend)
  const result = commit([...first, ...writes, ...last])
  return result.ok ? { ok: true, changes: result.changes.slice(first.length, first.length + writes.length) } : result
}

/** The answer to a create with dryRun. */
export function dryRunCreate(backend: Backend, kind: Kind, object: KubeObject): Outcome {
  const isTaken = backend.store.get(kind.storage, keyOfObject(kind, object)) !== undefined
  if (isTaken) return alreadyExists(kind.resource, object.metadata.name)
  return { ok: true, kind: 'object', object: inStoredOrder(backend, kind, object), created: true }
}

/** Writes an object in place of the stored one, or deletes it if the update removed what blocked its deletion. */
export function commitUpdate(
  backend: Backend,
  kind: Kind,
  key: string,
  object: KubeObject,
  before: KubeObject,
  charges: readonly StoreWrite[] = [],
): Outcome {
  const stored = storedForm(backend, kind, object, before)
  backend.attempt?.parts?.leave()
  if (finishes(before, stored) && kind.strategy.isHeld?.(stored) !== true) {
    return commitDeletion(backend, kind, key, object, before)
  }
  const resource = kind.storage
  const version = before.metadata.resourceVersion
  // Metadata that differs from the stored metadata was made for this write, as was the object (keepIdentity).
  const isOwn = stored.metadata !== before.metadata
  const write: StoreWrite =
    version === undefined
      ? { kind: 'update', resource, key, object: stored, isOwn }
      : { kind: 'update', resource, key, object: stored, isOwn, expect: version }
  const writes = charges.length === 0 ? [write] : [write, ...charges]
  const result = commitWith(backend, kind, writes, object, before)
  if (!result.ok) return storeFailure(kind, object.metadata.name, result.refusal)
  const after = result.changes[0]?.after ?? object
  if (backend.attempt?.parts !== undefined) backend.largeObjects.add(after)
  return { ok: true, kind: 'object', object: servedForm(kind, after) }
}

function commitDeletion(backend: Backend, kind: Kind, key: string, object: KubeObject, before: KubeObject): Outcome {
  const { resourceVersion: version } = before.metadata
  const target = { kind: 'delete', resource: kind.storage, key } as const
  const write = version === undefined ? target : { ...target, expect: version }
  const result = commitWith(backend, kind, [write], undefined, before)
  if (!result.ok) return storeFailure(kind, object.metadata.name, result.refusal)
  if (kind.custom !== undefined) finishDefinition(backend, kind.resource)
  const resourceVersion = result.changes[0]?.last?.metadata.resourceVersion
  const metadata = resourceVersion === undefined ? object.metadata : { ...object.metadata, resourceVersion }
  return { ok: true, kind: 'object', object: { ...object, metadata } }
}

/** Writes an object that differs from the stored one in its status only. */
export function commitStatus(
  backend: Backend,
  kind: Kind,
  key: string,
  object: KubeObject,
  stored: KubeObject,
): Outcome {
  if (deepEqual(statusOf(object), statusOf(stored))) return { ok: true, kind: 'object', object: stored }
  return commitUpdate(backend, kind, key, object, stored)
}

const statusOf = (object: KubeObject): unknown => (object as { readonly status?: unknown }).status

/** The answer to a write that the store refused. */
export function storeFailure(kind: Kind, name: string, refusal: StoreRefusal): Failure {
  switch (refusal.kind) {
    case 'exists':
      return alreadyExists(kind.resource, name)
    case 'missing':
      return notFound(kind.resource, name)
    case 'conflict':
      return conflict(kind.resource, name)
    case 'read-only':
      return failure('ServiceUnavailable', refusalText(refusal), { retryAfterSeconds: 1 })
    case 'full':
      // kube-apiserver returns the error of etcd without a reason.
      return plainError(refusalText(refusal))
  }
}

const refusalText = ({ message }: StoreRefusal): string => message ?? 'etcdserver: mvcc: database space exceeded'
