import type { KubeObject } from '../api/objects/meta.ts'
import type { KnownResource, ResourceTypes } from '../api/objects/resources.ts'
import type { Kind, KindTable } from '../registry/kinds/kind.ts'
import { findKindByName } from '../whatif/scenario/kind-names.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'

type PluralOf<R extends string> = R extends `${infer Plural}.${string}` ? Plural : R

/** The served kinds by their plural: `deployments`. A plural of two groups is that of the core group. */
type ByPlural = {
  [R in KnownResource as PluralOf<R> extends KnownResource
    ? R extends PluralOf<R>
      ? R
      : never
    : PluralOf<R>]: ResourceTypes[R]
}

/**
 * The name of a resource: `pods`, `deployments`, `deployments.apps`, or the plural and group of a custom resource,
 * `widgets.example.com`.
 */
export type ServedResource = KnownResource | keyof ByPlural | `${string}.${string}`

/** The type of the objects of a resource. */
export type ObjectNamed<R extends ServedResource> = R extends KnownResource
  ? ResourceTypes[R]
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
