import { deepEqual } from '../../api/equality.ts'
import type { Condition, KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import type { WriteContext } from '../kinds/kind.ts'
import type { Definition } from './custom-kind.ts'
import { unknownFormats } from './formats.ts'

export const definitionsResource = 'customresourcedefinitions.apiextensions.k8s.io'

/** Keeps a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** Default names of a definition (v1.36, apiextensions/v1 defaults). */
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

/** Upstream's controllers accept the names shortly after the creation; here it happens with the creation. */
export function acceptDefinition(object: KubeObject, context: WriteContext): KubeObject {
  return accepted(object as Definition, undefined, takenNames(object as Definition, context), context.now)
}

/** An accepted definition, as a server stores it. */
export function establishedDefinition(object: KubeObject, now: string): Definition {
  return accepted(withDefinitionDefaults(object) as Definition, undefined, noNames, now)
}

interface TakenNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

const noNames: TakenNames = { resources: new Set(), kinds: new Set() }

function takenNames({ metadata, spec }: Definition, { kinds }: WriteContext): TakenNames {
  const others = kinds.all().filter((kind) => kind.group === spec.group && kind.resource !== metadata.name)
  return {
    resources: new Set(others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames])),
    kinds: new Set(others.flatMap(({ kind, listKind }) => [kind, listKind])),
  }
}

type DefinitionNames = Definition['spec']['names']

/** The names that are free, and why others are not (apiextensions, NamingConditionController). */
function acceptNames(wanted: DefinitionNames, before: DefinitionNames | undefined, { resources, kinds }: TakenNames) {
  let clash: { readonly reason: string; readonly message: string } | undefined
  const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`
  const choose = (name: string, had: string | undefined, taken: ReadonlySet<string>, reason: string): string => {
    if (name === had || name === '' || !taken.has(name)) return name
    clash = { reason, message: inUse(name) }
    return had ?? ''
  }
  const plural = choose(wanted.plural, before?.plural, resources, 'PluralConflict')
  const singular = choose(wanted.singular ?? '', before?.singular, resources, 'SingularConflict')
  const short = wanted.shortNames ?? []
  const lost = short.filter((name) => resources.has(name) && before?.shortNames?.includes(name) !== true)
  if (lost.length > 0) {
    const told = lost.map(inUse)
    clash = { reason: 'ShortNamesConflict', message: told.length === 1 ? (told[0] as string) : `[${told.join(', ')}]` }
  }
  const shortNames = lost.length > 0 ? (before?.shortNames ?? []) : short
  const kind = choose(wanted.kind, before?.kind, kinds, 'KindConflict')
  const listKind = choose(wanted.listKind ?? '', before?.listKind, kinds, 'ListKindConflict')
  const names = {
    plural,
    ...(singular === '' ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === '' ? {} : { listKind }),
    ...(wanted.categories === undefined ? {} : { categories: wanted.categories }),
  }
  return { names, clash: clash as { readonly reason: string; readonly message: string } | undefined }
}

function accepted(definition: Definition, old: Definition | undefined, taken: TakenNames, now: string): Definition {
  const { names, clash } = acceptNames(
    definition.spec.names ?? { plural: '', kind: '' },
    old?.status?.acceptedNames,
    taken,
  )
  const before = old?.status?.conditions ?? []
  const condition = (type: string, good: boolean, reason: string, message: string): Condition => {
    const status = good ? 'True' : 'False'
    const same = before.find((one) => one.type === type && one.status === status) as Condition | undefined
    return { type, status, lastTransitionTime: same?.lastTransitionTime ?? now, reason, message }
  }
  const isEstablished = before.some(({ type, status }) => type === 'Established' && status === 'True')
  const conditions = [
    clash === undefined
      ? condition('NamesAccepted', true, 'NoConflicts', 'no conflicts found')
      : condition('NamesAccepted', false, clash.reason, clash.message),
    clash === undefined || isEstablished
      ? condition('Established', true, 'InitialNamesAccepted', 'the initial names have been accepted')
      : condition('Established', false, 'NotAccepted', 'not all names are accepted'),
  ]
  const storage = storageVersion(definition)
  const status = { conditions, acceptedNames: names, storedVersions: storage === undefined ? [] : [storage] }
  return { ...definition, status } as Definition
}

// Validation comes later, so versions may be missing here.
function storageVersion({ spec }: Definition): string | undefined {
  return (spec.versions as Definition['spec']['versions'] | null)?.find((version) => version.storage === true)?.name
}

/** A terminating definition: its objects are deleted first (customresourcedefinition, REST.Delete). */
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

/** Former storage versions stay in the status; new names are checked like the first ones. */
export function updateDefinition(object: KubeObject, old: KubeObject, context: WriteContext): KubeObject {
  const [definition, before] = [object as Definition, old as Definition]
  const stored = before.status?.storedVersions ?? []
  const storage = storageVersion(definition)
  const storedVersions = storage === undefined || stored.includes(storage) ? stored : [...stored, storage]
  if (deepEqual(definition.spec.names, before.spec.names)) {
    if (storedVersions === stored) return object
    return { ...definition, status: { ...definition.status, storedVersions } } as Definition
  }
  const { status } = accepted(definition, before, takenNames(definition, context), context.now)
  const others = (before.status?.conditions ?? []).filter(
    ({ type }) => type !== 'NamesAccepted' && type !== 'Established',
  )
  const conditions = [...(status?.conditions ?? []), ...others]
  return { ...definition, status: { ...status, conditions, storedVersions } } as Definition
}

/** Removes a terminating definition without objects. Returns whether it did. */
export function finishDefinition({ store }: { readonly store: Store }, name: string): boolean {
  const definition = store.get(definitionsResource, name)
  if (definition?.metadata.deletionTimestamp === undefined || store.count(name) > 0) return false
  const others = definition.metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer) ?? []
  if (others.length > 0) return false
  return store.commit([{ kind: 'delete', resource: definitionsResource, key: name }]).ok
}

/** Formats that are not enforced (customresourcedefinition, WarningsOnCreate). */
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
