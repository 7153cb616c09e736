import type { Kind, KindTable } from '../../registry/kinds/kind.ts'

/** Finds a kind by name, plural, short name or resource: `pod`, `po`, `Deployment`, `deployments.apps`. */
export function findKindByName(kinds: KindTable, name: string): Kind | undefined {
  const wanted = name.toLowerCase()
  const stored = kinds.all().filter(({ ephemeral }) => ephemeral !== true)
  return (
    stored.find(({ resource }) => resource === wanted) ??
    stored.find(({ kind, plural, singular }) => [kind.toLowerCase(), plural, singular].includes(wanted)) ??
    stored.find(({ shortNames }) => shortNames.includes(wanted))
  )
}

/** The kind of a manifest. */
export function kindOfObject(
  kinds: Pick<KindTable, 'findKind'>,
  object: { readonly apiVersion?: string; readonly kind?: string },
): Kind | undefined {
  const [group, version] = splitApiVersion(object.apiVersion ?? '')
  const found = kinds.findKind(group, object.kind ?? '')
  return found === undefined || version === '' ? undefined : found
}

function splitApiVersion(apiVersion: string): readonly [string, string] {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
}
