// The console on a file: served read-only, or as data for a page that opens from disk.
import { type ApiRequest, type ApiResponse, text } from '../../apiserver/exchange.ts'
import { type RunningServer, serve } from '../../apiserver/server.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import type { Store } from '../../store/contract.ts'
import type { Capabilities } from '../../wire/console-wire.ts'
import { unguessable } from '../ports-console.ts'
import { ConsoleBoard } from './board.ts'
import { type ConsoleOracles, createConsole, isConsolePath } from './console.ts'
import { devicesAnswer, nodeAnswer, podAnswer } from './details.ts'
import { ConsoleFeed } from './feed.ts'
import { cidrAnswer, evictionAnswer } from './inspections.ts'
import type { NodeFigures } from './node-figures.ts'
import { type ConsoleSource, storeSource } from './source.ts'

export interface SnapshotOptions {
  readonly store: Store
  readonly takenAtMs: number
  /** The origin of the snapshot: the name of a file. */
  readonly name: string
  readonly clock: Clock
  /** The release, for example v1.36. */
  readonly kubernetes: string
  readonly figures?: NodeFigures
}

export interface ServedSnapshotOptions extends SnapshotOptions {
  readonly log: Logger
  readonly host: string
  readonly port: number
  readonly hostNames: readonly string[]
  readonly oracles: ConsoleOracles
}

/** In a file, time stands still. Only timers of the server run. */
const stoppedClock = (clock: Clock, takenAtMs: number): Clock => ({
  now: () => clock.now(),
  wall: () => takenAtMs,
  at: (ms, fn) => clock.at(ms, fn),
})

function sourceOf({ store, clock }: SnapshotOptions): ConsoleSource {
  return { ...storeSource(store, () => undefined, clock), cluster: 'snapshot' }
}

/** Serves the console of a snapshot on this machine. The link opens it once. */
export async function serveSnapshot(
  options: ServedSnapshotOptions,
): Promise<{ readonly link: string; readonly server: RunningServer }> {
  const { log, host, port, hostNames, oracles, kubernetes, takenAtMs } = options
  let address = `http://${host}`
  const clock = stoppedClock(options.clock, takenAtMs)
  const shown = createConsole({
    ...oracles,
    ...(options.figures === undefined ? {} : { figures: options.figures }),
    source: sourceOf(options),
    clock,
    log,
    secret: unguessable(),
    hostNames,
    address: () => address,
    kubernetes,
    owner: { name: 'console', groups: [] },
  })
  const gate = { authenticate: () => undefined, authorize: () => true }
  const answer = async (request: ApiRequest): Promise<ApiResponse> =>
    isConsolePath(request.path) ? shown.handle(request, gate) : text(404, '404 page not found\n')
  const server = await serve({
    admit: (head) => ({
      kind: 'admitted',
      flow: { user: 'console', kind: head.method === 'GET' ? 'readOnly' : 'mutating', level: 'normal' },
      answer: (body) => answer({ ...head, body }),
    }),
    host,
    port,
    clock: options.clock,
    metrics: new MetricRegistry(),
    log,
  })
  address = server.url
  return { link: shown.link(), server }
}

/** The data that the page of a file reads: the lines of the feed, and answers by path. */
export interface StaticConsole {
  readonly lines: readonly unknown[]
  readonly answers: Readonly<Record<string, unknown>>
}

const nothing: Capabilities = { act: false, forecast: false, explain: false, events: false }
const nodesInFull = 1_000
const podsInFull = 2_000

/** A cluster as data for a page without a server. Objects are included in full up to a limit. */
export function staticConsole(options: SnapshotOptions): StaticConsole {
  const { takenAtMs, kubernetes, name } = options
  const source = sourceOf(options)
  const clock = stoppedClock(options.clock, takenAtMs)
  const board = new ConsoleBoard(
    source,
    () => takenAtMs,
    options.figures === undefined ? {} : { figures: options.figures },
  )
  const feed = new ConsoleFeed({ board, source, clock, server: () => name, kubernetes, drains: () => [] })
  const answers: Record<string, unknown> = {
    devices: devicesAnswer(source, takenAtMs),
    evictions: evictionAnswer(source, { search: '', limit: 0 }, takenAtMs),
    cidrs: cidrAnswer(source, takenAtMs),
    history: { now: takenAtMs, ...board.history(), events: board.events() },
    questions: [],
  }
  for (const key of [...board.nodes.keys()].slice(0, nodesInFull))
    answers[`nodes/${key}`] = nodeAnswer({ source, board }, key, takenAtMs)
  for (const key of [...board.pods.keys()].slice(0, podsInFull))
    answers[`pods/${key}`] = podAnswer({ source, board }, key, takenAtMs)
  const lines = [...feed.everything('file', nothing)].map((line) => JSON.parse(line) as unknown)
  board.close()
  return { lines, answers }
}
