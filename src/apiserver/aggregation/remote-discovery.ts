/** A resource as another server lists it (meta/v1, APIResource). */
export interface RemoteResource {
  readonly name?: string
  readonly singularName?: string
  readonly namespaced?: boolean
  readonly group?: string
  readonly version?: string
  readonly kind?: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

/** A version of a group that another server serves. */
export interface RemoteGroupVersion {
  readonly group: string
  readonly version: string
  readonly resources: readonly RemoteResource[]
  readonly isCurrent: boolean
}

/** The form of aggregated discovery (apiserver, discovery/aggregated, ConvertAPIResources). */
export function aggregatedVersion({ group, version, resources, isCurrent }: RemoteGroupVersion) {
  const responseKind = (one: RemoteResource) => ({
    group: one.group || group,
    version: one.version || version,
    kind: one.kind ?? '',
  })
  const listed = resources.filter(({ name = '' }) => name !== '' && !name.includes('/'))
  return {
    version,
    resources: listed.map((one) => {
      const subresources = resources.filter(({ name = '' }) => name.startsWith(`${one.name}/`))
      return {
        resource: one.name,
        responseKind: responseKind(one),
        scope: one.namespaced === true ? 'Namespaced' : 'Cluster',
        singularResource: one.singularName ?? '',
        verbs: one.verbs ?? [],
        ...(one.shortNames === undefined || one.shortNames.length === 0 ? {} : { shortNames: one.shortNames }),
        ...(one.categories === undefined || one.categories.length === 0 ? {} : { categories: one.categories }),
        ...(subresources.length === 0
          ? {}
          : {
              subresources: subresources.map((sub) => ({
                subresource: (sub.name ?? '').slice((one.name ?? '').length + 1),
                responseKind: responseKind(sub),
                verbs: sub.verbs ?? [],
              })),
            }),
      }
    }),
    freshness: isCurrent ? 'Current' : 'Stale',
  }
}
