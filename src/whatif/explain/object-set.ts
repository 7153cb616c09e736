import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KnownResource, ObjectOf } from '../../api/objects/resources.ts'
import type { Store } from '../../store/contract.ts'

/** Read access to the objects of a cluster, from a store, an API server or a file. */
export interface ObjectSource {
  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined
  list<R extends KnownResource>(resource: R, namespace?: string): readonly ObjectOf<R>[]
}

/** The objects of a store. */
export function sourceOf(store: Store): ObjectSource {
  return {
    get: (resource, key) => store.get(resource, key) as never,
    list: <R extends KnownResource>(resource: R, namespace?: string) => {
      const all = store.list(resource) as unknown as readonly ObjectOf<R>[]
      return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace)
    },
  }
}

export class ObjectSet implements ObjectSource {
  private readonly tables = new Map<string, Map<string, KubeObject>>()

  add(resource: string, object: KubeObject): void {
    let table = this.tables.get(resource)
    if (table === undefined) {
      table = new Map()
      this.tables.set(resource, table)
    }
    table.set(keyOf(object), object)
  }

  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined {
    return this.tables.get(resource)?.get(key) as ObjectOf<R> | undefined
  }

  list<R extends KnownResource>(resource: R, namespace?: string): readonly ObjectOf<R>[] {
    const all = [...(this.tables.get(resource)?.values() ?? [])] as ObjectOf<R>[]
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace)
  }
}
