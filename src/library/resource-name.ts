import type { KubeObject } from '../api/objects/meta.ts'
import type { KnownResource, ResourceTypes } from '../api/objects/resources.ts'
import type { Kind, KindTable } from '../registry/kinds/kind.ts'
import { findKindByName } from '../whatif/scenario/kind-names.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'
import type { ServedTypes } from './kubernetes-types/served-types.ts'

type PluralOf<R extends string> = R extends `${infer Plural}.${string}` ? Plural : R

/**
 * The built-in kinds by resource name. Kinds that berth reads have also the types that its plugins and controllers use, so that
 * these accept them.
 */
type KnownTypes = Omit<ResourceTypes, keyof ServedTypes> & {
  [R in keyof ServedTypes]: R extends KnownResource ? ServedTypes[R] & ResourceTypes[R] : ServedTypes[R] & KubeObject
}

type KnownName = keyof ServedTypes | KnownResource

/** The served kinds by their plural: `deployments`. If two groups have the same plural, the core group takes precedence. */
type ByPlural = {
  [R in KnownName as PluralOf<R> extends KnownName ? (R extends PluralOf<R> ? R : never) : PluralOf<R>]: KnownTypes[R]
}

/**
 * The name of a resource: `pods`, `deployments`, `deployments.apps`, or the plural and group of a custom resource,
 * `widgets.example.com`.
 */
export type ServedResource = KnownName | keyof ByPlural | `${string}.${string}`

/** The type of the objects of a resource. */
export type ObjectNamed<R extends ServedResource> = R extends KnownName
  ? KnownTypes[R]
  : R extends keyof ByPlural
    ? ByPlural[R]
    : KubeObject

/** A resource name that the cluster does not serve. */
export class UnknownResourceError extends Error {
  override readonly name = 'UnknownResourceError'
}

/** Finds a kind by resource name, plural, singular, kind or short name. */
export function kindNamed(kinds: KindTable, name: string): Kind {
  const kind = kinds.find(name) ?? findKindByName(kinds, name)
  if (kind !== undefined) return kind
  const known = new Set(kinds.all().flatMap(({ resource, plural }) => [resource, plural]))
  throw new UnknownResourceError(`the cluster does not serve ${JSON.stringify(name)}; ${nameHint(name, [...known])}`)
}
