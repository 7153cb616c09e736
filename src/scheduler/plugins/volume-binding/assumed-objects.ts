import { keyOf } from '../../../api/object-key.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'

/**
 * Objects with the scheduler's pending writes. Each replaces one version of the stored object; a newer version from the
 * API server takes precedence (v1.36, volumebinding passiveAssumeCache).
 */
export class AssumedObjects<T extends KubeObject> {
  private readonly assumed = new Map<string, T>()

  get size(): number {
    return this.assumed.size
  }

  /** The assumed object, or the stored object. */
  over(stored: T): T {
    if (this.assumed.size === 0) return stored
    const key = keyOf(stored)
    const assumed = this.assumed.get(key)
    if (assumed === undefined) return stored
    if (assumed.metadata.resourceVersion === stored.metadata.resourceVersion) return assumed
    this.assumed.delete(key)
    return stored
  }

  /** The problem when the object changed since the decision. */
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

  /** Drops the assumed object, unless the API server has a newer version. */
  restore(object: T): void {
    const key = keyOf(object)
    if (this.assumed.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) this.assumed.delete(key)
  }
}
