import type { StructShape } from '../schema/shape.ts'
import { TypeTable } from '../schema/type-table.ts'

export interface ReleaseApi {
  /** For example 1.36. */
  readonly minor: string
  /** Every type of every group and version, served or not. */
  readonly types: TypeTable
  /** Whether the API server serves a version without --runtime-config. */
  isServed(group: string, version: string): boolean
  /** The type of a kind, for example `('apps', 'v1', 'Deployment')`. */
  shapeOfKind(group: string, version: string, kind: string): StructShape | undefined
  /** `io.k8s.api.core.v1.Pod` for `core.Pod`. */
  openApiName(shape: StructShape): string
}

/** `tables`: the table of the oldest release, and the changes of each later release up to this one. */
export function createReleaseApi(minor: string, tables: readonly string[]): ReleaseApi {
  const types = new TypeTable(tables)
  let ids: ReadonlyMap<string, string> | undefined
  const packageIds = () => {
    ids ??= new Map([...types.packages.values()].map(({ id, group, version }) => [`${group}/${version}`, id]))
    return ids
  }
  return {
    minor,
    types,
    isServed: (group, version) => types.packages.get(packageIds().get(`${group}/${version}`) ?? '')?.isServed === true,
    shapeOfKind: (group, version, kind) => {
      const id = packageIds().get(`${group}/${version}`)
      return id === undefined ? undefined : types.get(`${id}.${kind}`)
    },
    openApiName: ({ id, name }) => `${types.packages.get(id.slice(0, id.indexOf('.')))?.openApi ?? 'io.k8s'}.${name}`,
  }
}
