import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Change } from '../../runtime/controller.ts'
import { createReadModel } from '../../runtime/read-model.ts'
import type { Store } from '../../store/contract.ts'

/** All objects of some resources as the changes of a controller's first step, and a view of them. */
export function storedChanges(store: Pick<Store, 'list'>, resources: readonly string[]) {
  const changes = resources.flatMap((resource) =>
    store.list(resource).map((after) => ({ resource, key: keyOf(after as KubeObject), after }) as unknown as Change),
  )
  const view = createReadModel()
  view.apply(changes)
  return { changes, view }
}
