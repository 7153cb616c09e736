import type { Node } from '../../../api/objects/node.ts'

/**
 * The images on each node, with the size that the node reports. kube-scheduler uses the size from the first node that
 * reports an image, which differs only if nodes report different sizes.
 */
export class ImageStates {
  private readonly byName = new Map<string, Map<string, number>>()
  /** Increases when an image is added to or removed from a node. */
  version = 0

  get isEmpty(): boolean {
    return this.byName.size === 0
  }

  /** Sizes in bytes by node name. */
  get(image: string): ReadonlyMap<string, number> | undefined {
    return this.byName.get(image)
  }

  add(node: Node): void {
    for (const { names, sizeBytes } of node.status?.images ?? []) {
      for (const name of names ?? []) {
        this.version++
        const known = this.byName.get(name)
        if (known === undefined) this.byName.set(name, new Map([[node.metadata.name, Number(sizeBytes ?? 0)]]))
        else known.set(node.metadata.name, Number(sizeBytes ?? 0))
      }
    }
  }

  remove(node: Node): void {
    for (const { names } of node.status?.images ?? []) {
      for (const name of names ?? []) {
        const known = this.byName.get(name)
        if (known === undefined) continue
        this.version++
        known.delete(node.metadata.name)
        if (known.size === 0) this.byName.delete(name)
      }
    }
  }
}
