import type { OwnerReference } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'

/** The object that users deploy: the outermost controller of a pod, or the pod itself. One object per workload and finder. */
export interface OwningWorkload {
  /** `namespace/Kind/name` */
  readonly id: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /**
   * The pods belong to their nodes (pods of a DaemonSet, and mirror pods). They never move, and end with their node.
   */
  readonly isPerNode: boolean
}

// Controllers of pods that another controller may own.
const innerKinds = lookupTable<string>({
  ReplicaSet: 'replicasets.apps',
  Job: 'jobs.batch',
  StatefulSet: 'statefulsets.apps',
  Deployment: 'deployments.apps',
})

const mostLevels = 4

/**
 * Finds the workloads of pods. Remembers them by controller, so that a workload is known after its controller was
 * deleted.
 */
export class WorkloadFinder {
  private readonly store: Store
  /** By the uid of the controller of the pod, and by the uid of the outermost controller. */
  private readonly known = new Map<string, OwningWorkload>()
  private readonly outer = new Map<string, OwningWorkload>()

  constructor(store: Store) {
    this.store = store
  }

  of(pod: Pod): OwningWorkload {
    const { namespace = '', name, uid = '' } = pod.metadata
    const owner = controllerOf(pod)
    // A mirror pod belongs to its node, so each mirror pod is a workload.
    if (owner === undefined) return workload('Pod', namespace, name, uid)
    if (owner.kind === 'Node') return { ...workload('Pod', namespace, name, uid), isPerNode: true }
    const known = this.known.get(owner.uid)
    if (known !== undefined) return known
    const found = this.outermost(namespace, owner)
    this.known.set(owner.uid, found)
    return found
  }

  private outermost(namespace: string, owner: OwnerReference): OwningWorkload {
    let current = owner
    for (let level = 0; level < mostLevels; level++) {
      const resource = innerKinds[current.kind]
      const object = resource === undefined ? undefined : this.store.get(resource, `${namespace}/${current.name}`)
      const next = object === undefined ? undefined : controllerOf(object)
      if (next === undefined) break
      current = next
    }
    // All ReplicaSets of a Deployment have one workload.
    const found = this.outer.get(current.uid) ?? workload(current.kind, namespace, current.name, current.uid)
    this.outer.set(current.uid, found)
    return found
  }
}

function workload(kind: string, namespace: string, name: string, uid: string): OwningWorkload {
  return { id: `${namespace}/${kind}/${name}`, kind, namespace, name, uid, isPerNode: kind === 'DaemonSet' }
}
