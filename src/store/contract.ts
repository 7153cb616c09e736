import type { KubeObject } from '../api/objects/meta.ts'

/** Objects are stored by resource name (`pods`, `deployments.apps`) and key (`namespace/name`, or `name`). */
export interface StoreKey {
  readonly resource: string
  readonly key: string
}

/**
 * `isOwn`: nobody else holds the object or its metadata, so the store may write the version into it. Others are copied for
 * that.
 */
export type StoreWrite =
  | (StoreKey & { readonly kind: 'create'; readonly object: KubeObject; readonly isOwn?: boolean })
  /** `expect`: the resourceVersion that must be current; absent writes over whatever is there. */
  | (StoreKey & {
      readonly kind: 'update'
      readonly object: KubeObject
      readonly isOwn?: boolean
      readonly expect?: string
    })
  | (StoreKey & { readonly kind: 'delete'; readonly expect?: string })

/**
 * Why a transaction was refused; nothing of it was applied. `full`: a configured limit, or more writes are waiting for
 * the disk than may wait: try again later. `read-only`: the disk failed; writes are refused until it works again.
 */
export interface StoreRefusal {
  readonly kind: 'exists' | 'missing' | 'conflict' | 'full' | 'read-only'
  readonly write: StoreWrite
  /** The committed object that is in the way. */
  readonly current?: KubeObject
  /** For `full` and `read-only`: what a person should know. */
  readonly message?: string
}

/** One applied write. `before` is absent for creations, `after` for deletions. */
export interface StoreChange {
  readonly resource: string
  readonly key: string
  readonly revision: number
  readonly before?: KubeObject
  readonly after?: KubeObject
  /** Deletions: the last state, stamped with the revision of the deletion, as watchers are shown it. */
  readonly last?: KubeObject
  /** Estimated memory that only `before` uses; present where the store counts bytes. */
  readonly removedBytes?: number
}

export type CommitResult =
  | { readonly ok: true; readonly changes: readonly StoreChange[] }
  | { readonly ok: false; readonly refusal: StoreRefusal }

/** Writes that were waiting for the disk were taken back: whatever was computed from them must not be shown. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

export type StoreWatcher = (changes: readonly StoreChange[]) => void

/** Objects in key order, for as long as nothing is committed: those of the present are looked up when asked for. */
export interface StoreRange {
  readonly count: number
  readonly key: (index: number) => string
  readonly object: (index: number) => KubeObject
}

export interface StoreRangeOptions {
  /** Only keys `namespace/…`. */
  readonly namespace?: string
  /** Only keys that are not smaller. */
  readonly from?: string
  /** The state as of an earlier revision, while history reaches back to it. */
  readonly revision?: number
}

/**
 * Versioned objects in memory. Synchronous: a commit is visible to `get` and `list` when it returns. Each write of a
 * transaction has its own revision, and `metadata.resourceVersion` is that revision.
 *
 * With a journal, reads see writes that are not on disk yet. Nothing computed from such reads may leave the process
 * before `durable()`, called in the same turn as the reads, has resolved.
 * Objects are never copied on the way out and must never be changed by whoever holds them.
 */
export interface Store {
  /** The revision of the last applied write. */
  readonly revision: number
  /** The last revision that is on disk and was shown to watchers; `revision` without a journal. */
  readonly durableRevision: number
  /** Why writes are refused at the moment; `undefined` when they are not. */
  readonly trouble: string | undefined
  /** The estimated memory of the objects; absent where the store does not count bytes. */
  readonly usedBytes: number | undefined
  /** The oldest revision a watch can start from; older ones are compacted and answered with 410. */
  readonly compactedRevision: number
  get(resource: string, key: string): KubeObject | undefined
  /** In key order. `namespace` restricts to keys `namespace/…`. */
  list(resource: string, options?: { readonly namespace?: string }): readonly KubeObject[]
  count(resource: string): number
  resources(): readonly string[]
  /** Part of a list, at a price that grows with what is read of it and hardly with the list. */
  range(resource: string, options?: StoreRangeOptions): StoreRange | 'compacted'
  commit(writes: readonly StoreWrite[]): CommitResult
  /**
   * Every change after `from` (default: now), in order, in the groups in which they became durable.
   * Without a journal they are delivered within the commit; with one, after it is on disk.
   */
  watch(watcher: StoreWatcher, from?: number): { readonly cancel: () => void } | 'compacted'
  /**
   * Resolves when every write up to `revision` (default: the newest) is on disk; at once without a journal.
   * Rejects with `StoreUnavailable` when the disk failed before and the writes were taken back. They are rarely found on
   * disk when it works again, and are then shown to watchers.
   */
  durable(revision?: number): Promise<void>
  /** Forgets the history up to and including `revision`; a no-op for what is forgotten already. */
  compact(revision: number): void
  /** A store of its own that shares every object with this one; copy-on-write, nothing is copied. */
  fork(): Store
}
