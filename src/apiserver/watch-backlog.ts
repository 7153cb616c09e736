import type { WatchEvent } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { InitialState } from '../registry/read/watch.ts'
import { encoded } from '../store/encoded.ts'
import type { StreamSink } from './exchange.ts'

/** Events are encoded and written in strings of about this length; a client that keeps up gets several at once. */
const chunkLength = 64 * 1024
const chunkLengthBehind = 16 * 1024
/** A watcher with more waiting events is closed, because listing again costs less. */
const maxWaitingEvents = 10_000

/** An event as a line of JSON, or as a frame of protobuf. */
export type WatchEncoding =
  | { readonly as: 'text'; readonly one: (event: WatchEvent, first: boolean) => string }
  | { readonly as: 'bytes'; readonly one: (event: WatchEvent) => Uint8Array }

/** Sends large objects to each watcher in a separate turn, between which other requests are answered. */
export interface HoldLarge {
  readonly isLarge: (object: KubeObject) => boolean
  readonly pause: () => Promise<void>
}

/**
 * The events that a watcher has not received yet. They wait as objects, which all watchers and the store share, and are
 * encoded when the client has read the previous ones: a watcher that does not read costs a few bytes per event.
 */
export class WatchBacklog {
  private readonly encode: WatchEncoding
  private readonly hold: HoldLarge | undefined
  private state: InitialState | undefined
  /** The part of the state that has been sent. */
  private sent = 0
  private waiting: WatchEvent[] = []
  private next = 0
  private sink: StreamSink | undefined
  private isFirst = true
  private isClosed = false

  constructor(encode: WatchEncoding, hold?: HoldLarge) {
    this.encode = encode
    this.hold = hold
  }

  begin(state: InitialState): void {
    this.state = state
    if (this.sink !== undefined) keepState(this.sink, state)
    this.flush()
  }

  add(events: readonly WatchEvent[]): void {
    const { sink, waiting } = this
    if (this.isClosed) return
    if (sink === undefined) {
      for (const event of events) waiting.push(event)
      return
    }
    let sent = 0
    const isBehind = this.state !== undefined || waiting.length > 0
    const { hold } = this
    const isHeld =
      !isBehind && hold !== undefined && events.some((event) => 'object' in event && hold.isLarge(event.object))
    if (isHeld) void hold.pause().then(() => this.flush())
    else if (!isBehind) this.send(sink, chunkLength, () => events[sent++])
    for (; sent < events.length && !this.isClosed; sent++) {
      const event = events[sent] as WatchEvent
      this.waiting.push(event)
      keep(sink, event)
    }
    if (this.waiting.length - this.next > maxWaitingEvents) sink.end()
  }

  open(sink: StreamSink): void {
    if (this.state !== undefined) keepState(sink, this.state)
    for (const event of this.waiting) keep(sink, event)
    this.sink = sink
    sink.onDrain(() => this.flush())
    this.flush()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.endState()
    for (; this.next < this.waiting.length; this.next++) this.unkeep(this.waiting[this.next] as WatchEvent)
    this.waiting = []
    this.next = 0
  }

  private flush(): void {
    if (this.sink !== undefined) this.send(this.sink, chunkLengthBehind, () => this.take())
  }

  /** Writes events until there are none, or the client does not keep up. */
  private send(sink: StreamSink, maxLength: number, next: () => WatchEvent | undefined): void {
    while (!this.isClosed && !sink.isFull) {
      const { chunk, event } =
        this.encode.as === 'text'
          ? this.textOf(this.encode.one, maxLength, next)
          : bytesOf(this.encode.one, maxLength, next)
      if (chunk.length > 0) sink.write(chunk)
      // Nothing follows an error: the client must list again.
      if (event?.type === 'ERROR') sink.end()
      if (event === undefined) return
    }
  }

  /** Events up to the length of a chunk. `event` is the last one: undefined if there are no more. */
  private textOf(
    encode: (event: WatchEvent, first: boolean) => string,
    maxLength: number,
    next: () => WatchEvent | undefined,
  ): { readonly chunk: string; readonly event: WatchEvent | undefined } {
    let chunk = ''
    let event: WatchEvent | undefined
    while (chunk.length < maxLength) {
      event = next()
      if (event === undefined) break
      chunk += encode(event, this.isFirst)
      this.isFirst = false
      if (event.type === 'ERROR') break
    }
    return { chunk, event }
  }

  private take(): WatchEvent | undefined {
    const { state } = this
    if (state !== undefined) {
      if (this.sent < state.objects.length) return state.eventOf(state.objects[this.sent++] as KubeObject)
      this.endState()
      if (state.last !== undefined) return state.last
    }
    if (this.next === this.waiting.length) return undefined
    const event = this.waiting[this.next++] as WatchEvent
    this.unkeep(event)
    if (this.next === this.waiting.length) {
      this.waiting = []
      this.next = 0
    }
    return event
  }

  private endState(): void {
    if (this.state !== undefined) this.sink?.unkeep(this.state.objects)
    this.state = undefined
  }

  private unkeep(event: WatchEvent): void {
    if ('object' in event) this.sink?.unkeep(event.object)
  }
}

function bytesOf(
  encode: (event: WatchEvent) => Uint8Array,
  maxLength: number,
  next: () => WatchEvent | undefined,
): { readonly chunk: Uint8Array; readonly event: WatchEvent | undefined } {
  const frames: Uint8Array[] = []
  let event: WatchEvent | undefined
  for (let length = 0; length < maxLength; ) {
    event = next()
    if (event === undefined) break
    const frame = encode(event)
    frames.push(frame)
    length += frame.length
    if (event.type === 'ERROR') break
  }
  return { chunk: Buffer.concat(frames), event }
}

function keep(sink: StreamSink, event: WatchEvent): void {
  if ('object' in event) sink.keep(event.object, encoded(event.object).length)
}

/** Watchers that begin with the same state have the same array. */
const keepState = (sink: StreamSink, { objects }: InitialState) => sink.keep(objects, 8 * objects.length)
