/**
 * Requests of clients and their answers. Instants are increasing numbers: an answer has a larger one than its request.
 */
export interface Write {
  readonly kind: 'create' | 'update' | 'delete'
  readonly key: string
  /** Of creations and updates, different for each. */
  readonly value?: string
  /** The version that an update or a delete requires. */
  readonly expect?: number
  readonly askedAt: number
  /** Absent while there is no answer. */
  toldAt?: number
  /** `unknown`: the connection broke, or the server could not say. `refused`: it has no effect. */
  result: 'done' | 'refused' | 'unknown'
  /** Of a creation or update that is done. */
  revision?: number
}

export interface SeenObject {
  readonly key: string
  readonly revision: number
  readonly value: string
}

/** A get has one key; a list has all of them. */
export interface Read {
  readonly key?: string
  readonly askedAt: number
  readonly toldAt: number
  readonly objects: readonly SeenObject[]
  /** The revision that a list reports. */
  readonly revision?: number
}

export interface WatchedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly revision: number
  readonly key?: string
  readonly value?: string
}

export interface Watch {
  /** The revision after which it shows changes. */
  readonly from: number
  readonly events: readonly WatchedEvent[]
}

export interface History {
  readonly writes: readonly Write[]
  readonly reads: readonly Read[]
  readonly watches: readonly Watch[]
}
