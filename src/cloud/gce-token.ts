import { done, failed, type Result } from '../base/result.ts'
import type { TokenSetting } from './gce-config.ts'
import type { GceRequest, HttpPort } from './gce-http.ts'

// How long before its expiry a token is renewed.
const marginMs = 60_000

/** Access tokens, cached until shortly before they expire. */
export class TokenSource {
  private readonly setting: TokenSetting
  private readonly http: HttpPort
  private readonly now: () => number
  private token: { readonly text: string; readonly until: number } | undefined
  private underWay: Promise<Result<string | undefined>> | undefined

  constructor(setting: TokenSetting, http: HttpPort, now: () => number) {
    this.setting = setting
    this.http = http
    this.now = now
  }

  /** Undefined: no token is needed. Concurrent callers share one request. */
  get(): Promise<Result<string | undefined>> {
    if (this.setting.kind === 'none') return Promise.resolve(done(undefined))
    if (this.token !== undefined && this.now() < this.token.until) return Promise.resolve(done(this.token.text))
    this.underWay ??= this.fetch(this.setting).finally(() => {
      this.underWay = undefined
    })
    return this.underWay
  }

  /** Called when the server refused the token before its expiry. */
  forget(): void {
    this.token = undefined
  }

  private async fetch(setting: Exclude<TokenSetting, { kind: 'none' }>): Promise<Result<string | undefined>> {
    const request: GceRequest =
      setting.kind === 'metadata'
        ? { method: 'GET', url: setting.url, headers: { 'metadata-flavor': 'Google' } }
        : {
            method: 'POST',
            url: setting.url,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: setting.body,
          }
    const answer = await this.http.exchange(request)
    if (answer.kind === 'lost') return failed(`no access token: ${answer.message}`)
    if (answer.code !== 200) return failed(`no access token: ${setting.url} answered with ${answer.code}`)
    const read = readToken(answer.body)
    if (!read.ok) return read
    const { text, lifetimeMs } = read.value
    this.token = { text, until: this.now() + Math.max(lifetimeMs - marginMs, 0) }
    return done(text)
  }
}

/** Accepts the field names of OAuth and of token servers. */
function readToken(body: string): Result<{ readonly text: string; readonly lifetimeMs: number }> {
  let value: Readonly<Record<string, unknown>>
  try {
    value = JSON.parse(body) as Readonly<Record<string, unknown>>
  } catch {
    return failed('no access token: the response is not JSON')
  }
  const text = value['access_token'] ?? value['accessToken']
  if (typeof text !== 'string' || text === '') return failed('no access token: the response has none')
  const seconds = Number(value['expires_in'] ?? 300)
  return done({ text, lifetimeMs: Number.isFinite(seconds) ? seconds * 1000 : 0 })
}
