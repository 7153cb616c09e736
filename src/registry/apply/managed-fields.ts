import type { Failure } from '../../api/call.ts'
import type { JsonObject, KubeObject, ManagedFieldsEntry, StatusCause } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import { annotations as wellKnown } from '../../api/well-known.ts'
import { extended } from '../../base/extended.ts'
import { withMetadata } from '../../store/stamp.ts'
import { FieldSet, writtenPath } from './field-set.ts'
import { claimedFields, compare, mergeValues, type Ownership, removeFields } from './typed-value.ts'

/** The writer and its operation. */
export interface Writer {
  readonly manager: string
  readonly apiVersion: string
  readonly subresource?: string
  readonly now: string
}

interface FieldOwner {
  readonly entry: ManagedFieldsEntry
  readonly fields: FieldSet
}

// No manager owns identity and bookkeeping fields.
const unowned = FieldSet.fromJson({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
    'f:deletionTimestamp': {},
    'f:deletionGracePeriodSeconds': {},
  },
})

const ownersOf = (object: KubeObject): readonly FieldOwner[] => (object.metadata.managedFields ?? []).map(ownerOf)

function ownerOf(entry: ManagedFieldsEntry): FieldOwner {
  let fields: FieldSet | undefined
  return {
    entry,
    get fields() {
      fields ??= FieldSet.fromJson(entry.fieldsV1 ?? {})
      return fields
    },
  }
}

function isEntryOf({ entry }: FieldOwner, writer: Writer, operation: 'Apply' | 'Update'): boolean {
  if (entry.operation !== operation || entry.manager !== writer.manager) return false
  if ((entry.subresource ?? '') !== (writer.subresource ?? '')) return false
  // All entries of an applier belong to one manager for every version.
  return operation === 'Apply' || entry.apiVersion === writer.apiVersion
}

function entryFor(writer: Writer, operation: 'Apply' | 'Update', fieldsV1: JsonObject): ManagedFieldsEntry {
  const { manager, apiVersion, now: time, subresource } = writer
  const entry = { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 } as const
  return subresource === undefined ? entry : { ...entry, subresource }
}

/** Writes owners back into an object, in upstream's order; entries without fields are removed. */
function withOwners(object: KubeObject, owners: readonly ManagedFieldsEntry[]): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  const sorted = [...owners].sort(
    (a, b) =>
      order(a.operation, b.operation) ||
      order(a.time, b.time) ||
      order(a.manager, b.manager) ||
      order(a.apiVersion, b.apiVersion) ||
      order(a.subresource, b.subresource),
  )
  return withMetadata(object, sorted.length === 0 ? metadata : extended(metadata, { managedFields: sorted }))
}

function order(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The entry with other fields, or the same entry if the fields are equal. */
function rewritten(owner: FieldOwner, fields: FieldSet): ManagedFieldsEntry | undefined {
  if (fields.isEmpty) return undefined
  if (fields.equals(owner.fields)) return owner.entry
  return { ...owner.entry, fieldsV1: fields.toJson() }
}

const writtenAt = (entry: ManagedFieldsEntry, time: string): ManagedFieldsEntry =>
  entry.time === time ? entry : { ...entry, time }

/** The creator of an object owns all of its fields. */
export function trackCreation(object: KubeObject, fieldsV1: JsonObject, writer: Writer): KubeObject {
  if (Object.keys(fieldsV1).length === 0) return object
  const metadata = extended(object.metadata, { managedFields: [entryFor(writer, 'Update', fieldsV1)] })
  return withMetadata(object, metadata)
}

/**
 * Ownership after a write other than apply: the writer owns what it changed, and removed fields have no owner
 * (merge.Updater.Update).
 */
export function trackUpdate(live: KubeObject, next: KubeObject, how: Ownership, writer: Writer): KubeObject {
  const { added, modified, removed } = compare(bare(live), bare(next), how)
  const changed = added.union(modified).difference(unowned)
  const given = next.metadata.managedFields
  const isGood = given?.every(({ operation, fieldsType }) => isKnown(operation) && fieldsType === 'FieldsV1')
  const base = given === undefined || given.length === 0 || isGood !== true ? live : next
  const owners = ownersOf(base)
  if (changed.isEmpty && removed.isEmpty)
    return withOwners(
      next,
      owners.map(({ entry }) => entry),
    )
  const entries: ManagedFieldsEntry[] = []
  let own: FieldOwner | undefined
  for (const owner of owners) {
    if (own === undefined && isEntryOf(owner, writer, 'Update')) {
      own = owner
      continue
    }
    if (isUntouched(owner.entry, changed, removed)) {
      entries.push(owner.entry)
      continue
    }
    const entry = rewritten(owner, owner.fields.difference(changed).difference(removed))
    if (entry !== undefined) entries.push(entry)
  }
  const fields = (own?.fields ?? new FieldSet()).difference(removed).union(changed)
  if (own !== undefined) {
    const entry = rewritten(own, fields)
    // A removal alone keeps the time of the entry (managedFieldsUpdater.Update).
    if (entry !== undefined) entries.push(changed.isEmpty ? entry : writtenAt(entry, writer.now))
  } else if (!fields.isEmpty) entries.push(entryFor(writer, 'Update', fields.toJson()))
  return withOwners(next, entries)
}

/**
 * Most writes touch few fields of other managers, and parsing a record takes longer than looking these fields up in it.
 */
function isUntouched({ fieldsV1 = {} }: ManagedFieldsEntry, changed: FieldSet, removed: FieldSet): boolean {
  return Object.keys(fieldsV1).length > 0 && !changed.meets(fieldsV1) && !removed.meets(fieldsV1)
}

const isKnown = (operation: string | undefined): boolean => operation === 'Apply' || operation === 'Update'

function bare(object: KubeObject): unknown {
  const { managedFields: _, ...metadata } = object.metadata
  return withMetadata(object, metadata)
}

interface Conflict {
  readonly entry: ManagedFieldsEntry
  readonly path: readonly string[]
}

/**
 * Server-side apply: `config` merged into `live`, or the conflicts that forbid it (merge.Updater.Apply). `owned`: the
 * fields of the configuration that its manager owns.
 */
export function applyConfig(
  live: KubeObject,
  config: KubeObject,
  owned: KubeObject,
  how: Ownership,
  writer: Writer,
  force: boolean,
): KubeObject | Failure {
  const first = firstOwners(live, how, writer)
  const owners = first ?? ownersOf(live)
  const claimed = claimedFields(bare(owned), how).difference(unowned)
  const merged = mergeValues(bare(live), bare(config), how) as KubeObject
  const last = owners.find((owner) => isEntryOf(owner, writer, 'Apply'))
  const others = owners.filter((owner) => owner !== last)
  const pruned = prune(merged, last, claimed, others, how)
  const { added, modified, removed } = compare(bare(live), pruned, how)
  const changed = added.union(modified)
  const conflicts = others.flatMap(({ entry, fields }): Conflict[] =>
    fields
      .intersection(changed)
      .paths()
      .map((path) => ({ entry, path })),
  )
  if (conflicts.length > 0 && !force) {
    const serious = seriousConflicts(conflicts, live, how, writer)
    if (serious.length > 0) return conflictFailure(serious)
  }
  const entries: ManagedFieldsEntry[] = []
  for (const owner of others) {
    const entry = rewritten(owner, owner.fields.difference(changed).difference(removed))
    if (entry !== undefined) entries.push(entry)
  }
  if (!claimed.isEmpty) {
    const same = last !== undefined && claimed.equals(last.fields) && last.entry.apiVersion === writer.apiVersion
    const isChanged = !changed.isEmpty || !removed.isEmpty
    if (!same) entries.push(entryFor(writer, 'Apply', claimed.toJson()))
    else entries.push(isChanged ? writtenAt(last.entry, writer.now) : last.entry)
  }
  return withOwners({ ...pruned, metadata: { ...pruned.metadata } }, entries)
}

/** An object without managedFields gets an owner for its existing fields. */
function firstOwners(live: KubeObject, how: Ownership, writer: Writer): readonly FieldOwner[] | undefined {
  if ((live.metadata.managedFields?.length ?? 0) > 0 || live.metadata.uid === undefined) return undefined
  const fields = claimedFields(bare(live), how).difference(unowned)
  const entry = entryFor({ ...writer, manager: 'before-first-apply' }, 'Update', fields.toJson())
  return [{ entry, fields }]
}

/** Removes the fields that the manager applied before and no longer applies, unless another manager owns them. */
function prune(
  merged: KubeObject,
  last: FieldOwner | undefined,
  claimed: FieldSet,
  others: readonly FieldOwner[],
  how: Ownership,
): KubeObject {
  if (last === undefined) return merged
  const kept = withAncestors(claimed)
  for (const { fields } of others) kept.absorb(withAncestors(fields))
  const gone = last.fields.difference(kept)
  return gone.isEmpty ? merged : (removeFields(merged, gone, how) as KubeObject)
}

/** The owner of a field inside an element keeps the element. */
function withAncestors(set: FieldSet): FieldSet {
  const out = new FieldSet(set.member)
  for (const [step, child] of set.children) {
    const inner = withAncestors(child)
    if (inner.isEmpty) continue
    inner.member = true
    out.put(step, inner)
  }
  return out
}

// kubectl's client-side apply stored its configuration in an annotation. Fields that still have these values are not
// conflicts.
function seriousConflicts(
  conflicts: readonly Conflict[],
  live: KubeObject,
  how: Ownership,
  writer: Writer,
): readonly Conflict[] {
  const text = live.metadata.annotations?.[wellKnown.lastApplied]
  if (writer.manager !== 'kubectl' || text === undefined || text === '') return conflicts
  try {
    const applied = JSON.parse(text) as KubeObject & JsonObject
    if (applied.apiVersion !== writer.apiVersion) return conflicts
    const { added, modified, removed } = compare(applied, bare(live), how)
    const untouched = claimedFields(applied, how).difference(modified).difference(added).difference(removed)
    return conflicts.filter(({ path }) => !untouched.has(path))
  } catch {
    return conflicts
  }
}

function managerText({ manager = '', operation, apiVersion = '', subresource }: ManagedFieldsEntry): string {
  const through = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`
  const using = operation === 'Update' ? ` using ${apiVersion}` : ''
  return `${JSON.stringify(manager)}${through}${using}`
}

function conflictFailure(conflicts: readonly Conflict[]): Failure {
  const causes: StatusCause[] = conflicts.map(({ entry, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(entry)}`,
    field: writtenPath(path),
  }))
  const [only] = conflicts
  if (conflicts.length === 1 && only !== undefined) {
    const text = `conflict with ${managerText(only.entry)}: ${writtenPath(only.path)}`
    return failure('Conflict', `Apply failed with 1 conflict: ${text}`, { causes })
  }
  const byManager = new Map<string, string[]>()
  for (const { entry, path } of conflicts) {
    const manager = managerText(entry)
    const paths = byManager.get(manager) ?? []
    paths.push(`- ${writtenPath(path)}`)
    byManager.set(manager, paths)
  }
  const lines = [...byManager.keys()]
    .sort()
    .flatMap((manager) => [`conflicts with ${manager}:`, ...(byManager.get(manager) ?? [])])
  return failure('Conflict', `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`, { causes })
}
