import type { Event } from '../api/objects/cluster.ts'
import type { ObjectReference } from '../api/objects/meta.ts'
import { LruMap } from './lru-map.ts'

// The constants of v1.36, client-go tools/record, events_cache.go.
const cacheEntries = 4096
const similarLimit = 10
const similarWindowMs = 600_000
const spamBurst = 25
const spamRefillMs = 300_000

const combinedPrefix = '(combined from similar events): '

interface Similar {
  readonly messages: Set<string>
  lastMs: number
}

interface WrittenEvent {
  readonly name: string
  readonly count: number
  readonly firstTimestamp: string
}

interface SpamBucket {
  tokens: number
  filledAt: number
}

/** A core/v1 event to write: a new event, or another occurrence of an existing one. */
export interface Correlated {
  readonly event: Event
  readonly isUpdate: boolean
}

/**
 * Decides how to write a core/v1 event (v1.36, client-go tools/record, EventCorrelator). An event that differs from at
 * least nine others of the last ten minutes only in its message is combined with them. An event that was written before
 * is counted. A source that reports too much about one object is rate-limited.
 */
export class EventCorrelator {
  private readonly similar = new LruMap<Similar>(cacheEntries)
  private readonly written = new LruMap<WrittenEvent>(cacheEntries)
  private readonly spam = new LruMap<SpamBucket>(cacheEntries)

  /** `renew` names a combined event, which is a new object. Undefined: the event is dropped. */
  correlate(
    event: Event,
    now: number,
    renew: () => { readonly name: string; readonly time: string },
  ): Correlated | undefined {
    const { event: combined, key } = this.combine(event, now, renew)
    const counted = this.count(combined, key)
    return this.isSpam(combined, now) ? undefined : counted
  }

  /** Stores the server's response; further occurrences are counted from it. */
  confirm(event: Event): void {
    this.remember(exactKey(event), event)
  }

  private combine(
    event: Event,
    now: number,
    renew: () => { readonly name: string; readonly time: string },
  ): { readonly event: Event; readonly key: string } {
    const key = similarKey(event)
    let record = this.similar.get(key)
    if (record === undefined || now - record.lastMs > similarWindowMs) record = { messages: new Set(), lastMs: now }
    record.messages.add(event.message ?? '')
    record.lastMs = now
    this.similar.set(key, record)
    if (record.messages.size < similarLimit) return { event, key: exactKey(event) }
    // Upstream removes an arbitrary one, in the order of a Go map; here it is always the oldest.
    for (const oldest of record.messages) {
      record.messages.delete(oldest)
      break
    }
    const { name, time } = renew()
    const combined: Event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, ...(event.metadata.namespace === undefined ? {} : { namespace: event.metadata.namespace }) },
      involvedObject: event.involvedObject,
      reason: event.reason ?? '',
      message: combinedPrefix + (event.message ?? ''),
      source: event.source ?? {},
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: event.type ?? 'Normal',
    }
    return { event: combined, key }
  }

  private count(event: Event, key: string): Correlated {
    const before = this.written.get(key)
    if (before === undefined) {
      this.remember(key, event)
      return { event, isUpdate: false }
    }
    const counted: Event = {
      ...event,
      metadata: { ...event.metadata, name: before.name },
      firstTimestamp: before.firstTimestamp,
      count: before.count + 1,
    }
    this.remember(key, counted)
    return { event: counted, isUpdate: true }
  }

  private remember(key: string, event: Event): void {
    const { count = 1, firstTimestamp } = event
    this.written.set(key, { name: event.metadata.name, count, firstTimestamp: firstTimestamp ?? '' })
  }

  private isSpam(event: Event, now: number): boolean {
    const key = spamKey(event)
    const bucket = this.spam.get(key) ?? { tokens: spamBurst, filledAt: now }
    this.spam.set(key, bucket)
    if (now > bucket.filledAt) {
      bucket.tokens = Math.min(spamBurst, bucket.tokens + (now - bucket.filledAt) / spamRefillMs)
      bucket.filledAt = now
    }
    if (bucket.tokens < 1) return true
    bucket.tokens -= 1
    return false
  }
}

// Parts are joined with a character that no name contains, so that keys are unique.
const joined = (...parts: readonly (string | undefined)[]): string => parts.map((part) => part ?? '').join('\u0000')

const objectKey = (object: ObjectReference): string =>
  joined(object.kind, object.namespace, object.name, object.uid, object.apiVersion)

function exactKey({ source, involvedObject, type, reason, message }: Event): string {
  return joined(
    source?.component,
    source?.host,
    objectKey(involvedObject),
    involvedObject.fieldPath,
    type,
    reason,
    message,
  )
}

function similarKey({ source, involvedObject, type, reason, reportingComponent, reportingInstance }: Event): string {
  return joined(
    source?.component,
    source?.host,
    objectKey(involvedObject),
    type,
    reason,
    reportingComponent,
    reportingInstance,
  )
}

function spamKey({ source, involvedObject, type }: Event): string {
  return joined(source?.component, source?.host, objectKey(involvedObject), type)
}
