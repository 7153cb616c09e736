import { keyOf } from '../../../api/object-key.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'

/**
 * Objects as they will be once the scheduler's own writes are through. Each stands in for one version of the stored
 * object: whatever comes from the API server takes its place (v1.36, volumebinding passiveAssumeCache).
 */
export class AssumedObjects<T extends KubeObject> {
  private readonly assumed = new Map<string, T>()

  get size(): number {
    return this.assumed.size
  }

  /** What is assumed of a stored object, or the object itself. */
  over(stored: T): T {
    if (this.assumed.size === 0) return stored
    const key = keyOf(stored)
    const assumed = this.assumed.get(key)
    if (assumed === undefined) return stored
    if (assumed.metadata.resourceVersion === stored.metadata.resourceVersion) return assumed
    this.assumed.delete(key)
    return stored
  }

  /** What is wrong, when the object has changed since the decision was made. */
  assume(next: T, stored: T | undefined): string | undefined {
    const key = keyOf(next)
    const [version, storedVersion] = [next.metadata.resourceVersion, stored?.metadata.resourceVersion]
    if (stored === undefined) return `${JSON.stringify(key)} not found`
    if (version !== storedVersion) {
      return `${JSON.stringify(key)} is out of sync (stored: ${storedVersion ?? ''}, assume: ${version ?? ''})`
    }
    this.assumed.set(key, next)
    return undefined
  }

  /** Takes back what was assumed, unless the API server has heard of it. */
  restore(object: T): void {
    const key = keyOf(object)
    if (this.assumed.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) this.assumed.delete(key)
  }
}
