// The live cluster: one connection for the whole page, its state, and its delay.
import { signal } from '@preact/signals'
import type { AttentionItem } from '../../src/wire/console-tables.ts'
import type { EventRow, FeedLine, Summary, Transition } from '../../src/wire/console-wire.ts'
import { ApiError, lines } from './api.ts'
import { ClusterModel } from './cluster.ts'
import { expandPods } from './compact-rows.ts'
import { learnNodeNames } from './node-names.ts'
import { N, P } from './rows.ts'

export type Hello = Extract<FeedLine, { k: 'hello' }>

export type LiveConnection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'loading'; readonly done: number; readonly of: number }
  | { readonly kind: 'live' }
  | { readonly kind: 'behind'; readonly ms: number }
  | { readonly kind: 'reconnecting'; readonly since: number; readonly why: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'signed-out'; readonly why: string }
  /** Signed in, but without permission to read what the console shows. */
  | { readonly kind: 'forbidden'; readonly why: string }

export const connection = signal<LiveConnection>({ kind: 'connecting' })
export const hello = signal<Hello | undefined>(undefined)
export const summary = signal<Summary | undefined>(undefined)
/** The problems of the cluster; undefined until they are known. */
export const attention = signal<readonly AttentionItem[] | undefined>(undefined)
/** Increases whenever `live.cluster` changes; components that draw it read this first. */
export const revision = signal(0)
/** The time of the server, updated once a second. */
export const now = signal(Date.now())

const behindMs = 3_000
const silentMs = 7_000
const redrawMs = 100
const loadingRedrawMs = 1_000
const hiddenPauseMs = 300_000
const keptTransitions = 60_000
const keptEvents = 5_000

class Live {
  cluster = new ClusterModel()
  /** The changes since the start of the connection, and the number of entries before. */
  transitions: Transition[] = []
  events: EventRow[] = []
  since = 0
  private offsetMs = 0
  private heardAt = 0
  private attempt = 0
  private current: AbortController | undefined
  private redraw: ReturnType<typeof setTimeout> | undefined
  private hiddenSince: number | undefined

  /** The estimated time of the server; the time of a snapshot. */
  serverNow(): number {
    if (hello.value?.cluster === 'snapshot') return hello.value.now
    return Date.now() + this.offsetMs
  }

  start(): void {
    setInterval(() => this.tick(), 1_000)
    document.addEventListener('visibilitychange', () => this.visibilityChanged())
    addEventListener('online', () => this.reconnectNow())
    void this.run()
  }

  reconnectNow(): void {
    this.attempt = 0
    const { kind } = connection.value
    if (kind === 'reconnecting' || kind === 'forbidden') this.wake()
  }

  private wake: () => void = () => {}

  private async run(): Promise<void> {
    for (;;) {
      const why = await this.connectOnce()
      if (connection.value.kind === 'signed-out') return
      if (connection.value.kind === 'forbidden') {
        await this.untilWoken()
        connection.value = { kind: 'connecting' }
      } else if (this.hiddenSince !== undefined && connection.value.kind === 'paused') await this.untilWoken()
      else {
        const { value } = connection
        const since = value.kind === 'reconnecting' ? value.since : Date.now()
        connection.value = { kind: 'reconnecting', since, why }
        await Promise.race([wait(Math.min(8_000, 400 * 2 ** this.attempt++)), this.untilWoken()])
      }
    }
  }

  private untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  /** Reads the feed until it ends; returns why it ended. */
  private async connectOnce(): Promise<string> {
    const abort = new AbortController()
    this.current = abort
    this.heardAt = Date.now()
    const reader = new FeedReader(this)
    try {
      for await (const line of lines<FeedLine>('feed', { signal: abort.signal })) {
        this.heardAt = Date.now()
        reader.take(line)
      }
      return 'the server closed the connection'
    } catch (error) {
      if (error instanceof ApiError && (error.code === 401 || error.code === 403)) {
        connection.value = { kind: error.code === 401 ? 'signed-out' : 'forbidden', why: error.message }
        return error.message
      }
      return abort.signal.aborted ? 'the server stopped responding' : 'the server cannot be reached'
    }
  }

  /** The newest line without delay gives the difference between the two clocks. */
  hear(serverNow: number): void {
    if (hello.value?.cluster === 'snapshot') return
    const offset = serverNow - Date.now()
    if (offset > this.offsetMs || Math.abs(offset - this.offsetMs) > 60_000) this.offsetMs = offset
    // Follows drifts of the clocks slowly, and ignores delays.
    else this.offsetMs -= Math.min(5, this.offsetMs - offset)
    const { kind } = connection.value
    if (kind !== 'live' && kind !== 'behind') return
    const lateMs = this.offsetMs - offset
    if (lateMs > behindMs) connection.value = { kind: 'behind', ms: lateMs }
    else if (kind === 'behind') connection.value = { kind: 'live' }
  }

  arrived(cluster: ClusterModel, first: Hello, seq: number): void {
    this.cluster = cluster
    this.transitions = []
    this.events = []
    this.since = seq
    this.attempt = 0
    this.offsetMs = first.now - Date.now()
    hello.value = first
  }

  record(transition: Transition): void {
    this.transitions.push(transition)
    if (this.transitions.length > keptTransitions * 1.5) this.transitions = this.transitions.slice(-keptTransitions)
  }

  note(events: readonly EventRow[]): void {
    this.events.push(...events)
    if (this.events.length > keptEvents * 1.5) this.events = this.events.slice(-keptEvents)
  }

  changed(): void {
    // While a large cluster arrives, drawing it for every message would take longer than reading it.
    this.redraw ??= setTimeout(() => this.draw(), connection.value.kind === 'loading' ? loadingRedrawMs : redrawMs)
  }

  draw(): void {
    clearTimeout(this.redraw)
    this.redraw = undefined
    learnNodeNames(this.cluster)
    revision.value++
  }

  private tick(): void {
    now.value = this.serverNow()
    const { kind } = connection.value
    const isOpen = kind === 'live' || kind === 'behind' || kind === 'loading'
    const isFile = hello.value?.cluster === 'snapshot'
    if (isOpen && !isFile && Date.now() - this.heardAt > silentMs) this.current?.abort()
    const hidden = this.hiddenSince
    if (isOpen && hidden !== undefined && Date.now() - hidden > hiddenPauseMs) {
      // A hidden page releases its connection: a browser has only a few per host.
      connection.value = { kind: 'paused' }
      this.current?.abort()
    }
  }

  private visibilityChanged(): void {
    this.hiddenSince = document.hidden ? Date.now() : undefined
    if (!document.hidden) this.wake()
  }
}

/** Reads the lines of one connection: first a complete new cluster, then changes to it. */
class FeedReader {
  private readonly live: Live
  private cluster = new ClusterModel()
  private readonly sentNodes: string[] = []
  private first: Hello | undefined
  private isReady = false
  private seq = 0

  constructor(live: Live) {
    this.live = live
  }

  take(line: FeedLine): void {
    switch (line.k) {
      case 'hello':
        this.first = line
        this.seq = line.seq
        // Nothing is shown yet, so the cluster may appear step by step.
        if (hello.value === undefined) this.live.arrived(this.cluster, line, line.seq)
        connection.value = { kind: 'loading', done: 0, of: line.nodes + line.pods }
        return
      case 'labels':
        this.cluster.addLabels(line.sets)
        return
      case 'nodes':
        for (const row of line.rows) {
          this.sentNodes.push(row[N.name])
          this.cluster.putNode(row)
        }
        this.progress()
        return
      case 'pods':
        for (const row of line.rows) this.cluster.putPod(row)
        for (const like of line.like) for (const row of expandPods(like, this.sentNodes)) this.cluster.putPod(row)
        this.progress()
        return
      case 'ready':
        this.isReady = true
        this.seq = line.seq
        if (this.first !== undefined) this.live.arrived(this.cluster, this.first, line.seq)
        connection.value = { kind: 'live' }
        this.live.draw()
        return
      case 'delta':
        this.delta(line)
        return
      case 'tick':
        this.live.hear(line.now)
        return
      case 'summary':
        summary.value = line
        return
      case 'table':
        this.cluster.small.take(line)
        this.live.changed()
        return
      case 'attention':
        attention.value = line.items
        return
    }
  }

  private progress(): void {
    const { nodes, pods } = this.cluster
    const of = (this.first?.nodes ?? 0) + (this.first?.pods ?? 0)
    connection.value = { kind: 'loading', done: nodes.size + pods.size, of }
    if (this.live.cluster === this.cluster) this.live.changed()
  }

  private delta(line: Extract<FeedLine, { k: 'delta' }>): void {
    const { cluster } = this
    if (line.labels !== undefined) cluster.addLabels(line.labels)
    for (const row of line.nodes ?? []) {
      const before = cluster.putNode(row)
      this.record([++this.seq, line.now, 'n', row[N.name], before ?? null, row])
    }
    for (const row of line.pods ?? []) {
      const before = cluster.putPod(row)
      this.record([++this.seq, line.now, 'p', row[P.key], before ?? null, row])
    }
    for (const key of line.gonePods ?? []) {
      const before = cluster.dropPod(key)
      if (before !== undefined) this.record([++this.seq, line.now, 'p', key, before, null])
    }
    for (const key of line.goneNodes ?? []) {
      const before = cluster.dropNode(key)
      if (before !== undefined) this.record([++this.seq, line.now, 'n', key, before, null])
    }
    if (line.events !== undefined && this.isReady) this.live.note(line.events)
    this.live.hear(line.now)
    this.live.changed()
  }

  private record(transition: Transition): void {
    if (this.isReady) this.live.record(transition)
  }
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const live = new Live()
