import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease, releaseOf } from '../../api/releases/release-of.ts'
import type { Gate } from '../../apiserver/api-server.ts'
import { type ApiRequest, type ApiResponse, type FullResponse, json } from '../../apiserver/exchange.ts'
import { namesThisServer } from '../../apiserver/host-names.ts'
import type { Clock } from '../../base/clock.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { Logger } from '../../base/log.ts'
import type { Caller, Registry } from '../../registry/contract.ts'
import type { ForecastRequest, ForecastResult, QuestionForm, TextAnswer } from '../../wire/console-questions.ts'
import type { SearchProgress, SearchRequest, SearchResult } from '../../wire/console-search.ts'
import type { Capabilities, ConsoleExplanation, HistoryAnswer } from '../../wire/console-wire.ts'
import { loadConsoleFiles, unguessable } from '../ports-console.ts'
import { ConsoleActions, readAction } from './actions.ts'
import { ConsoleBoard } from './board.ts'
import { devicesAnswer, nodeAnswer, podAnswer } from './details.ts'
import { ConsoleFeed } from './feed.ts'
import { readForecastRequest } from './forecast-request.ts'
import { cidrAnswer, evictionAnswer, type ListQuestion, queueAnswer } from './inspections.ts'
import type { NodeFigures } from './node-figures.ts'
import { pageAnswer, securityHeaders } from './pages.ts'
import { readSearchRequest } from './search-request.ts'
import { ConsoleSessions, type EndedSessions, foreignRequest } from './session.ts'
import type { ConsoleSource } from './source.ts'

export interface ForecastProgress {
  readonly seconds: number
  readonly facts: number
  /** A text to show instead of the simulated time. */
  readonly said?: string
}

/** Takes the progress of a forecast or a search, and returns whether the caller still wants the result. */
export interface PlayWatch<Progress> {
  readonly onProgress: (progress: Progress) => void
  readonly isUnwanted: () => boolean
}

export type ForecastWatch = PlayWatch<ForecastProgress>

/** Answers that only modules above this one can compute. */
export interface ConsoleOracles {
  /** Throws an error with a message for users if the question is invalid. */
  readonly forecast?: (request: ForecastRequest, watch: ForecastWatch) => Promise<ForecastResult | TextAnswer>
  readonly search?: (request: SearchRequest, watch: PlayWatch<SearchProgress>) => Promise<SearchResult>
  /** The available questions, as forms. */
  readonly questions?: () => readonly QuestionForm[]
  readonly explain?: (pod: string) => Promise<ConsoleExplanation | undefined>
  readonly figures?: NodeFigures
}

export interface ConsoleOptions extends ConsoleOracles {
  readonly source: ConsoleSource
  readonly clock: Clock
  readonly log: Logger
  /** The key that signs sessions. */
  readonly secret: string
  /** `https://127.0.0.1:6443` */
  readonly address: () => string
  /** The release, for example v1.36. */
  readonly kubernetes: string
  /** Absent: the console is read-only. */
  readonly registry?: Pick<Registry, 'store' | 'call'>
  /** The user for whom the printed link acts. */
  readonly owner: Caller
  /** The storage of ended sessions across restarts. */
  readonly ended?: EndedSessions
  /** Host names by which browsers may reach the console, besides addresses and localhost. */
  readonly hostNames?: readonly string[]
}

export interface Console {
  /** The response to a request below /console. */
  handle(request: ApiRequest, gate: Gate): Promise<ApiResponse>
  /** A link that opens the console once. */
  link(): string
  close(): void
}

export const isConsolePath = (path: string) => path === '/console' || path.startsWith('/console/')

export function createConsole(options: ConsoleOptions): Console {
  return new ConsoleServer(options)
}

type ConsoleAnswer = ApiResponse | Promise<ApiResponse>

interface Visit {
  readonly request: ApiRequest
  readonly caller: Caller
  readonly can: Capabilities
  readonly now: number
}

const defaultLimit = 1_000
const maxLimit = 5_000
const maxTransitions = 30_000

class ConsoleServer implements Console {
  private readonly options: ConsoleOptions
  private readonly sessions: ConsoleSessions
  private readonly board: ConsoleBoard
  private readonly feed: ConsoleFeed
  private readonly actions: ConsoleActions | undefined
  private isPlaying = false
  private readonly asking = new Map<string, Promise<unknown>>()

  constructor(options: ConsoleOptions) {
    const { source, clock, registry } = options
    this.options = options
    this.sessions = new ConsoleSessions({
      secret: options.secret,
      now: () => clock.now(),
      newCode: unguessable,
      secure: options.address().startsWith('https:'),
      ...(options.ended === undefined ? {} : { ended: options.ended }),
    })
    this.board = new ConsoleBoard(source, () => clock.wall(), {
      release: releaseNamed(options.kubernetes),
      ...(options.figures === undefined ? {} : { figures: options.figures }),
    })
    this.actions = registry === undefined ? undefined : new ConsoleActions({ registry, clock })
    this.feed = new ConsoleFeed({
      board: this.board,
      source,
      clock,
      server: options.address,
      kubernetes: options.kubernetes,
      drains: () => this.actions?.drains() ?? [],
    })
  }

  link(): string {
    return `${this.options.address()}/console/?code=${this.sessions.offer(this.options.owner)}`
  }

  close(): void {
    this.board.close()
  }

  async handle(request: ApiRequest, gate: Gate): Promise<ApiResponse> {
    if (!namesThisServer(request, this.options.hostNames))
      return refused(
        403,
        'the console is not served under this host name; use an address, localhost, or --allowed-host',
      )
    if (request.path === '/console') {
      const headers = { ...securityHeaders, location: `/console/${search(request)}` }
      return { kind: 'full', code: 308, headers, body: '' }
    }
    if (!request.path.startsWith('/console/api/')) return pageAnswer(request, loadConsoleFiles())
    const foreign = foreignRequest(request)
    if (foreign !== undefined) return refused(403, foreign)
    const path = request.path.slice('/console/api/'.length)
    const posts = request.method === 'POST'
    if (path === 'session' && posts) return this.begin(request)
    const caller = this.sessions.callerOf(request) ?? authenticated(request, gate)
    if (caller === undefined) return refused(401, 'open the link that berth printed when it started')
    const may = (verb: string, plural: string, subresource?: string) =>
      gate.authorize({ caller, verb, group: '', plural, ...(subresource === undefined ? {} : { subresource }) })
    if (!may('list', 'nodes') || !may('list', 'pods'))
      return refused(403, `user ${JSON.stringify(caller.name)} cannot list nodes and pods, which the console requires`)
    const can: Capabilities = {
      act: this.actions !== undefined && may('patch', 'nodes') && may('create', 'pods', 'eviction'),
      forecast: this.options.forecast !== undefined,
      explain: this.options.explain !== undefined,
      events: this.options.source.cluster === 'own',
    }
    const visit: Visit = { request, caller, can, now: this.options.clock.wall() }
    const answer = posts ? this.post(path, visit) : this.get(path, visit)
    return withHeaders((await answer) ?? refused(404, `${request.path} not found`))
  }

  private begin(request: ApiRequest): ApiResponse {
    const { code } = (parse(request) ?? {}) as { readonly code?: unknown }
    const cookie = typeof code === 'string' ? this.sessions.exchange(code) : undefined
    if (cookie === undefined) return refused(401, 'the link was already used or has expired')
    return withHeaders(json(200, { ok: true }, { 'set-cookie': cookie, 'cache-control': 'no-store' }))
  }

  private get(path: string, visit: Visit): ConsoleAnswer | undefined {
    const { source } = this.options
    const { request, caller, can, now } = visit
    const [kind = '', ...rest] = path.split('/')
    const key = rest.join('/')
    switch (kind) {
      case 'session':
        return json(200, { caller: caller.name, can })
      case 'feed':
        return this.feed.open(caller.name, can)
      case 'queue':
        return found(queueAnswer(source, questionOf(request), now), 'the scheduler does not run here')
      case 'evictions':
        return json(200, evictionAnswer(source, questionOf(request), now))
      case 'cidrs':
        return json(200, cidrAnswer(source, now))
      case 'history':
        return json(200, this.history(request, now))
      case 'pods':
        return found(podAnswer({ source, board: this.board }, key, now), `pod ${key} not found`)
      case 'nodes':
        return found(nodeAnswer({ source, board: this.board }, key, now), `node ${key} not found`)
      case 'questions':
        return json(200, this.options.questions?.() ?? [])
      case 'devices':
        return json(200, devicesAnswer(source, now))
      case 'explain':
        return this.explain(key)
      default:
        return undefined
    }
  }

  private history(request: ApiRequest, now: number): HistoryAnswer {
    const before = Number(request.query.get('before') ?? Number.NaN)
    const until = Number.isNaN(before) ? this.board.sequence + 1 : before
    return { now, ...this.board.history(until, maxTransitions), events: this.board.events() }
  }

  private async explain(pod: string): Promise<ApiResponse> {
    const { explain } = this.options
    const value = explain === undefined ? undefined : await this.onlyOnce(pod, () => explain(pod))
    return found(value, `no explanation for pod ${pod}`)
  }

  /** Concurrent identical requests share one answer, because computing it takes long on a large cluster. */
  private onlyOnce<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const running = this.asking.get(name) as Promise<T> | undefined
    if (running !== undefined) return running
    const asked = ask().finally(() => this.asking.delete(name))
    this.asking.set(name, asked)
    return asked
  }

  private post(path: string, visit: Visit): ConsoleAnswer | undefined {
    const { request, caller, can } = visit
    switch (path) {
      case 'logout':
        return json(200, { ok: true }, { 'set-cookie': this.sessions.end(request) })
      case 'link':
        return json(200, { link: `${this.options.address()}/console/?code=${this.sessions.offer(caller)}` })
      case 'actions':
        return can.act ? this.act(request, caller) : refused(403, 'the console is read-only')
      case 'forecast':
        return this.forecast(request)
      case 'search':
        return this.search(request)
      default:
        return undefined
    }
  }

  private async act(request: ApiRequest, caller: Caller): Promise<ApiResponse> {
    const action = readAction(parse(request))
    if (!action.ok) return refused(400, action.message)
    const result = (this.actions as ConsoleActions).perform(action.value, caller)
    await this.options.registry?.store.durable()
    this.options.log.info({ ...action.value, caller: caller.name, ok: result.ok }, 'console action')
    return result.ok ? json(200, { done: result.value }) : refused(409, result.message)
  }

  private forecast(request: ApiRequest): ApiResponse {
    const { forecast } = this.options
    if (forecast === undefined) return refused(404, 'forecasts are not available here')
    const asked = readForecastRequest(parse(request))
    if (!asked.ok) return refused(400, asked.message)
    return this.played<ForecastProgress>('forecast', (watch) => forecast(asked.value, watch))
  }

  private search(request: ApiRequest): ApiResponse {
    const { search: find } = this.options
    if (find === undefined) return refused(404, 'searches are not available here')
    const asked = readSearchRequest(parse(request))
    if (!asked.ok) return refused(400, asked.message)
    return this.played<SearchProgress>('search', (watch) => find(asked.value, watch))
  }

  /**
   * Lines with the progress, then the answer or the reason why there is none. Only one runs at a time, because each
   * uses a core.
   */
  private played<Progress extends object>(
    k: 'forecast' | 'search',
    play: (watch: PlayWatch<Progress>) => Promise<object>,
  ): ApiResponse {
    if (this.isPlaying) return refused(429, 'another forecast or search is running; wait for it, or discard it')
    this.isPlaying = true
    return {
      kind: 'stream',
      code: 200,
      headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
      start: (sink) => {
        let isUnwanted = false
        const say = (line: object) => sink.write(`${encodeJson(line)}\n`)
        const finish = () => {
          this.isPlaying = false
          sink.end()
        }
        play({ onProgress: (progress) => void say({ k: 'progress', ...progress }), isUnwanted: () => isUnwanted })
          .then((made) => void (isUnwanted || say({ k, ...made })))
          .catch((error: unknown) => {
            const message = error instanceof Error ? error.message : String(error)
            this.options.log.warn({ message }, `${k} failed`)
            if (!isUnwanted) say({ k: 'failed', message })
          })
          .finally(finish)
        return () => {
          isUnwanted = true
        }
      },
    }
  }
}

/** The caller if the request authenticates to the API with a token or certificate; not an anonymous caller. */
function authenticated(request: ApiRequest, gate: Gate): Caller | undefined {
  const caller = gate.authenticate(request)
  return caller === undefined || caller.groups.includes('system:unauthenticated') ? undefined : caller
}

/** The release whose kubectl the texts follow. */
function releaseNamed(version: string): KubernetesRelease {
  const found = releaseOf(version.replace(/^v/, ''))
  return found.ok ? found.value : defaultRelease
}

const search = ({ query }: ApiRequest) => (query.size === 0 ? '' : `?${query}`)

function questionOf({ query }: ApiRequest): ListQuestion {
  const place = query.get('place') ?? ''
  const limit = Number(query.get('limit') ?? defaultLimit)
  return {
    search: query.get('search') ?? '',
    ...(place === '' ? {} : { place }),
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, maxLimit) : defaultLimit,
  }
}

function parse({ body }: ApiRequest): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}

const found = (value: unknown, otherwise: string): FullResponse =>
  value === undefined ? refused(404, otherwise) : json(200, value)

const refused = (code: number, message: string): FullResponse => json(code, { message }, securityHeaders)

function withHeaders<Response extends ApiResponse>(response: Response): Response {
  return { ...response, headers: { 'cache-control': 'no-store', ...response.headers, ...securityHeaders } }
}
