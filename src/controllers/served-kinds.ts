/** The facts about each resource that a controller of all resources needs: a subset of the registry's kind. */
export interface ServedKind {
  /** `pods`, `deployments.apps`. */
  readonly resource: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** Differs from the resource if two kinds are views of the same objects. */
  readonly storage: string
  readonly ephemeral?: boolean
  /** Absent for custom resources, which do not support strategic merge. */
  readonly shape?: unknown
}

/**
 * The currently served kinds, by resource and by group and kind. They are read again after definitions have changed.
 */
export class ServedKinds {
  readonly all: readonly ServedKind[]
  private readonly byResource = new Map<string, ServedKind>()
  private readonly byKind = new Map<string, ServedKind>()

  constructor(kinds: readonly ServedKind[]) {
    const all: ServedKind[] = []
    for (const kind of kinds) {
      // A custom resource may be served in several versions with the same objects.
      if (kind.ephemeral === true || kind.storage !== kind.resource || this.byResource.has(kind.resource)) continue
      all.push(kind)
      this.byResource.set(kind.resource, kind)
      this.byKind.set(`${kind.group}/${kind.kind}`, kind)
    }
    this.all = all
  }

  find(resource: string): ServedKind | undefined {
    return this.byResource.get(resource)
  }

  ofReference({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ServedKind | undefined {
    const slash = apiVersion.indexOf('/')
    return this.byKind.get(`${slash < 0 ? '' : apiVersion.slice(0, slash)}/${kind}`)
  }
}
