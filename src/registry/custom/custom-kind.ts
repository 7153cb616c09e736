import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { MutableFields } from '../../base/fields.ts'
import { joinProblems } from '../apply/typed-problems.ts'
import type { Ownership } from '../apply/typed-value.ts'
import type { WebhookClientConfig } from '../dynamic/webhook-target.ts'
import type { Kind, ResourceVerb, Strategy, Subresource } from '../kinds/kind.ts'
import type { ScaleAccess } from '../subresources/scale.ts'
import type { ConversionWebhook } from './conversion-webhook.ts'
import { customErrors, customWarnings } from './custom-validation.ts'
import { parseJsonPath, readField, readJsonPath, withField } from './json-path.ts'
import { applySchemaDefaults, itemsOf, metadataFields, propertyOf, prune, type Schema, withoutNulls } from './schema.ts'
import { compareVersions } from './version-order.ts'

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface DefinitionVersion {
  readonly name: string
  readonly served?: boolean
  readonly storage?: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: Schema }
  readonly subresources?: {
    readonly status?: object
    readonly scale?: {
      readonly specReplicasPath: string
      readonly statusReplicasPath: string
      readonly labelSelectorPath?: string
    }
  }
  readonly additionalPrinterColumns?: readonly PrinterColumn[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

export interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string
    readonly names: {
      readonly plural: string
      readonly singular?: string
      readonly shortNames?: readonly string[]
      readonly kind: string
      readonly listKind?: string
      readonly categories?: readonly string[]
    }
    readonly scope: string
    readonly versions: readonly DefinitionVersion[]
    readonly preserveUnknownFields?: boolean
    readonly conversion?: {
      readonly strategy?: string
      readonly webhook?: {
        readonly clientConfig?: WebhookClientConfig
        readonly conversionReviewVersions?: readonly string[]
      }
    }
  }
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly storedVersions?: readonly string[]
    readonly acceptedNames?: Definition['spec']['names']
  }
}

/** One version of a custom resource, from its definition. */
export interface CustomSchema {
  readonly schema: Schema | undefined
  readonly preserves: boolean
  readonly columns: readonly PrinterColumn[]
  readonly ownership: Ownership
  /** All versions share one storage; objects are converted to the requested version. */
  readonly storageVersion: string
  /** The webhook that converts objects between versions. Absent: only apiVersion changes. */
  readonly conversion?: ConversionWebhook
  /** Warnings for every request to this version. */
  readonly warnings: readonly string[]
  readonly scale?: ScalePaths
}

const verbs: readonly ResourceVerb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
]
const rewriteVerbs: readonly ResourceVerb[] = ['get', 'patch', 'update']

/** The kinds of a definition: one for each served version. The stored one comes first. */
export function customKinds(definition: Definition, release: KubernetesRelease): readonly Kind[] {
  const { spec } = definition
  const established = definition.status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')
  if (established !== true) return []
  const served = spec.versions.filter((version) => version.served === true)
  const sorted = [...served].sort((a, b) => Number(b.storage === true) - Number(a.storage === true))
  return sorted.map((version) => customKind(definition, version, release))
}

function customKind(definition: Definition, version: DefinitionVersion, release: KubernetesRelease): Kind {
  const { group, scope } = definition.spec
  // Names that are not accepted belong to another definition.
  const accepted = definition.status?.acceptedNames
  const names = accepted === undefined || accepted.plural === '' ? definition.spec.names : accepted
  const resource = `${names.plural}.${group}`
  const schema = version.schema?.openAPIV3Schema
  const scale = version.subresources?.scale
  const storageVersion = definition.spec.versions.find((one) => one.storage === true)?.name ?? version.name
  const custom: CustomSchema = {
    schema,
    preserves: definition.spec.preserveUnknownFields === true,
    columns: version.additionalPrinterColumns ?? [],
    ownership: ownershipOf(schema, true),
    storageVersion,
    ...conversionOf(definition),
    warnings: deprecation(definition, version),
    ...(scale === undefined ? {} : { scale }),
  }
  const namespaced = scope === 'Namespaced'
  return {
    resource,
    group,
    version: version.name,
    apiVersion: `${group}/${version.name}`,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced,
    verbs,
    subresources: subresourcesOf(names.kind, version),
    storage: resource,
    fromStorage: readAs(`${group}/${version.name}`, custom),
    toStorage: (object) => stored(definition, object, version.name, storageVersion),
    custom,
    strategy: customStrategy(custom, version, namespaced, release),
    release,
    ...(scale === undefined ? {} : { scale: scaleAccess(scale) }),
  }
}

const webhooks = new WeakMap<Definition, ConversionWebhook>()

/** All versions of a definition share one webhook object, which is the key of cached conversions. */
function conversionOf(definition: Definition): { readonly conversion?: ConversionWebhook } {
  const { conversion } = definition.spec
  if (conversion?.strategy !== 'Webhook') return {}
  let webhook = webhooks.get(definition)
  if (webhook === undefined) {
    webhook = {
      name: definition.metadata.name,
      clientConfig: conversion.webhook?.clientConfig ?? {},
      reviewVersions: conversion.webhook?.conversionReviewVersions ?? [],
    }
    webhooks.set(definition, webhook)
  }
  return { conversion: webhook }
}

const asVersion = (object: KubeObject, apiVersion: string): KubeObject =>
  object.apiVersion === apiVersion ? object : { ...object, apiVersion }

/** An object in its storage version, whose schema may have fewer fields than the schema of the written version. */
function stored({ spec }: Definition, object: KubeObject, version: string, storageVersion: string): KubeObject {
  if (version === storageVersion) return object
  const schema = spec.versions.find(({ name }) => name === storageVersion)?.schema?.openAPIV3Schema
  const converted = asVersion(object, `${spec.group}/${storageVersion}`)
  return schema === undefined ? converted : (prune(converted, schema, '', true).value as KubeObject)
}

/**
 * A stored object in a version: its fields and defaults, even if the schema has changed since it was written. Objects
 * are read often, so the result is kept as long as the object.
 */
function readAs(apiVersion: string, custom: CustomSchema): (object: KubeObject) => KubeObject {
  const made = new WeakMap<KubeObject, KubeObject>()
  return (object) => {
    let found = made.get(object)
    if (found === undefined) {
      const { object: kept } = pruneCustom(custom, asVersion(object, apiVersion) as unknown as MutableFields)
      found = completed(kept, custom.schema) as KubeObject
      made.set(object, found)
    }
    return found
  }
}

/** A resource with its defaults, and without nulls that its schema does not allow. */
const completed = (object: unknown, schema: Schema | undefined): unknown =>
  withoutNulls(applySchemaDefaults(object, schema, true), schema, true)

/** customresourcedefinition, defaultDeprecationWarning: a newer version that is not deprecated is recommended. */
function deprecation({ spec }: Definition, version: DefinitionVersion): readonly string[] {
  if (version.deprecated !== true) return []
  if (version.deprecationWarning !== undefined) return [version.deprecationWarning]
  const [better] = spec.versions
    .filter((one) => one.served === true && one.deprecated !== true)
    .map(({ name }) => name)
    .filter((name) => compareVersions(name, version.name) > 0)
    .sort((a, b) => compareVersions(b, a))
  const told = `${spec.group}/${version.name} ${spec.names.kind} is deprecated`
  return [better === undefined ? told : `${told}; use ${spec.group}/${better} ${spec.names.kind}`]
}

function subresourcesOf(kind: string, { subresources = {} }: DefinitionVersion): readonly Subresource[] {
  const found: Subresource[] = []
  if (subresources.status !== undefined) found.push({ name: 'status', kind, verbs: rewriteVerbs })
  if (subresources.scale !== undefined) {
    found.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: rewriteVerbs })
  }
  return found
}

function customStrategy(
  custom: CustomSchema,
  version: DefinitionVersion,
  namespaced: boolean,
  release: KubernetesRelease,
): Strategy {
  const selectable: Record<string, (object: KubeObject) => string> = {}
  for (const { jsonPath } of version.selectableFields ?? []) {
    const path = parseJsonPath(jsonPath) ?? []
    selectable[jsonPath.replace(/^\./, '')] = (object) => String(readJsonPath(path, object)[0] ?? '')
  }
  return {
    nameRule: 'subdomain',
    generation: 'everything',
    needsVersion: true,
    statusMetadata: 'keeps-all',
    default: (object) => completed(object, custom.schema) as KubeObject,
    validate: (object, old, subresource) => customErrors(custom, object, old, { release, namespaced, subresource }),
    warnings: (object, old) => customWarnings(custom, object, old),
    ...(Object.keys(selectable).length === 0 ? {} : { selectable }),
  }
}

/** The pruned object, and the unknown fields. */
export function pruneCustom(
  custom: CustomSchema,
  object: MutableFields,
): { object: MutableFields; unknown: readonly string[] } {
  if (custom.preserves || custom.schema === undefined) return { object, unknown: [] }
  const { value, unknown } = prune(object, custom.schema, '', true)
  return { object: value as MutableFields, unknown }
}

/**
 * Errors for applied fields that the schema does not have, and that therefore cannot have an owner.
 * structured-merge-diff stops at the first such field of each map.
 */
export function undeclaredField(custom: CustomSchema | undefined, config: KubeObject): string | undefined {
  if (custom === undefined || custom.preserves || custom.schema === undefined) return undefined
  const { unknown } = pruneCustom(custom, config as unknown as MutableFields)
  const inMetadata = Object.keys(config.metadata ?? {}).filter((name) => !metadataFields.has(name))
  const maps = new Set<string>()
  const problems: string[] = []
  for (const path of [...inMetadata.map((name) => `metadata.${name}`), ...unknown]) {
    const map = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    if (maps.has(map)) continue
    maps.add(map)
    problems.push(`.${path}: field not declared in schema`)
  }
  return joinProblems(problems)
}

const leaf: Ownership = { is: 'leaf' }
const deduced: Ownership = { is: 'members', of: () => deduced }
const metadataOwnership: Ownership = { is: 'members', of: (name) => (name === 'finalizers' ? { is: 'set' } : deduced) }

function ownershipOf(schema: Schema | undefined, root = false): Ownership {
  if (schema === undefined) return deduced
  if (schema.type === 'array') {
    const listType = schema['x-kubernetes-list-type']
    if (listType === 'set') return { is: 'set' }
    if (listType !== 'map') return leaf
    return { is: 'elements', keys: schema['x-kubernetes-list-map-keys'] ?? [], of: ownershipOf(itemsOf(schema)) }
  }
  if (schema['x-kubernetes-map-type'] === 'atomic') return leaf
  if (schema.type !== 'object' && schema['x-kubernetes-preserve-unknown-fields'] !== true) return leaf
  const known = new Map<string, Ownership>(root ? [['metadata', metadataOwnership]] : [])
  return {
    is: 'members',
    of: (name) => {
      let found = known.get(name)
      if (found === undefined) {
        found = ownershipOf(propertyOf(schema, name))
        known.set(name, found)
      }
      return found
    },
  }
}

export type ScalePaths = NonNullable<NonNullable<DefinitionVersion['subresources']>['scale']>

function scaleAccess({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): ScaleAccess {
  const count = (path: string) => (object: KubeObject) => Number(readField(path, object) ?? 0)
  return {
    replicas: count(specReplicasPath),
    observed: count(statusReplicasPath),
    selector: (object) => (labelSelectorPath === undefined ? '' : String(readField(labelSelectorPath, object) ?? '')),
    withReplicas: (object, replicas) => withField(specReplicasPath, object, replicas) as KubeObject,
  }
}
