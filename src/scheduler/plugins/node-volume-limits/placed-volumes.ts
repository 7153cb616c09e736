import type { Pod } from '../../../api/objects/pod.ts'
import type { ObjectReader } from '../../contract/contract.ts'
import { type CountedVolumes, volumesOf } from './attached-volumes.ts'

const readFields = ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses.storage.k8s.io'] as const

/** The attached volumes of placed pods, kept from cycle to cycle, because few pods and claims change. */
export class PlacedVolumes {
  private objects: ObjectReader | undefined
  /** A list is replaced when one of its objects changes, so the lists show whether anything changed. */
  private lists: readonly unknown[] = []
  private withPortworx = new WeakMap<Pod, CountedVolumes>()
  private withoutPortworx = new WeakMap<Pod, CountedVolumes>()

  /** Must be called at the start of a cycle. */
  look(objects: ObjectReader): void {
    const lists = readFields.map((resource) => objects.list(resource))
    const isSame = lists.every((list, i) => list === this.lists[i])
    this.objects = objects
    if (isSame) return
    this.lists = lists
    this.withPortworx = new WeakMap()
    this.withoutPortworx = new WeakMap()
  }

  /** The volumes of a pod on a node with drivers. */
  of(pod: Pod, migratesPortworx: boolean): CountedVolumes {
    const known = migratesPortworx ? this.withPortworx : this.withoutPortworx
    let counted = known.get(pod)
    if (counted === undefined) {
      counted = volumesOf(pod, {
        objects: this.objects as ObjectReader,
        hasDrivers: true,
        migratesPortworx,
        isPlaced: true,
      })
      known.set(pod, counted)
    }
    return counted
  }
}
