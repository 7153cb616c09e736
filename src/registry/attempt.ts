import type { Failure } from '../api/call.ts'
import type { JsonObject } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import { encodeJson } from '../base/exact-json.ts'
import type { Random, RandomStream } from '../base/random.ts'
import type { RequestParts } from './request-parts.ts'

/** The address of a webhook. `connectTo` is set if DNS does not know the host name in the URL. */
export interface WebhookTarget {
  readonly url: string
  readonly connectTo?: { readonly host: string; readonly port: number }
  /** PEM, base64 as in the configuration. Absent: the certificates that the machine trusts. */
  readonly caBundle?: string
}

/** A request to a webhook, as data. The registry makes it, and the caller of the registry sends it. */
export interface WebhookAsk {
  readonly purpose: 'mutate' | 'validate' | 'convert'
  /** The name of the webhook; for a conversion, the name of the definition. */
  readonly webhook: string
  readonly configuration: string
  /** The effect of a failed call. */
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly target: WebhookTarget
  readonly timeoutMs: number
  readonly review: JsonObject
}

/** `failed`: the call failed, with the message that client-go has for it. */
export type WebhookAnswer =
  | { readonly kind: 'ok'; readonly body: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: number }

/** Thrown to leave the pipeline, which continues when these questions are answered, or in another turn if there are none. */
export class AwaitingAnswers extends Error {
  override readonly name = 'AwaitingAnswers'
  readonly asks: readonly KeyedAsk[]
  constructor(asks: readonly KeyedAsk[]) {
    super('webhooks must be asked first')
    this.asks = asks
  }
}

/** An answer, and the uid that the question had. */
export interface AnsweredWebhook {
  readonly uid: string
  readonly answer: WebhookAnswer
}

export interface KeyedAsk {
  readonly key: string
  readonly ask: WebhookAsk
}

/** An annotation of the audit event. `patch` annotations are recorded from level Request on. */
export interface AuditNote {
  readonly value: string
  readonly level: 'Metadata' | 'Request'
}

// The maximum number of runs of a request. A request runs again if objects changed while webhooks were asked.
const maxRuns = 200
/** kube-apiserver's requestTimeoutUpperBound. */
const maxMs = 34_000

/**
 * The memory of one request that asks webhooks. The registry runs the request from the beginning until it needs an
 * answer that is not here; when the answer arrives, it runs the request again. Time and randomness are the same in
 * every run. An answer is used only for the question that it answers: if an object changed in the meantime, the
 * question differs and the webhook is asked again, as kube-apiserver does after a conflict.
 */
export class WriteAttempt {
  readonly random: Random
  readonly nowMs: number
  readonly notes = new Map<string, AuditNote>()
  warnings: string[] = []
  /** State of a request that changes objects one by one, such as deletecollection. */
  progress: unknown
  /** Set for a request that is run in turns. */
  readonly parts: RequestParts | undefined
  private readonly clock: { now(): number }
  private readonly answers = new Map<string, WebhookAnswer>()
  private readonly uids = new Map<string, string>()
  private readonly unrecorded: Random
  private readonly recorded: RecordedRandom
  private runs = 0

  constructor(random: Random, clock: { now(): number }, parts?: RequestParts) {
    this.parts = parts
    this.recorded = new RecordedRandom(random)
    this.random = this.recorded
    this.unrecorded = random
    this.clock = clock
    this.nowMs = clock.now()
  }

  /** Begins a run. Fails if the request takes too long. */
  begin(): Failure | undefined {
    this.runs++
    this.parts?.begin()
    this.warnings = []
    this.notes.clear()
    this.recorded.rewind()
    if (this.runs <= maxRuns && this.leftMs() > 0) return undefined
    return failure(
      'Timeout',
      'Timeout: request did not complete within requested timeout - context deadline exceeded',
      {},
    )
  }

  leftMs(): number {
    return maxMs - (this.clock.now() - this.nowMs)
  }

  /**
   * The answers to these asks, in their order. Leaves the pipeline if one is missing. The request of a review has no
   * uid here: every question gets a new one.
   */
  ask(asks: readonly WebhookAsk[]): readonly AnsweredWebhook[] {
    const keyed = asks.map((ask) => ({ ask, key: keyOf(ask) }))
    const missing = keyed.filter(({ key }) => !this.answers.has(key))
    if (missing.length > 0) throw new AwaitingAnswers(missing.map((one) => this.identified(one)))
    return keyed.map(({ key }) => {
      const answer = this.answers.get(key) as WebhookAnswer
      return { uid: this.uids.get(key) ?? '', answer }
    })
  }

  private identified({ key, ask }: KeyedAsk): KeyedAsk {
    let uid = this.uids.get(key)
    if (uid === undefined) {
      uid = this.unrecorded.stream('webhook').uuid()
      this.uids.set(key, uid)
    }
    const request = { uid, ...(ask.review['request'] as JsonObject) }
    return { key, ask: { ...ask, review: { ...ask.review, request } } }
  }

  answer(asked: readonly KeyedAsk[], answers: readonly WebhookAnswer[]): void {
    asked.forEach(({ key }, i) => {
      this.answers.set(key, answers[i] ?? { kind: 'failed', message: 'no answer' })
    })
  }

  note(key: string, value: string, level: AuditNote['level'] = 'Metadata'): void {
    // The first value is kept (admission.attributesRecord.AddAnnotation refuses another one).
    if (!this.notes.has(key)) this.notes.set(key, { value, level })
  }

  warn(text: string): void {
    this.warnings.push(text)
  }

  takeWarnings(): readonly string[] {
    const taken = this.warnings
    this.warnings = []
    return taken
  }
}

function keyOf({ purpose, configuration, webhook, review }: WebhookAsk): string {
  return `${purpose} ${configuration}/${webhook} ${encodeJson(review)}`
}

/** Returns in every run the random values of the first run. */
class RecordedRandom implements Random {
  readonly seed: string
  private readonly random: Random
  private readonly drawn = new Map<string, unknown[]>()
  private readonly places = new Map<string, number>()

  constructor(random: Random) {
    this.random = random
    this.seed = random.seed
  }

  rewind(): void {
    this.places.clear()
  }

  stream(name: string): RandomStream {
    const real = this.random.stream(name)
    const recorded = <T>(how: string, draw: () => T): T => this.recall(`${name}/${how}`, draw)
    return {
      next: () => recorded('next', () => real.next()),
      int: (n) => recorded(`int${n}`, () => real.int(n)),
      pick: (items) => items[recorded(`int${items.length}`, () => real.int(items.length))] as (typeof items)[number],
      shuffle: (items) => recorded('shuffle', () => real.shuffle(items)),
      hex: (n) => recorded(`hex${n}`, () => real.hex(n)),
      uuid: () => recorded('uuid', () => real.uuid()),
      alphanumeric: (n) => recorded(`alphanumeric${n}`, () => real.alphanumeric(n)),
    }
  }

  private recall<T>(key: string, draw: () => T): T {
    const log = this.drawn.get(key) ?? []
    const place = this.places.get(key) ?? 0
    this.places.set(key, place + 1)
    if (place < log.length) return log[place] as T
    const value = draw()
    log.push(value)
    this.drawn.set(key, log)
    return value
  }
}
