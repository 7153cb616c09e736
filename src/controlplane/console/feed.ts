import type { StreamResponse, StreamSink } from '../../apiserver/exchange.ts'
import type { Cancel, Clock } from '../../base/clock.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { version } from '../../base/version.ts'
import type { Capabilities, DrainState, FeedLine } from '../../wire/console-wire.ts'
import { attentionOf } from './attention.ts'
import { AttentionAges } from './attention-ages.ts'
import type { BoardChanges, ConsoleBoard } from './board.ts'
import { compactLabels, compactPods } from './compact-rows.ts'
import { summaryOf } from './inspections.ts'
import type { ConsoleSource } from './source.ts'

export interface FeedOptions {
  readonly board: ConsoleBoard
  readonly source: ConsoleSource
  readonly clock: Clock
  readonly server: () => string
  /** The release, for example v1.36. */
  readonly kubernetes: string
  readonly drains: () => readonly DrainState[]
}

/** Changes are collected for this time before they are sent. */
const batchMs = 250
/** The maximum time between two lines. A reader can distinguish silence from a broken connection. */
const heartbeatMs = 2_000
const summaryMs = 1_000
/** The maximum share of the time that summaries may use. */
const summaryShare = 20
/**
 * The time for which summaries wait for a reader that still receives the state. A slow reader must not delay the
 * summaries of other readers.
 */
const patienceMs = 2_000
const rowsAtOnce = 5_000

/**
 * The state and its changes, line by line, for any number of readers. The server disconnects a slow reader, which then
 * starts again.
 */
export class ConsoleFeed {
  private readonly options: FeedOptions
  private readonly readers = new Set<StreamSink>()
  private batchTimer: Cancel | undefined
  private summaryAt = 0
  private summaryText = ''
  private readonly ages = new AttentionAges()
  private attentionText = ''
  private saidAt = 0
  /** The number of readers that still receive the state. */
  private arriving = 0
  private openedAt = 0

  constructor(options: FeedOptions) {
    this.options = options
  }

  get readerCount(): number {
    return this.readers.size
  }

  open(caller: string, can: Capabilities): StreamResponse {
    return {
      kind: 'stream',
      code: 200,
      headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
      start: (sink) => this.start(sink, caller, can),
    }
  }

  private start(sink: StreamSink, caller: string, can: Capabilities): () => void {
    const { board, clock } = this.options
    if (this.readers.size === 0) {
      board.gather(true)
      this.plan()
    }
    this.readers.add(sink)
    sink.write(this.hello(caller, can))
    if (this.summaryText !== '') sink.write(this.summaryText)
    if (this.attentionText !== '') sink.write(this.attentionText)
    const chunks = this.present()
    let isOver = false
    this.arriving++
    this.openedAt = clock.now()
    const finish = () => {
      if (!isOver) this.arriving--
      isOver = true
    }
    // A large cluster is sent in pieces, so that other work can run in between.
    const proceed = () => {
      if (isOver || sink.isFull) return
      const next = chunks.next()
      if (next.done === true) finish()
      else if (sink.write(next.value) && !sink.isFull) clock.at(clock.now(), proceed)
    }
    sink.onDrain(proceed)
    proceed()
    return () => {
      finish()
      this.readers.delete(sink)
      if (this.readers.size > 0) return
      board.gather(false)
      this.batchTimer?.()
      this.batchTimer = undefined
    }
  }

  private hello(caller: string, can: Capabilities): string {
    const { board, clock, source, server, kubernetes } = this.options
    return encode({
      k: 'hello',
      now: clock.wall(),
      berth: version,
      kubernetes,
      cluster: source.cluster,
      server: server(),
      can,
      caller,
      nodes: board.nodes.size,
      pods: board.pods.size,
      seq: board.sequence,
    })
  }

  /** All lines of a state that does not change. */
  *everything(caller: string, can: Capabilities): Generator<string> {
    const { board, clock, source } = this.options
    const summary = summaryOf(source)
    board.small.refresh(false)
    yield this.hello(caller, can)
    yield* this.present()
    yield encode({ k: 'summary', now: clock.wall(), ...summary, drains: [] })
    yield encode({ k: 'attention', items: attentionOf({ source, board, summary, drains: [], now: clock.wall() }) })
  }

  /** The state, read in pieces. Changes in the meantime follow as deltas. */
  private *present(): Generator<string> {
    const { board, clock } = this.options
    const placeOf = new Map<string, number>()
    yield encode({ k: 'labels', sets: [...compactLabels(board.labels)] })
    for (const rows of rowsInPieces([...board.nodes.keys()], board.nodes)) {
      for (const [name] of rows) placeOf.set(name, placeOf.size)
      yield encode({ k: 'nodes', rows })
    }
    for (const rows of rowsInPieces([...board.pods.keys()], board.pods))
      yield encode({ k: 'pods', ...compactPods(rows, placeOf) })
    for (const line of board.small.present()) yield encode(line)
    yield encode({ k: 'ready', now: clock.wall(), seq: board.sequence })
  }

  private plan(): void {
    const { clock } = this.options
    this.batchTimer = clock.at(clock.now() + batchMs, () => {
      this.plan()
      this.tell()
    })
  }

  private tell(): void {
    const { board, clock, source, drains } = this.options
    const now = clock.now()
    const wall = clock.wall()
    const changes = board.takeChanges()
    if (changes !== undefined) for (const line of deltaLines(changes, wall, board.sequence)) this.say(line, now)
    for (const line of board.small.takeChanges()) this.say(encode(line), now)
    // Summaries of the whole cluster must not delay the first page of a reader.
    const waits = this.arriving > 0 && now < this.openedAt + patienceMs
    if (!waits && now >= this.summaryAt) {
      const summary = summaryOf(source)
      const text = encode({ k: 'summary', now: wall, ...summary, drains: drains() })
      board.small.refresh((summary.queue?.unschedulable ?? 0) > 0)
      const items = this.ages.dated(attentionOf({ source, board, summary, drains: drains(), now: wall }), wall)
      const attention = encode({ k: 'attention', items })
      if (attention !== this.attentionText) this.say(attention, now)
      this.attentionText = attention
      const cost = clock.now() - now
      this.summaryAt = now + Math.max(summaryMs, cost * summaryShare)
      if (withoutTime(text) !== withoutTime(this.summaryText)) this.say(text, now)
      this.summaryText = text
    }
    if (now - this.saidAt >= heartbeatMs) this.say(encode({ k: 'tick', now: wall }), now)
  }

  private say(text: string, now: number): void {
    this.saidAt = now
    for (const reader of this.readers) reader.write(text)
  }
}

function* rowsInPieces<Row>(keys: readonly string[], table: ReadonlyMap<string, Row>): Generator<readonly Row[]> {
  for (let from = 0; from < keys.length; from += rowsAtOnce) {
    yield keys.slice(from, from + rowsAtOnce).flatMap((key) => {
      const row = table.get(key)
      return row === undefined ? [] : [row]
    })
  }
}

function* deltaLines(changes: BoardChanges, now: number, seq: number): Generator<string> {
  const { labels, nodes, pods, goneNodes, gonePods, events } = changes
  const pieces = Math.max(1, Math.ceil(Math.max(nodes.length, pods.length) / rowsAtOnce))
  for (let piece = 0; piece < pieces; piece++) {
    const part = <T>(all: readonly T[]) => all.slice(piece * rowsAtOnce, (piece + 1) * rowsAtOnce)
    const isFirst = piece === 0
    yield encode({
      k: 'delta',
      now,
      seq,
      ...(isFirst ? some('labels', labels) : {}),
      ...some('nodes', part(nodes)),
      ...some('pods', part(pods)),
      ...(isFirst ? { ...some('goneNodes', goneNodes), ...some('gonePods', gonePods) } : {}),
      ...(isFirst ? some('events', events.slice(-300)) : {}),
    })
  }
}

function some<Name extends string, T>(name: Name, list: readonly T[]): { [N in Name]?: readonly T[] } {
  return (list.length === 0 ? {} : { [name]: list }) as { [N in Name]?: readonly T[] }
}

const encode = (line: FeedLine) => `${encodeJson(line)}\n`

const withoutTime = (text: string) => text.replace(/"now":\d+/, '')
