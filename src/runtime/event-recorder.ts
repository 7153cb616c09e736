import type { Call, Outcome } from '../api/call.ts'
import { isDnsSubdomain } from '../api/dns-name.ts'
import type { Event } from '../api/objects/cluster.ts'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import { formatMicroTime, formatTime } from '../api/time.ts'
import { DeadlineQueue } from '../base/deadline-queue.ts'
import type { Random } from '../base/random.ts'
import type { EventRecord } from './controller.ts'
import { EventCorrelator } from './event-correlator.ts'
import { EventSeries, type SeriesEvent } from './event-series.ts'

// v1.36, client-go tools/record/event.go and tools/events/event_broadcaster.go.
const maxTries = 12
const retryMs = 10_000
const maxQueued = 1000

const noSource = {}

/** A call that writes an event. Its outcome must be passed to `settle` with the id. */
export interface EventCall {
  readonly id: number
  readonly call: Call
}

/**
 * Records the events of one controller as upstream's recorders do: core/v1 events one after another, combined and
 * counted; events.k8s.io events as series. A state machine: every method returns the calls to make now.
 */
export interface EventRecorder {
  /** `wall` is the time in the event. */
  record(event: EventRecord, now: number, wall?: number): readonly EventCall[]
  settle(id: number, outcome: Outcome, now: number, wall?: number): readonly EventCall[]
  /** Must be called at `nextAt`. */
  wake(now: number): readonly EventCall[]
  nextAt(): number | undefined
  /** Events that were dropped because too many were waiting. */
  readonly dropped: number
}

/** Names of events: the object's name and a time that is unique within the process. */
export interface EventNames {
  next(objectName: string, now: number): string
}

export interface EventRecorderOptions {
  /** The controller's name, for events without a component. */
  readonly component: string
  /** events.k8s.io: the reporting instance is the component on this host. */
  readonly host?: string
  readonly random: Random
  /** Shared by all recorders of a process. */
  readonly names: EventNames
  /** Series are written at fixed intervals from this time on. */
  readonly startMs: number
}

export function createEventNames(random: Random): EventNames {
  const stream = random.stream('event-names')
  let lastMs = Number.NaN
  let lastNanos = 0n
  let subNanos = 0
  return {
    next(objectName, now) {
      const ms = Math.floor(now)
      // A clock of milliseconds produces collisions that upstream's nanoseconds do not have, within a process and
      // between processes. The remaining digits are random, and incremented within the same millisecond.
      if (ms === lastMs) subNanos++
      else {
        subNanos = stream.int(500_000)
        lastMs = ms
        lastNanos = BigInt(ms) * 1_000_000n
      }
      const name = `${objectName}.${(lastNanos + BigInt(subNanos)).toString(16)}`
      return name.length <= 253 && isDnsSubdomain(name) ? name : stream.uuid()
    },
  }
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new Recorder(options)
}

/** An event whose write is in flight. */
type Writing =
  | { readonly kind: 'core'; readonly event: Event; isUpdate: boolean; tries: number }
  | { readonly kind: 'series'; readonly event: SeriesEvent; isUpdate: boolean; tries: number }

class Recorder implements EventRecorder {
  dropped = 0
  private readonly options: EventRecorderOptions
  private readonly correlator = new EventCorrelator()
  private readonly series: EventSeries
  private readonly inFlight = new Map<number, Writing>()
  private readonly retries = new DeadlineQueue<number>()
  /** core/v1 events that wait for the previous one. */
  private readonly waiting: Event[] = []
  private coreBusy = false
  private lastInstance = { component: '', instance: '' }
  private lastId = 0

  constructor(options: EventRecorderOptions) {
    this.options = options
    this.series = new EventSeries(options.startMs)
  }

  record(event: EventRecord, now: number, wall = now): readonly EventCall[] {
    if (event.api === 'events') {
      const written = this.series.observe(this.seriesEvent(event, now, wall), now, formatMicroTime(wall))
      if (written === undefined) return []
      if (this.inFlight.size >= maxQueued) {
        this.dropped++
        return []
      }
      return [this.send({ kind: 'series', event: written, isUpdate: written.series !== undefined, tries: 0 })]
    }
    if (this.waiting.length >= maxQueued) {
      this.dropped++
      return []
    }
    this.waiting.push(this.coreEvent(event, now, wall))
    return this.sendWaiting(now, wall)
  }

  settle(id: number, outcome: Outcome, now: number, wall = now): readonly EventCall[] {
    const writing = this.inFlight.get(id)
    if (writing === undefined) return []
    if (!outcome.ok && writing.isUpdate && outcome.status.reason === 'NotFound') {
      // The event expired on the server: create it again, with its current count.
      writing.isUpdate = false
      return [{ id, call: callFor(writing) }]
    }
    if (!outcome.ok && mayRetry(writing, outcome.status.reason) && ++writing.tries < maxTries) {
      this.retries.set(id, now + this.retryDelayMs(writing))
      return []
    }
    this.inFlight.delete(id)
    if (writing.kind === 'series') return []
    if (outcome.ok && outcome.kind === 'object') this.correlator.confirm(outcome.object as Event)
    this.coreBusy = false
    return this.sendWaiting(now, wall)
  }

  wake(now: number): readonly EventCall[] {
    const calls: EventCall[] = []
    for (const id of this.retries.popDue(now)) {
      const writing = this.inFlight.get(id)
      if (writing === undefined) continue
      if (writing.kind === 'series') writing.isUpdate = writing.event.series !== undefined
      calls.push({ id, call: callFor(writing) })
    }
    const seriesAt = this.series.nextAt()
    if (seriesAt !== undefined && seriesAt <= now) {
      for (const event of this.series.tick(now)) {
        calls.push(this.send({ kind: 'series', event, isUpdate: true, tries: 0 }))
      }
    }
    return calls
  }

  nextAt(): number | undefined {
    const retryAt = this.retries.nextAt()
    const seriesAt = this.series.nextAt()
    if (retryAt === undefined || seriesAt === undefined) return retryAt ?? seriesAt
    return Math.min(retryAt, seriesAt)
  }

  private sendWaiting(now: number, wall: number): readonly EventCall[] {
    while (!this.coreBusy) {
      const next = this.waiting.shift()
      if (next === undefined) return []
      const correlated = this.correlator.correlate(next, now, () => ({
        name: this.options.names.next(next.involvedObject.name ?? '', now),
        time: formatTime(wall),
      }))
      if (correlated === undefined) continue
      this.coreBusy = true
      return [this.send({ kind: 'core', ...correlated, tries: 0 })]
    }
    return []
  }

  private send(writing: Writing): EventCall {
    const id = ++this.lastId
    this.inFlight.set(id, writing)
    return { id, call: callFor(writing) }
  }

  private retryDelayMs(writing: Writing): number {
    const draw = this.options.random.stream('event-retries').next()
    if (writing.kind === 'series') return retryMs * (1 + 0.25 * draw)
    return writing.tries === 1 ? retryMs * draw : retryMs
  }

  private coreEvent(record: EventRecord, now: number, wall: number): Event {
    const { regarding, related, action, host } = record
    const component = record.component ?? this.options.component
    const time = formatTime(wall)
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: this.metadataFor(record, now),
      involvedObject: regarding,
      reason: record.reason,
      message: record.message,
      source: { component, ...(host === undefined ? {} : { host }) },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: record.type,
      reportingComponent: component,
      reportingInstance: host ?? '',
      ...(related === undefined ? {} : { related }),
      ...(action === undefined ? {} : { action }),
    }
  }

  private seriesEvent(record: EventRecord, now: number, wall: number): SeriesEvent {
    const { regarding, related } = record
    const component = record.component ?? this.options.component
    const reportingInstance = this.instanceOf(component)
    const action = record.action ?? ''
    const event: SeriesEvent = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: this.metadataFor(record, now),
      eventTime: formatMicroTime(wall),
      reportingController: component,
      reportingInstance,
      action,
      reason: record.reason,
      regarding,
      note: record.message,
      type: record.type,
      deprecatedSource: noSource,
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    }
    return related === undefined ? event : withRelated(event, related)
  }

  private instanceOf(component: string): string {
    if (this.lastInstance.component !== component) {
      this.lastInstance = { component, instance: `${component}-${this.options.host ?? 'berth'}` }
    }
    return this.lastInstance.instance
  }

  private metadataFor({ regarding }: EventRecord, now: number): KubeObject['metadata'] {
    // Events about cluster-scoped objects are in the namespace `default`.
    return {
      name: this.options.names.next(regarding.name ?? '', now),
      namespace: regarding.namespace || 'default',
    }
  }
}

/** Fields have the order of Go. */
function withRelated(event: SeriesEvent, related: NonNullable<SeriesEvent['related']>): SeriesEvent {
  const { note, type, deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, ...before } = event
  return { ...before, related, note, type, deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp }
}

/**
 * A rejected event is dropped; an event that may not have reached the server is retried. If another client creates the
 * event of a series at the same time, it is retried as an update.
 */
function mayRetry(writing: Writing, reason: string | undefined): boolean {
  if (reason === 'AlreadyExists') return writing.kind === 'series' && writing.event.series !== undefined
  return reason === 'ServiceUnavailable' || reason === 'Timeout' || reason === 'ServerTimeout'
}

function callFor({ kind, event, isUpdate }: Writing): Call {
  const resource = kind === 'core' ? 'events' : 'events.events.k8s.io'
  const { name, namespace = 'default' } = event.metadata
  if (!isUpdate) return { verb: 'create', resource, namespace, object: event }
  const patch: JsonObject =
    kind === 'core'
      ? { count: event.count ?? 1, lastTimestamp: event.lastTimestamp ?? null, message: event.message ?? '' }
      : { series: { ...(event.series as { count: number; lastObservedTime: string }) } }
  return { verb: 'patch', resource, namespace, name, patch: { kind: 'strategic', patch } }
}
