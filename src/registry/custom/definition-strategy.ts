import type { Condition, KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import type { WriteContext } from '../kind.ts'
import type { Definition } from './custom-kind.ts'
import { unknownFormats } from './formats.ts'

export const definitionsResource = 'customresourcedefinitions.apiextensions.k8s.io'

/** Holds a definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** Names that a definition may leave out (v1.36, apiextensions/v1 defaults). */
export function withDefinitionDefaults(object: KubeObject): KubeObject {
  const definition = object as Definition
  const names = definition.spec?.names
  if (names === undefined) return object
  const conversion = (definition.spec as { readonly conversion?: unknown }).conversion ?? { strategy: 'None' }
  const singular = names.singular ?? (names.kind ?? '').toLowerCase()
  const kind = names.kind ?? ''
  const listKind = names.listKind ?? (kind === '' ? undefined : `${kind}List`)
  const spec = {
    ...definition.spec,
    conversion,
    names: { ...names, singular, ...(listKind === undefined ? {} : { listKind }) },
  }
  return { ...definition, spec } as Definition
}

/** Upstream's controllers accept the names a moment later; here that moment is the creation itself. */
export function acceptDefinition(object: KubeObject, context: WriteContext): KubeObject {
  return accepted(object as Definition, clashingName(object as Definition, context), context.now)
}

/** A definition as a server holds it that has accepted it. */
export function establishedDefinition(object: KubeObject, now: string): Definition {
  return accepted(withDefinitionDefaults(object) as Definition, undefined, now)
}

interface Clash {
  readonly reason: string
  readonly message: string
}

function accepted(definition: Definition, clash: Clash | undefined, now: string): Definition {
  const condition = (type: string, good: boolean, reason: string, message: string): Condition => ({
    type,
    status: good ? 'True' : 'False',
    lastTransitionTime: now,
    reason,
    message,
  })
  const conditions =
    clash === undefined
      ? [
          condition('NamesAccepted', true, 'NoConflicts', 'no conflicts found'),
          condition('Established', true, 'InitialNamesAccepted', 'the initial names have been accepted'),
        ]
      : [
          condition('NamesAccepted', false, clash.reason, clash.message),
          condition('Established', false, 'NotAccepted', 'not all names are accepted'),
        ]
  const storage = storageVersion(definition)
  const status = {
    conditions,
    acceptedNames: clash === undefined ? definition.spec.names : { plural: '', kind: '' },
    storedVersions: storage === undefined ? [] : [storage],
  }
  return { ...definition, status } as Definition
}

// Validation comes later, so there may be no versions at all.
function storageVersion({ spec }: Definition): string | undefined {
  return (spec.versions as Definition['spec']['versions'] | null)?.find((version) => version.storage === true)?.name
}

/** A definition that is being deleted: its objects go first (customresourcedefinition, REST.Delete). */
export function terminatingDefinition(object: KubeObject): KubeObject {
  const definition = object as Definition
  const finalizers = definition.metadata.finalizers ?? []
  const held = finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer]
  const others = (definition.status?.conditions ?? []).filter(({ type }) => type !== 'Terminating')
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: definition.metadata.deletionTimestamp,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  }
  return {
    ...definition,
    metadata: { ...definition.metadata, finalizers: held },
    status: { ...definition.status, conditions: [...others, terminating] },
  } as Definition
}

function clashingName({ metadata, spec }: Definition, { kinds }: WriteContext): Clash | undefined {
  const others = kinds.all().filter((kind) => kind.group === spec.group && kind.resource !== metadata.name)
  for (const name of [spec.names.singular, ...(spec.names.shortNames ?? [])]) {
    const taken = others.some((kind) => kind.singular === name || kind.shortNames.includes(name ?? ''))
    if (taken) return { reason: 'ShortNamesConflict', message: `${JSON.stringify(name)} is already in use` }
  }
  if (others.some((kind) => kind.kind === spec.names.kind)) {
    return { reason: 'KindConflict', message: `${JSON.stringify(spec.names.kind)} is already in use` }
  }
  return undefined
}

/** A storage version that was used once stays on the record. */
export function updateDefinition(object: KubeObject, old: KubeObject): KubeObject {
  const definition = object as Definition
  const stored = (old as Definition).status?.storedVersions ?? []
  const storage = storageVersion(definition)
  if (storage === undefined || stored.includes(storage)) return object
  return { ...definition, status: { ...definition.status, storedVersions: [...stored, storage] } } as Definition
}

/** Takes a definition away that is to go and has no objects left. Whether it did. */
export function finishDefinition({ store }: { readonly store: Store }, name: string): boolean {
  const definition = store.get(definitionsResource, name)
  if (definition?.metadata.deletionTimestamp === undefined || store.count(name) > 0) return false
  const others = definition.metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer) ?? []
  if (others.length > 0) return false
  return store.commit([{ kind: 'delete', resource: definitionsResource, key: name }]).ok
}

/** Formats that nothing will be held to (customresourcedefinition, WarningsOnCreate). */
export function definitionWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const known = new Set(old === undefined ? [] : formatsOf(old as Definition))
  return formatsOf(object as Definition)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`)
}

function formatsOf({ spec }: Definition): readonly string[] {
  const found = new Set<string>()
  for (const { schema } of spec.versions) {
    if (schema?.openAPIV3Schema !== undefined) unknownFormats(schema.openAPIV3Schema, found)
  }
  return [...found].sort()
}
