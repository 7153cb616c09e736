import type { KubeObject } from '../api/objects/meta.ts'

/** Objects are stored by resource name (`pods`, `deployments.apps`) and key (`namespace/name`, or `name`). */
export interface StoreKey {
  readonly resource: string
  readonly key: string
}

/**
 * `isOwn`: only the store holds the object and its metadata, so it may write the resourceVersion into it. Other objects
 * are copied first.
 */
export type StoreWrite =
  | (StoreKey & { readonly kind: 'create'; readonly object: KubeObject; readonly isOwn?: boolean })
  /** `expect`: the resourceVersion that must be current. Absent: overwrite any version. */
  | (StoreKey & {
      readonly kind: 'update'
      readonly object: KubeObject
      readonly isOwn?: boolean
      readonly expect?: string
    })
  | (StoreKey & { readonly kind: 'delete'; readonly expect?: string })

/**
 * Why a transaction was refused. None of its writes was applied. `full`: a configured limit, or too many writes are
 * waiting for the disk: retry later. `read-only`: the disk failed; writes are refused until it works again.
 */
export interface StoreRefusal {
  readonly kind: 'exists' | 'missing' | 'conflict' | 'full' | 'read-only'
  readonly write: StoreWrite
  /** The committed object that caused the refusal. */
  readonly current?: KubeObject
  /** For `full` and `read-only`: a message for users. */
  readonly message?: string
}

/** One applied write. `before` is absent for creations, `after` for deletions. */
export interface StoreChange {
  readonly resource: string
  readonly key: string
  readonly revision: number
  readonly before?: KubeObject
  readonly after?: KubeObject
  /** Deletions: the last state with the revision of the deletion, as watchers see it. */
  readonly last?: KubeObject
  /** Estimated memory that only `before` uses; present if the store counts bytes. */
  readonly removedBytes?: number
}

export type CommitResult =
  | { readonly ok: true; readonly changes: readonly StoreChange[] }
  | { readonly ok: false; readonly refusal: StoreRefusal }

/** Writes that were waiting for the disk were rolled back: results computed from them must not be returned. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

export type StoreWatcher = (changes: readonly StoreChange[]) => void

/** Objects in key order, valid until the next commit: current objects are looked up on access. */
export interface StoreRange {
  readonly count: number
  readonly key: (index: number) => string
  readonly object: (index: number) => KubeObject
}

export interface StoreRangeOptions {
  /** Only keys `namespace/…`. */
  readonly namespace?: string
  /** Only keys >= this key. */
  readonly from?: string
  /** The state at an earlier revision, if the history reaches back to it. */
  readonly revision?: number
}

/**
 * Versioned objects in memory. Synchronous: a commit is visible to `get` and `list` when it returns. Each write of a
 * transaction has its own revision, and `metadata.resourceVersion` is that revision. With a journal, reads see writes
 * that are not on disk yet. Results of such reads must not leave the process before `durable()`, called in the same
 * turn as the reads, has resolved. Objects are returned without copying, and callers must not modify them.
 */
export interface Store {
  /** The revision of the last applied write. */
  readonly revision: number
  /** The last revision that is on disk and was delivered to watchers; equal to `revision` without a journal. */
  readonly durableRevision: number
  /** Why writes are currently refused; `undefined` if they are accepted. */
  readonly trouble: string | undefined
  /** The estimated memory of the objects; absent if the store does not count bytes. */
  readonly usedBytes: number | undefined
  /** The oldest revision from which a watch can start; older ones are compacted and answered with 410. */
  readonly compactedRevision: number
  get(resource: string, key: string): KubeObject | undefined
  /** In key order. `namespace` restricts to keys `namespace/…`. */
  list(resource: string, options?: { readonly namespace?: string }): readonly KubeObject[]
  count(resource: string): number
  resources(): readonly string[]
  /** Part of a list, at a cost proportional to that part and almost independent of the whole. */
  range(resource: string, options?: StoreRangeOptions): StoreRange | 'compacted'
  commit(writes: readonly StoreWrite[]): CommitResult
  /**
   * Every change after `from` (default: now), in order, in the groups in which they became durable. Without a journal
   * they are delivered within the commit; with one, after they are on disk.
   */
  watch(watcher: StoreWatcher, from?: number): { readonly cancel: () => void } | 'compacted'
  /**
   * Resolves when every write up to `revision` (default: the newest) is on disk; immediately without a journal. Rejects
   * with `StoreUnavailable` if the disk failed and the writes were rolled back. In rare cases they are found on disk
   * when it works again, and are then shown to watchers.
   */
  durable(revision?: number): Promise<void>
  /** Drops the history up to and including `revision`; does nothing for history that is already dropped. */
  compact(revision: number): void
  /** An independent store that shares all objects with this one; copy-on-write, nothing is copied. */
  fork(options?: ForkOptions): Store
}

export interface ForkOptions {
  /**
   * The number of changes that the fork keeps for watches and for ranges of the past. Default: as many as this store.
   */
  readonly historyLimit?: number
}
