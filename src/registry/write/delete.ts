import type { DeleteCall, DeleteCollectionCall, Outcome } from '../../api/call.ts'
import type { DeleteOptions, KubeObject, Status } from '../../api/objects/meta.ts'
import { conflict, failure, notFound } from '../../api/status.ts'
import { formatTime } from '../../api/time.ts'
import type { StoreWrite } from '../../store/contract.ts'
import { decideDeletion } from '../../store/deletion.ts'
import { type Desk, inOrder, keyOfObject, shown, storeKey } from '../backend.ts'
import { definitionsResource, finishDefinition } from '../custom/definition-strategy.ts'
import { deleteOptionErrors, invalidOptions } from '../errors/option-errors.ts'
import type { Kind } from '../kinds/kind.ts'
import { listObjects } from '../read/read.ts'
import { refusalOf } from './pipeline.ts'

export function deleteObject(desk: Desk, kind: Kind, call: DeleteCall): Outcome {
  const wrong = wrongOptions(call.options)
  if (wrong !== undefined) return wrong
  const object = desk.store.get(kind.storage, storeKey(kind, call.namespace, call.name))
  if (object === undefined) return notFound(kind.resource, call.name)
  if (isImmortal(desk, kind, call.name)) {
    return failure(
      'Forbidden',
      `namespaces ${JSON.stringify(call.name)} is forbidden: this namespace may not be deleted`,
      {
        name: call.name,
        kind: 'namespaces',
      },
    )
  }
  return removeObject(desk, kind, object, call.options, call.dryRun === true)
}

const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public'])

/** Namespaces that a cluster cannot do without (admission plugin NamespaceLifecycle). */
const isImmortal = (desk: Desk, kind: Kind, name: string) =>
  kind.resource === 'namespaces' && immortalNamespaces.has(name) && !desk.disabledAdmission.has('NamespaceLifecycle')

/** Carries out a DELETE of one stored object: now, by a mark, or after the mark that watchers must see. */
export function removeObject(
  desk: Desk,
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions | undefined,
  dryRun: boolean,
): Outcome {
  const outcome = removeOne(desk, kind, object, options, dryRun)
  if (dryRun || !outcome.ok) return outcome
  if (kind.resource === definitionsResource) return removeInstances(desk, kind, object, outcome)
  if (kind.custom !== undefined) finishDefinition(desk, kind.resource)
  return outcome
}

/** The objects of a definition go with it; it stays until the last of them is gone. */
function removeInstances(desk: Desk, kind: Kind, definition: KubeObject, outcome: Outcome): Outcome {
  const { name } = definition.metadata
  const instances = desk.kinds.find(name)
  for (const instance of desk.store.list(name)) {
    if (instances !== undefined) removeOne(desk, instances, instance, undefined, false)
  }
  return finishDefinition(desk, name) && outcome.ok ? removed(kind, definition) : outcome
}

function removeOne(
  desk: Desk,
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions | undefined,
  dryRun: boolean,
): Outcome {
  const { graceSeconds } = kind.strategy
  const deletion = decideDeletion({
    object,
    options,
    graceSeconds: graceSeconds === undefined ? undefined : (asked) => graceSeconds(object, asked),
    dependents: kind.strategy.dependents,
    nowMs: desk.clock.now(),
  })
  const key = keyOfObject(kind, object)
  const target = { resource: kind.storage, key }
  const { name } = object.metadata
  switch (deletion.kind) {
    case 'conflict':
      return conflict(kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`, name, deletion.message)
    case 'unchanged':
      return { ok: true, kind: 'object', object: shown(kind, object) }
    case 'mark':
      return mark(desk, kind, key, deletion.object, object, dryRun)
    case 'remove': {
      if (kind.strategy.isHeld?.(object) === true) {
        if (object.metadata.deletionTimestamp !== undefined) return { ok: true, kind: 'object', object }
        const metadata = { ...object.metadata, deletionTimestamp: formatTime(desk.clock.now()) }
        return mark(desk, kind, key, { ...object, metadata }, object, dryRun)
      }
      const writes: StoreWrite[] = []
      if (deletion.marked !== undefined)
        writes.push({ kind: 'update', ...target, object: inOrder(desk, kind, deletion.marked, object), isOwn: true })
      writes.push({ kind: 'delete', ...target })
      if (dryRun) return removed(kind, deletion.marked ?? object)
      const result = desk.store.commit(writes)
      if (!result.ok) return refusalOf(kind, name, result.refusal)
      return removed(kind, result.changes.at(-1)?.last ?? object)
    }
  }
}

function mark(desk: Desk, kind: Kind, key: string, object: KubeObject, before: KubeObject, dryRun: boolean): Outcome {
  const marked = kind.strategy.onMarked === undefined ? object : kind.strategy.onMarked(object)
  if (dryRun) return { ok: true, kind: 'object', object: shown(kind, marked) }
  const result = desk.store.commit([
    { kind: 'update', resource: kind.storage, key, object: inOrder(desk, kind, marked, before) },
  ])
  if (!result.ok) return refusalOf(kind, object.metadata.name, result.refusal)
  return { ok: true, kind: 'object', object: shown(kind, result.changes[0]?.after ?? marked) }
}

function removed(kind: Kind, last: KubeObject): Outcome {
  if (kind.strategy.returnsDeleted === true) return { ok: true, kind: 'object', object: shown(kind, last) }
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

export function deleteCollection(desk: Desk, kind: Kind, call: DeleteCollectionCall): Outcome {
  const wrong = wrongOptions(call.options)
  if (wrong !== undefined) return wrong
  // A limit and a continue token choose what is deleted, as they choose what is listed.
  const listed = listObjects(desk, kind, { ...call, verb: 'list' })
  if (!listed.ok || listed.kind !== 'list') return listed
  const items: KubeObject[] = []
  for (const item of listed.items) {
    const object = desk.store.get(kind.storage, keyOfObject(kind, item))
    if (object === undefined) continue
    const outcome = removeObject(desk, kind, object, call.options, call.dryRun === true)
    if (!outcome.ok) return outcome
    items.push(outcome.kind === 'object' ? outcome.object : item)
  }
  return { ok: true, kind: 'list', items, resourceVersion: String(desk.store.revision) }
}

const wrongOptions = (options: DeleteOptions | undefined) =>
  options === undefined
    ? undefined
    : invalidOptions('DeleteOptions', deleteOptionErrors({ ...options, dryRun: noDryRun }))

const noDryRun: readonly string[] = []
