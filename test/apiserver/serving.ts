import type { Cidr } from '../../src/api/cidr.ts'
import { type ApiServerOptions, createApiHandler } from '../../src/apiserver/api-server.ts'
import type { TokenEntry } from '../../src/apiserver/authentication.ts'
import type { ServerCredentials } from '../../src/apiserver/certificates.ts'
import type { ApiResponse, RequestHead } from '../../src/apiserver/exchange.ts'
import { createOpenApi } from '../../src/apiserver/openapi.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { WebhookAnswer, WebhookAsk } from '../../src/registry/attempt.ts'
import { createRegistry, type RegistryOptions } from '../../src/registry/registry.ts'
import type { Store } from '../../src/store/contract.ts'
import { createStore } from '../../src/store/memory-store.ts'

export interface ServedAnswer {
  readonly code: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any
}

export interface ServingOptions {
  readonly authorizationModes?: NonNullable<ApiServerOptions['authorizationModes']>
  /** Absent: every caller is the administrator. */
  readonly credentials?: ServerCredentials
  readonly tokens?: readonly TokenEntry[]
  readonly store?: Store
  readonly sendToWebhook?: (ask: WebhookAsk) => Promise<WebhookAnswer>
  readonly registryOptions?: RegistryOptions
  readonly serviceAccounts?: NonNullable<ApiServerOptions['serviceAccounts']>
  readonly audit?: NonNullable<ApiServerOptions['audit']>
  readonly newAuditId?: () => string
  readonly restrictsNodes?: boolean
  readonly serviceRanges?: readonly Cidr[]
  readonly nextTurn?: () => Promise<void>
}

export function textOf(response: Exclude<ApiResponse, { kind: 'stream' }>): string {
  if (response.kind === 'full') return Buffer.from(response.body as string).toString()
  let text = ''
  for (let next = response.pieces.next(); next.done !== true; next = response.pieces.next()) text += next.value
  return text
}

/** An API server without sockets, asked directly. */
export function serving({ store = createStore(), registryOptions = {}, ...options }: ServingOptions = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const registry = createRegistry({
    store,
    clock,
    random: createRandom('serving'),
    options: {
      goOrder: true,
      ...(options.serviceRanges === undefined ? {} : { serviceRanges: options.serviceRanges }),
      ...registryOptions,
    },
  })
  const openApi = createOpenApi({
    release: registry.release,
    kinds: registry.kinds,
    descriptions: () => ({}),
    customSchema: () => undefined,
  })
  const admit = createApiHandler(
    {
      registry,
      clock,
      log: silentLogger,
      metrics: new MetricRegistry(),
      host: '127.0.0.1',
      port: 0,
      endpoints: [openApi],
      ...options,
    },
    () => '127.0.0.1:6443',
  )
  const raw = async (
    method: string,
    url: string,
    body?: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
    more: Pick<RequestHead, 'certificate' | 'headerLists'> = {},
  ): Promise<ApiResponse> => {
    const [path = '', query = ''] = url.split('?')
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array(0))
    const admission = admit({ method, path, query: new URLSearchParams(query), headers, ...more })
    return admission.kind === 'refused' ? admission.response : await admission.answer(bytes)
  }
  const ask = async (
    method: string,
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    more: Pick<RequestHead, 'certificate' | 'headerLists'> = {},
  ): Promise<ServedAnswer> => {
    const text =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const response = await raw(method, url, text, headers, more)
    if (response.kind === 'stream') throw new Error('a stream, not an answer')
    const shown = textOf(response)
    const isJson = String(response.headers['content-type']).includes('json')
    return { code: response.code, headers: response.headers, text: shown, body: isJson ? JSON.parse(shown) : undefined }
  }
  /** The events that a watch has sent, as parsed lines. Later events can be read later. */
  const watch = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await raw('GET', url, undefined, headers)
    if (response.kind !== 'stream') throw new Error(`not a stream: ${response.code} ${textOf(response)}`)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const events: any[] = []
    let ended = false
    const stop = response.start({
      write: (chunk) => {
        for (const line of String(chunk).split('\n')) if (line !== '') events.push(JSON.parse(line))
        return true
      },
      isFull: false,
      onDrain: () => {},
      keep: () => {},
      unkeep: () => {},
      end: () => {
        ended = true
      },
    })
    return { events, stop, ended: () => ended }
  }
  return { clock, registry, ask, raw, watch }
}
