import type { KubeObject } from '../api/objects/meta.ts'
import { Recent } from '../base/recent.ts'

export interface StoreLimits {
  readonly maxObjects?: number
  /** Estimated bytes in memory (`unsharedBytes`). */
  readonly maxBytes?: number
}

// Approximate memory of V8: a header and a pointer per member, and the entries of the tables that hold an object.
const containerBytes = 32
const memberBytes = 16
const objectBytes = 512

/** Estimates the memory of a JSON value. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return containerBytes / 2 + value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = containerBytes
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) bytes += memberBytes + bytesOf(value[i])
    return bytes
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) bytes += memberBytes + bytesOf(members[name])
  return bytes
}

// Pods of one template share their spec, and an object keeps most parts when another is written.
const recentBytes = new Recent<object, number>(512)

/** The same for a part of a stored object. Stored objects are never changed. */
function bytesOfPart(value: unknown): number {
  if (typeof value !== 'object' || value === null) return bytesOf(value)
  let bytes = recentBytes.get(value)
  if (bytes === undefined) {
    bytes = bytesOf(value)
    recentBytes.set(value, bytes)
  }
  return bytes
}

function bytesOfObject(object: KubeObject): number {
  const members = object as unknown as Readonly<Record<string, unknown>>
  let bytes = containerBytes
  for (const name in members) {
    bytes += memberBytes + (name === 'spec' ? bytesOfPart(members[name]) : bytesOf(members[name]))
  }
  return bytes
}

/**
 * Estimates the memory of the parts of a JSON value that the other value does not share: parts that are the same object
 * or equal scalars at the same place cost nothing. Therefore `unsharedBytes(a, b) - unsharedBytes(b, a)` is the
 * difference in size.
 */
export function unsharedBytes(value: unknown, other: unknown): number {
  if (value === other) return 0
  if (typeof value === 'string') return containerBytes / 2 + value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = containerBytes
  if (Array.isArray(value)) {
    const beside = Array.isArray(other) ? other : []
    for (let i = 0; i < value.length; i++) {
      if (value[i] !== beside[i]) bytes += memberBytes + unsharedBytes(value[i], beside[i])
    }
    return bytes
  }
  const members = value as Readonly<Record<string, unknown>>
  const beside = (typeof other === 'object' && other !== null ? other : {}) as Readonly<Record<string, unknown>>
  for (const name in members) {
    const member = members[name]
    if (member !== beside[name]) bytes += memberBytes + unsharedBytes(member, beside[name])
  }
  return bytes
}

/** The objects and bytes that a change adds to a store and removes from it. The history keeps the removed bytes. */
export interface Difference {
  readonly objects: number
  readonly addedBytes: number
  readonly removedBytes: number
}

export function differenceOf(before: KubeObject | undefined, after: KubeObject | undefined): Difference {
  return {
    objects: (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1),
    addedBytes:
      before === undefined
        ? objectBytes + (after === undefined ? 0 : bytesOfObject(after))
        : unsharedBytes(after, before),
    removedBytes:
      after === undefined
        ? objectBytes + (before === undefined ? 0 : bytesOfObject(before))
        : unsharedBytes(before, after),
  }
}

/** The size of a store, and its limits. */
export class Usage {
  private readonly limits: StoreLimits
  private objects = 0
  private totalBytes = 0

  constructor(limits: StoreLimits) {
    this.limits = limits
  }

  get bytes(): number {
    return this.totalBytes
  }

  /**
   * Why a change exceeds a limit. Changes that shrink the store are never refused, nor are changes of a terminating
   * object, so that a full store can be emptied.
   */
  refuses({ objects, addedBytes, removedBytes }: Difference, after: KubeObject | undefined): string | undefined {
    const { maxObjects, maxBytes } = this.limits
    if (maxObjects !== undefined && objects > 0 && this.objects + objects > maxObjects) {
      return `the store has ${this.objects} objects; the limit is ${maxObjects}`
    }
    if (maxBytes === undefined || addedBytes <= removedBytes || after?.metadata.deletionTimestamp !== undefined) {
      return undefined
    }
    const isTooMuch = this.totalBytes + addedBytes - removedBytes > maxBytes
    return isTooMuch ? 'etcdserver: mvcc: database space exceeded' : undefined
  }

  count({ objects, addedBytes, removedBytes }: Difference): void {
    this.objects += objects
    this.totalBytes += addedBytes - removedBytes
  }

  fork(): Usage {
    const fork = new Usage(this.limits)
    fork.objects = this.objects
    fork.totalBytes = this.totalBytes
    return fork
  }
}
