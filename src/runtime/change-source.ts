import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Change } from './controller.ts'

/** The source of changes: an in-memory store, or anything that delivers the changes of a write within the call. */
export interface ChangeSource {
  readonly revision: number
  list(resource: string): readonly KubeObject[]
  /** The same with keys, if the source has them available. */
  range?(resource: string): SourceRange | 'compacted'
  watch(onChanges: (changes: readonly SourceChange[]) => void): { readonly cancel: () => void } | 'compacted'
}

export interface SourceRange {
  readonly count: number
  readonly key: (index: number) => string
  readonly object: (index: number) => KubeObject
}

export interface SourceChange {
  readonly resource: string
  readonly key: string
  readonly revision: number
  readonly before?: KubeObject
  readonly after?: KubeObject
}

/** The objects of a resource, as changes. */
export function additionsIn(source: ChangeSource, resource: string): readonly Change[] {
  const range = source.range?.(resource) ?? 'compacted'
  if (range === 'compacted')
    return source.list(resource).map((object) => ({ resource, key: keyOf(object), after: object }) as Change)
  const additions: Change[] = []
  for (let at = 0; at < range.count; at++)
    additions.push({ resource, key: range.key(at), after: range.object(at) } as Change)
  return additions
}
