import type { KubeObject, ObjectReference } from '../api/objects/meta.ts'
import { LruMap } from './lru-map.ts'

// v1.36, client-go tools/events, event_broadcaster.go.
const finishMs = 360_000
const refreshMs = 1_800_000
// Upstream's cache is unbounded but cleared every six minutes; this limit is enough for a busy scheduler in that time.
const cacheEntries = 65_536

/** events.k8s.io/v1. */
export interface SeriesEvent extends KubeObject {
  readonly eventTime: string
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
  readonly reportingController: string
  readonly reportingInstance: string
  readonly action: string
  readonly reason: string
  readonly regarding: ObjectReference
  readonly related?: ObjectReference
  readonly note: string
  readonly type: string
  /** Fields of core/v1; Go always writes them. */
  readonly deprecatedSource: { readonly component?: string }
  readonly deprecatedFirstTimestamp: null
  readonly deprecatedLastTimestamp: null
}

interface SeriesEntry {
  event: SeriesEvent
  lastMs: number
}

/**
 * The state of the events.k8s.io recorder (v1.36, client-go tools/events). The first occurrence is written, the second
 * occurrence makes it a series, and further occurrences are only counted. The count is written every half hour, and
 * after six minutes without an occurrence.
 */
export class EventSeries {
  private readonly entries = new LruMap<SeriesEntry>(cacheEntries)
  private readonly startMs: number
  private finishAt: number
  private refreshAt: number

  constructor(startMs: number) {
    this.startMs = startMs
    this.finishAt = startMs
    this.refreshAt = startMs
  }

  /** The event to write now, if any. */
  observe(event: SeriesEvent, now: number, time: string): SeriesEvent | undefined {
    if (this.entries.size === 0) this.skipTo(now)
    const key = isomorphismKey(event)
    const known = this.entries.get(key)
    if (known === undefined) {
      this.entries.set(key, { event, lastMs: now })
      return event
    }
    known.lastMs = now
    const count = (known.event.series?.count ?? 1) + 1
    known.event = { ...known.event, series: { count, lastObservedTime: time } }
    return count === 2 ? known.event : undefined
  }

  /** The series to write now: ongoing series every half hour, and series that ended. */
  tick(now: number): SeriesEvent[] {
    const due: SeriesEvent[] = []
    if (now >= this.refreshAt) {
      for (const [, { event }] of this.entries) if (event.series !== undefined) due.push(event)
    }
    if (now >= this.finishAt) {
      for (const [key, { event, lastMs }] of [...this.entries]) {
        if (now - lastMs <= finishMs) continue
        if (event.series !== undefined) due.push(event)
        this.entries.delete(key)
      }
    }
    this.skipTo(now)
    return due
  }

  /** Undefined if there is nothing to count, so that an idle recorder causes no wake-up. */
  nextAt(): number | undefined {
    return this.entries.size === 0 ? undefined : Math.min(this.finishAt, this.refreshAt)
  }

  /** Both intervals are aligned to the start of the recorder. */
  private skipTo(now: number): void {
    this.finishAt = nextOnGrid(this.startMs, finishMs, now)
    this.refreshAt = nextOnGrid(this.startMs, refreshMs, now)
  }
}

function nextOnGrid(startMs: number, periodMs: number, now: number): number {
  return startMs + (Math.floor((now - startMs) / periodMs) + 1) * periodMs
}

function isomorphismKey(event: SeriesEvent): string {
  const { regarding: of, related } = event
  // Upstream's key contains the resourceVersion: after a change of the object a new event starts.
  return [
    event.type,
    event.action,
    event.reason,
    event.reportingController,
    event.reportingInstance,
    of.apiVersion,
    of.kind,
    of.namespace,
    of.name,
    of.uid,
    of.resourceVersion,
    of.fieldPath,
    related === undefined ? '' : referenceKey(related),
  ].join('\u0000')
}

function referenceKey({ apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath }: ObjectReference): string {
  return [apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath].join('\u0001')
}
