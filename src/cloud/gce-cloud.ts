import type { Clock } from '../base/clock.ts'
import type { RandomStream } from '../base/random.ts'
import { type AliasCloud, type CloudAnswer, troubled } from './contract.ts'
import type { GceConfig } from './gce-config.ts'
import { readTrouble, type Trouble } from './gce-errors.ts'
import { type GceRequest, HttpPort } from './gce-http.ts'
import { TokenSource } from './gce-token.ts'
import { type GceInstance, parseProviderId } from './provider-id.ts'

export interface GceOptions {
  readonly config: GceConfig
  readonly clock: Clock
  readonly random: RandomStream
  /** Timeout of one request. Default: 30 s. */
  readonly timeoutMs?: number
  /** Requests per second; Compute Engine counts them per project. Default: 10. */
  readonly perSecond?: number
  /** Attempts of a request that fails for a temporary reason. Default: 5. */
  readonly tries?: number
}

interface NetworkInterface {
  readonly name?: string
  readonly fingerprint?: string
  readonly aliasIpRanges?: readonly { readonly ipCidrRange?: string; readonly subnetworkRangeName?: string }[]
}

interface GceOperation {
  readonly name: string
  readonly status: 'PENDING' | 'RUNNING' | 'DONE'
  readonly httpErrorStatusCode?: number
  readonly error?: { readonly errors?: readonly { readonly code?: string; readonly message?: string }[] }
}

const firstPauseMs = 500
const longestPauseMs = 20_000
// v1.28, legacy-cloud-providers/gce, operationPollInterval.
const pollMs = 1_000
const maxPolls = 120

/** The alias ranges of Google Compute Engine instances, through its REST API. */
export function createGceCloud(options: GceOptions): AliasCloud {
  return new GceCloud(options)
}

class GceCloud implements AliasCloud {
  private readonly options: GceOptions
  private readonly http: HttpPort
  private readonly tokens: TokenSource
  private freeAt = Number.NEGATIVE_INFINITY

  constructor(options: GceOptions) {
    const { clock, config, timeoutMs = 30_000 } = options
    this.options = options
    this.http = new HttpPort({ clock, timeoutMs })
    this.tokens = new TokenSource(config.token, this.http, () => clock.now())
  }

  close(): void {
    this.http.close()
  }

  async aliasRanges(providerId: string): Promise<CloudAnswer<readonly string[]>> {
    const instance = parseProviderId(providerId)
    if (instance === undefined) return troubled('invalid', `error splitting providerID ${JSON.stringify(providerId)}`)
    const interfaces = await this.interfaces(instance)
    if (!interfaces.ok) return troubled(interfaces.trouble, interfaces.message)
    const ranges = interfaces.value.flatMap(({ aliasIpRanges = [] }) => aliasIpRanges)
    return { ok: true, value: ranges.flatMap(({ ipCidrRange }) => (ipCidrRange === undefined ? [] : [ipCidrRange])) }
  }

  async addAlias(providerId: string, cidr: string): Promise<CloudAnswer<undefined>> {
    const instance = parseProviderId(providerId)
    if (instance === undefined) return troubled('invalid', `error splitting providerID ${JSON.stringify(providerId)}`)
    for (let left = this.tries; ; left--) {
      const added = await this.addOnce(instance, providerId, cidr)
      // Another client changed the interface in the meantime: read it again.
      const isStale = !added.ok && added.isStale === true
      if (!isStale || left <= 1) return added.ok ? added : troubled(added.trouble, added.message)
    }
  }

  private async addOnce(
    instance: GceInstance,
    providerId: string,
    cidr: string,
  ): Promise<{ readonly ok: true; readonly value: undefined } | Trouble> {
    const interfaces = await this.interfaces(instance)
    if (!interfaces.ok) return interfaces
    const [first] = interfaces.value
    if (first?.name === undefined)
      return troubled('invalid', `instance ${JSON.stringify(providerId)} has no network interfaces`)
    if (first.aliasIpRanges?.length === 1 && first.aliasIpRanges[0]?.ipCidrRange === cidr) {
      return { ok: true, value: undefined }
    }
    const { secondaryRange } = this.options.config
    const body = {
      name: first.name,
      fingerprint: first.fingerprint,
      aliasIpRanges: [
        { ipCidrRange: cidr, ...(secondaryRange === undefined ? {} : { subnetworkRangeName: secondaryRange }) },
      ],
    }
    const path = `${pathOf(instance)}/updateNetworkInterface?networkInterface=${encodeURIComponent(first.name)}`
    const operation = await this.request<GceOperation>('PATCH', this.urlOf(instance, path), JSON.stringify(body))
    return operation.ok ? this.outcomeOf(instance, operation.value) : operation
  }

  private async interfaces(
    instance: GceInstance,
  ): Promise<{ readonly ok: true; readonly value: readonly NetworkInterface[] } | Trouble> {
    const url = this.urlOf(instance, pathOf(instance))
    const answer = await this.request<{ readonly networkInterfaces?: readonly NetworkInterface[] }>('GET', url)
    return answer.ok ? { ok: true, value: answer.value.networkInterfaces ?? [] } : answer
  }

  /** Waits for an operation: the first response only confirms that the change has started. */
  private async outcomeOf(
    instance: GceInstance,
    begun: GceOperation,
  ): Promise<{ readonly ok: true; readonly value: undefined } | Trouble> {
    let operation = begun
    for (let polls = 0; operation.status !== 'DONE'; polls++) {
      if (polls >= maxPolls) return troubled('unavailable', `operation ${operation.name} does not finish`)
      await this.pause(pollMs)
      const path = `zones/${instance.zone}/operations/${encodeURIComponent(operation.name)}`
      const answer = await this.request<GceOperation>('GET', this.urlOf(instance, path))
      if (!answer.ok) return answer
      operation = answer.value
    }
    const [error] = operation.error?.errors ?? []
    if (error === undefined) return { ok: true, value: undefined }
    const reason = error.code ?? ''
    return readTrouble(operation.httpErrorStatusCode ?? 400, reason, error.message ?? reason)
  }

  private async request<T>(
    method: GceRequest['method'],
    url: string,
    body?: string,
  ): Promise<{ readonly ok: true; readonly value: T } | Trouble> {
    for (let attempt = 1; ; attempt++) {
      await this.turn()
      const answer = await this.requestOnce<T>(method, url, body)
      if (answer.ok || answer.passes !== true || attempt >= this.tries) return answer
      const backoffMs = Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs)
      await this.pause(answer.retryAfterMs ?? backoffMs * (0.5 + this.options.random.next()))
    }
  }

  private async requestOnce<T>(
    method: GceRequest['method'],
    url: string,
    body: string | undefined,
  ): Promise<{ readonly ok: true; readonly value: T } | Trouble> {
    const token = await this.tokens.get()
    if (!token.ok) return { ...troubled('unavailable', token.message), passes: true }
    const answer = await this.http.exchange({
      method,
      url,
      headers: {
        ...(token.value === undefined ? {} : { authorization: `Bearer ${token.value}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
    if (answer.kind === 'lost') return { ...troubled('unavailable', answer.message), passes: true }
    if (answer.code === 401) this.tokens.forget()
    const value = parseJson(answer.body)
    if (answer.code >= 200 && answer.code < 300 && value !== undefined) return { ok: true, value: value as T }
    const { reason, message } = errorIn(value)
    const trouble = readTrouble(answer.code, reason, message)
    return answer.retryAfterMs === undefined ? trouble : { ...trouble, retryAfterMs: answer.retryAfterMs }
  }

  private get tries(): number {
    return this.options.tries ?? 5
  }

  private urlOf({ project }: GceInstance, path: string): string {
    const { config } = this.options
    return `${config.endpoint}projects/${encodeURIComponent(config.project ?? project)}/${path}`
  }

  /** Spreads requests over time, so that they stay below the quota. */
  private async turn(): Promise<void> {
    const { clock, perSecond = 10 } = this.options
    const now = clock.now()
    const at = Math.max(now, this.freeAt)
    this.freeAt = at + 1000 / perSecond
    if (at > now) await this.pause(at - now)
  }

  private pause(ms: number): Promise<void> {
    const { clock } = this.options
    return new Promise((resolve) => {
      clock.at(clock.now() + ms, resolve)
    })
  }
}

function pathOf({ zone, name }: GceInstance): string {
  return `zones/${encodeURIComponent(zone)}/instances/${encodeURIComponent(name)}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `{ error: { message, errors: [{ reason }] } }`, or the response of a proxy. */
function errorIn(value: unknown): { readonly reason: string; readonly message: string } {
  const { error } = (value ?? {}) as {
    readonly error?: { readonly message?: string; readonly errors?: readonly { readonly reason?: string }[] }
  }
  return { reason: error?.errors?.[0]?.reason ?? '', message: error?.message ?? 'the response is not JSON' }
}
