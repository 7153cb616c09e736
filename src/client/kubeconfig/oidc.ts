import { readFileSync } from 'node:fs'
import * as http from 'node:http'
import * as https from 'node:https'
import type { KubeConfig, User } from '@kubernetes/client-node'
import { throughProxy } from '../http-proxy.ts'
import { CredentialsError, inOneLine } from './credentials-error.ts'
import { proxyOf } from './proxy-settings.ts'

type OidcAuthenticator = Parameters<KubeConfig['addAuthenticator']>[0]

/** `users[].user.auth-provider.config` of a kubeconfig where the provider is `oidc`. */
export interface OidcLogin {
  readonly 'id-token'?: string
  readonly 'refresh-token'?: string
  readonly 'idp-issuer-url'?: string
  readonly 'client-id'?: string
  readonly 'client-secret'?: string
  readonly 'idp-certificate-authority'?: string
  readonly 'idp-certificate-authority-data'?: string
}

export interface OidcTokens {
  readonly 'id-token': string
  readonly 'refresh-token': string
}

export const oidcProviderName = 'oidc login'

// A token is renewed shortly before it expires, as in client-go (plugin/pkg/client/auth/oidc, expiryDelta).
const aheadMs = 10_000
const timeoutMs = 15_000

/**
 * OpenID Connect logins: the id-token is the credential. If there is a refresh-token, a new id-token is requested from
 * the identity provider when the old one expires.
 */
export class OidcLogins implements OidcAuthenticator {
  private readonly now: () => number
  private readonly keep: (user: string, before: OidcLogin, tokens: OidcTokens) => void
  /** Tokens received since the kubeconfig was written, by the refresh-token in the kubeconfig. */
  private readonly fresh = new Map<string, OidcTokens>()
  private offered: string | undefined
  private readonly refused = new Set<string>()

  /**
   * `keep`: called if the provider returned a new refresh-token; the refresh-token in the kubeconfig may be invalid
   * now.
   */
  constructor(now: () => number, keep: (user: string, before: OidcLogin, tokens: OidcTokens) => void) {
    this.now = now
    this.keep = keep
  }

  isAuthProvider(user: User): boolean {
    return (user.authProvider as { readonly name?: string } | undefined)?.name === oidcProviderName
  }

  /** Called when the last id-token was rejected. Requests another one, if possible. */
  forget(): void {
    if (this.offered !== undefined) this.refused.add(this.offered)
  }

  async applyAuthentication(user: User, options: https.RequestOptions): Promise<void> {
    const { login } = (user.authProvider as { readonly config: { readonly login: OidcLogin } }).config
    const token = await this.tokenOf(user.name, login)
    this.offered = token
    options.headers = { ...(options.headers as object), Authorization: `Bearer ${token}` }
  }

  private async tokenOf(user: string, login: OidcLogin): Promise<string> {
    const id = `${user} ${login['refresh-token'] ?? ''}`
    const known = this.fresh.get(id)
    const refreshToken = known?.['refresh-token'] ?? login['refresh-token']
    const lasting = [known?.['id-token'], login['id-token']]
      .filter((token) => token !== undefined)
      .filter((token) => this.now() < (expiryOf(token) ?? 0) - aheadMs)
    // Without a refresh-token the expired id-token is sent, and the server reports the error.
    const good = lasting.find((token) => !this.refused.has(token)) ?? (refreshToken ? undefined : lasting[0])
    if (good !== undefined) return good
    const tokens = await refreshed(user, login, refreshToken)
    if (tokens['refresh-token'] !== refreshToken) this.keep(user, login, tokens)
    this.fresh.set(id, tokens)
    return tokens['id-token']
  }
}

/** The expiry of a JSON Web Token, if it is one. */
export function expiryOf(token: string): number | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { readonly exp?: unknown }
    return typeof exp === 'number' ? exp * 1000 : undefined
  } catch {
    return undefined
  }
}

async function refreshed(user: string, login: OidcLogin, refreshToken: string | undefined): Promise<OidcTokens> {
  const { 'idp-issuer-url': issuer = '', 'client-id': clientId = '', 'client-secret': secret = '' } = login
  const whose = `the OIDC login of user ${JSON.stringify(user)}`
  for (const [name, value] of [
    ['refresh-token', refreshToken],
    ['idp-issuer-url', issuer],
    ['client-id', clientId],
  ])
    if (value === undefined || value === '')
      throw new CredentialsError(`${whose} has expired, and the kubeconfig has no ${name} to renew it: log in again`)
  const at = `the identity provider ${issuer}`
  const asked = async (
    what: string,
    url: string,
    form?: { readonly body: string; readonly authorization?: string },
  ) => {
    const answer = await exchange(url, login, form).catch((error: Error) => {
      throw new CredentialsError(`${whose} could not be renewed: cannot reach ${at}: ${inOneLine(error.message)}`)
    })
    const value = jsonIn(answer.body)
    if (answer.code === 200 && value !== undefined) return value
    const { error, error_description: why } = value ?? {}
    const reason =
      error === undefined ? `${what} answered with status code ${answer.code}` : `${error}${why ? ` (${why})` : ''}`
    throw new CredentialsError(`${whose} could not be renewed: rejected by ${at}: ${inOneLine(reason)}: log in again`)
  }
  const found = await asked('its discovery', `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const endpoint = found['token_endpoint']
  if (typeof endpoint !== 'string')
    throw new CredentialsError(`${whose} could not be renewed: ${at} has no token_endpoint`)
  const methods = (found['token_endpoint_auth_methods_supported'] as readonly string[] | undefined) ?? []
  const inHeader = secret !== '' && (methods.length === 0 || methods.includes('client_secret_basic'))
  const fields = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken ?? '',
    ...(inHeader ? {} : { client_id: clientId }),
    ...(inHeader || secret === '' ? {} : { client_secret: secret }),
  }
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`
  const tokens = await asked('its token endpoint', endpoint, {
    body: new URLSearchParams(fields).toString(),
    ...(inHeader ? { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } : {}),
  })
  const idToken = tokens['id_token']
  if (typeof idToken !== 'string')
    throw new CredentialsError(
      `${whose} could not be renewed: ${at} returned no id_token: log in again, with the scope openid`,
    )
  const next = tokens['refresh_token']
  return { 'id-token': idToken, 'refresh-token': typeof next === 'string' ? next : (refreshToken ?? '') }
}

function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function exchange(
  url: string,
  login: OidcLogin,
  form: { readonly body: string; readonly authorization?: string } | undefined,
): Promise<{ readonly code: number; readonly body: string }> {
  const { 'idp-certificate-authority-data': caData, 'idp-certificate-authority': caFile } = login
  const ca = caData ? Buffer.from(caData, 'base64') : caFile ? readFileSync(caFile) : undefined
  const isPlain = new URL(url).protocol === 'http:'
  const proxy = proxyOf(url, undefined, '')
  const agent = proxy === undefined ? false : throughProxy(isPlain ? new http.Agent() : new https.Agent(), proxy)
  return new Promise((resolve, reject) => {
    const outgoing = (isPlain ? http : https).request(url, {
      method: form === undefined ? 'GET' : 'POST',
      agent,
      timeout: timeoutMs,
      headers: {
        accept: 'application/json',
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(form?.authorization === undefined ? {} : { authorization: form.authorization }),
      },
      ...(ca === undefined || isPlain ? {} : { ca }),
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${timeoutMs / 1000} s`)))
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({ code: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    outgoing.end(form?.body)
  })
}
