import type { JsonObject } from '../api/objects/meta.ts'
import { encodeJson } from '../base/exact-json.ts'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'

/** The requests to which a recorded answer applies. Absent members match every request. */
export interface RecordedMatch {
  readonly operation?: string
  /** `pods`, `deployments.apps`. */
  readonly resource?: string
  /** `''`: the resource itself, without a subresource. */
  readonly subresource?: string
  readonly namespace?: string
  /** The name, or the prefix of a generated name. A trailing `*` matches any suffix. */
  readonly name?: string
  /** Members that the object must have. Members of members are compared in the same way. */
  readonly object?: JsonObject
}

/** The answer of a webhook to matching requests. */
export interface RecordedAnswer {
  /** The name of the configuration. Absent: any configuration. */
  readonly configuration?: string
  readonly webhook: string
  readonly match: RecordedMatch
  /** An AdmissionResponse without `uid`. */
  readonly response: JsonObject
}

/** How the webhooks of a cluster in virtual time are answered: by recorded answers first, then by `live`. */
export interface WebhookSettings {
  readonly recording?: readonly RecordedAnswer[]
  /** Calls the webhook itself. */
  readonly live?: (ask: WebhookAsk) => WebhookAnswer
  /** Records the answers of `live`, of all clusters with these settings. */
  readonly record?: RecordedAnswers
  /**
   * A webhook without an answer fails, and its failurePolicy decides; or every request is allowed. Default:
   * failurePolicy.
   */
  readonly unanswered?: 'failurePolicy' | 'allow'
  /**
   * The addresses of the services of webhooks, for `live`: `namespace/name` or `namespace/name:port` to `host:port`.
   */
  readonly services?: ReadonlyMap<string, string>
}

/** The answers of webhooks that were called live, without duplicates, in the order of the first calls. */
export class RecordedAnswers {
  private readonly answers = new Map<string, RecordedAnswer>()

  add(answer: RecordedAnswer): void {
    const key = encodeJson(answer)
    if (!this.answers.has(key)) this.answers.set(key, answer)
  }

  all(): readonly RecordedAnswer[] {
    return [...this.answers.values()]
  }
}

/** The reason of the failure of a webhook that was not called. */
export const notAsked = 'webhooks are not called in virtual time'

/** The number of calls of a webhook, and their results. */
export interface WebhookUse {
  readonly configuration: string
  readonly webhook: string
  readonly purpose: WebhookAsk['purpose']
  readonly failurePolicy: WebhookAsk['failurePolicy']
  recorded: number
  live: number
  /** Calls without an answer whose requests were allowed. */
  skipped: number
  /** Calls without an answer whose requests were refused. */
  failed: number
  /** Requests that the webhook denied. */
  denied: number
  /** The reason of the last denial or failed call. */
  reason: string
}

/** Answers the webhooks of one cluster, and counts the answers. */
export class WebhookAnswers {
  private readonly settings: WebhookSettings
  private readonly counted = new Map<string, WebhookUse>()

  constructor(settings: WebhookSettings = {}) {
    this.settings = settings
  }

  get services(): ReadonlyMap<string, string> | undefined {
    return this.settings.services
  }

  /** In the order of the first calls. */
  uses(): readonly WebhookUse[] {
    return [...this.counted.values()]
  }

  answer(ask: WebhookAsk): WebhookAnswer {
    const use = this.useOf(ask)
    const { recording = [], live, unanswered = 'failurePolicy' } = this.settings
    const recorded = recording.find((one) => appliesTo(one, ask))
    if (recorded !== undefined) {
      use.recorded++
      return this.noted(use, reviewOf(ask, recorded.response))
    }
    if (live !== undefined) {
      const answer = live(ask)
      if (answer.kind === 'failed') return this.failed(use, answer)
      use.live++
      this.remember(ask, answer.body)
      return this.noted(use, answer)
    }
    if (unanswered === 'allow' && ask.purpose !== 'convert') {
      use.skipped++
      return reviewOf(ask, { allowed: true })
    }
    return this.failed(use, { kind: 'failed', message: notAsked })
  }

  private useOf({ configuration, webhook, purpose, failurePolicy }: WebhookAsk): WebhookUse {
    const key = `${purpose} ${configuration}/${webhook}`
    let use = this.counted.get(key)
    if (use === undefined) {
      const none = { recorded: 0, live: 0, skipped: 0, failed: 0, denied: 0, reason: '' }
      use = { configuration, webhook, purpose, failurePolicy, ...none }
      this.counted.set(key, use)
    }
    return use
  }

  private failed(use: WebhookUse, answer: Extract<WebhookAnswer, { kind: 'failed' }>): WebhookAnswer {
    if (use.failurePolicy === 'Ignore') use.skipped++
    else use.failed++
    use.reason = answer.message
    return answer
  }

  private noted(use: WebhookUse, answer: Extract<WebhookAnswer, { kind: 'ok' }>): WebhookAnswer {
    const { response } = answer.body as { readonly response?: AdmissionAnswer }
    if (response?.allowed !== false) return answer
    use.denied++
    use.reason = response.status?.message ?? ''
    return answer
  }

  private remember(ask: WebhookAsk, body: unknown): void {
    const { uid: _, ...response } = ((body as { readonly response?: JsonObject }).response ?? {}) as JsonObject
    const { operation, resource, subresource, namespace, name } = questionOf(ask)
    const match: RecordedMatch = { operation, resource, subresource, namespace, name }
    this.settings.record?.add({ configuration: ask.configuration, webhook: ask.webhook, match, response })
  }
}

interface AdmissionAnswer {
  readonly allowed?: boolean
  readonly status?: { readonly message?: string }
}

interface AdmissionQuestion {
  readonly uid?: string
  readonly operation?: string
  readonly resource?: { readonly group?: string; readonly resource?: string }
  readonly subResource?: string
  readonly namespace?: string
  readonly name?: string
  readonly object?: JsonObject | null
  readonly oldObject?: JsonObject | null
}

/** The parts of a review that identify a recorded answer. */
function questionOf({ review }: WebhookAsk) {
  const request = (review['request'] ?? {}) as AdmissionQuestion
  const { group = '', resource = '' } = request.resource ?? {}
  const object = request.object ?? request.oldObject ?? {}
  const { name, generateName } = (object['metadata'] ?? {}) as {
    readonly name?: string
    readonly generateName?: string
  }
  return {
    operation: request.operation ?? '',
    resource: group === '' ? resource : `${resource}.${group}`,
    subresource: request.subResource ?? '',
    namespace: request.namespace ?? '',
    // Names of pods are generated, and differ from run to run.
    name: generateName === undefined || generateName === '' ? request.name || name || '' : `${generateName}*`,
    object,
  }
}

function appliesTo({ configuration, webhook, match }: RecordedAnswer, ask: WebhookAsk): boolean {
  if (webhook !== ask.webhook || ask.purpose === 'convert') return false
  if (configuration !== undefined && configuration !== ask.configuration) return false
  const asked = questionOf(ask)
  for (const member of ['operation', 'resource', 'subresource', 'namespace'] as const) {
    if (match[member] !== undefined && match[member] !== asked[member]) return false
  }
  if (match.name !== undefined && !isNamed(match.name, asked.name)) return false
  return match.object === undefined || contains(asked.object, match.object)
}

function isNamed(pattern: string, name: string): boolean {
  if (pattern === name) return true
  return pattern.endsWith('*') && name.replace(/\*$/, '').startsWith(pattern.slice(0, -1))
}

function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) {
    return encodeJson((value ?? null) as JsonObject) === encodeJson((part ?? null) as JsonObject)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(part).every(([name, inner]) => contains((value as JsonObject)[name], inner))
}

/** `jsonPatch`, a list of operations, becomes the patch of an AdmissionResponse. */
function reviewOf({ review }: WebhookAsk, given: JsonObject): { readonly kind: 'ok'; readonly body: unknown } {
  const { jsonPatch, ...response } = given
  const { uid } = (review['request'] ?? {}) as AdmissionQuestion
  const patch =
    jsonPatch === undefined
      ? {}
      : { patchType: 'JSONPatch', patch: Buffer.from(encodeJson(jsonPatch)).toString('base64') }
  const { apiVersion, kind } = review
  return { kind: 'ok', body: { apiVersion, kind, response: { uid, ...response, ...patch } } }
}
