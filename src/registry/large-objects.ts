import type { KubeObject } from '../api/objects/meta.ts'

/** The stored objects that were written in turns, because they are large. Their changes are handled in turns, too. */
export class LargeObjects {
  private readonly known = new WeakSet<KubeObject>()
  private isWriting = false

  has(object: KubeObject): boolean {
    return this.isWriting || this.known.has(object)
  }

  add(object: KubeObject): void {
    this.known.add(object)
  }

  /** Runs a commit of a large object. Without a journal, watchers are shown the object before the commit returns. */
  during<T>(commit: () => T): T {
    this.isWriting = true
    try {
      return commit()
    } finally {
      this.isWriting = false
    }
  }
}
