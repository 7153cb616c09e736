import { labelMatcher } from '../api/label-selector.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject, LabelSelector } from '../api/objects/meta.ts'
import { controllerOf } from '../api/owner-references.ts'

/**
 * Objects without a controller, by namespace: the few that a controller might adopt, so that it need not search all
 * objects.
 */
export class Orphans<T extends KubeObject> {
  private readonly namespaces = new Map<string, Map<string, T>>()

  /** Applies a change; returns the object if it is an orphan that might be adopted now. */
  note({ key, before, after }: { readonly key: string; readonly before?: T; readonly after?: T }): T | undefined {
    if (after === undefined || controllerOf(after) !== undefined || after.metadata.deletionTimestamp !== undefined) {
      if (this.namespaces.size > 0) this.drop((after ?? before)?.metadata.namespace ?? '', key)
      return undefined
    }
    const namespace = after.metadata.namespace ?? ''
    let held = this.namespaces.get(namespace)
    if (held === undefined) {
      held = new Map()
      this.namespaces.set(namespace, held)
    }
    const isNew = !held.has(key)
    held.set(key, after)
    return isNew || before?.metadata.labels !== after.metadata.labels ? after : undefined
  }

  in(namespace: string | undefined): Iterable<T> {
    return this.namespaces.get(namespace ?? '')?.values() ?? []
  }

  has(namespace: string | undefined): boolean {
    return this.namespaces.has(namespace ?? '')
  }

  private drop(namespace: string, key: string): void {
    const held = this.namespaces.get(namespace)
    if (held?.delete(key) === true && held.size === 0) this.namespaces.delete(namespace)
  }
}

interface Selecting extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector }
}

/** The keys of the objects that a change affects, and of those that may adopt the orphan. */
export function withAdopters(
  affected: string | readonly string[] | undefined,
  { metadata }: KubeObject,
  candidates: readonly Selecting[],
): readonly string[] {
  const keys = affected === undefined ? [] : typeof affected === 'string' ? [affected] : [...affected]
  for (const candidate of candidates) {
    if (labelMatcher(candidate.spec?.selector).matches(metadata.labels)) keys.push(keyOf(candidate))
  }
  return keys
}
