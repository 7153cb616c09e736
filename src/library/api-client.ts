import { createApiHandler } from '../apiserver/api-server.ts'
import type { ApiResponse } from '../apiserver/exchange.ts'
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import type { VirtualCluster } from '../controlplane/virtual.ts'

// The part of the configuration that the generated APIs of `@kubernetes/client-node` need. They call these objects by name, so
// that this file does not import the package of the client, and any copy of it can be used.

/** A class of the client: `CoreV1Api`, `CustomObjectsApi`, `KubernetesObjectApi`, … */
// biome-ignore lint/suspicious/noExplicitAny: the parameter is the client's own type, which is not imported
export type ApiClass<A> = new (configuration: any) => A

const origin = 'http://cluster.berth.dev'

/** Creates APIs of the client whose requests are answered in the process, without a socket. */
export function createApiClients(cluster: VirtualCluster, written: () => Promise<void>): <A>(type: ApiClass<A>) => A {
  const admit = createApiHandler(
    {
      registry: cluster.registry,
      clock: cluster.clock,
      log: silentLogger,
      metrics: new MetricRegistry(),
      host: '127.0.0.1',
      port: 0,
    },
    () => '127.0.0.1',
  )
  const send = async (request: SentRequest): Promise<ReceivedResponse> => {
    const url = new URL(request.getUrl())
    const method = request.getHttpMethod()
    const headers = Object.entries(request.getHeaders()).map(([name, value]) => [name.toLowerCase(), value])
    const admission = admit({
      method,
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    })
    const body = new TextEncoder().encode(String(request.getBody() ?? ''))
    const response = admission.kind === 'refused' ? admission.response : await admission.answer(body)
    if (method !== 'GET' && method !== 'HEAD') await written()
    return receivedOf(response)
  }
  const configuration = {
    baseServer: { makeRequestContext: (path: string, method: string) => new SentRequest(origin + path, method) },
    httpApi: { send: (request: SentRequest) => new Answer(send(request)) },
    middleware: [],
    authMethods: {},
  }
  return (type) => new type(configuration)
}

/** RequestContext of the client. */
class SentRequest {
  private readonly url: URL
  private readonly method: string
  private readonly headers: Record<string, string> = {}
  private body: unknown

  constructor(url: string, method: string) {
    this.url = new URL(url)
    this.method = method
  }

  getUrl(): string {
    return this.url.href
  }

  getHttpMethod(): string {
    return this.method
  }

  getHeaders(): Readonly<Record<string, string>> {
    return this.headers
  }

  getBody(): unknown {
    return this.body
  }

  setBody(body: unknown): void {
    this.body = body
  }

  setQueryParam(name: string, value: string): void {
    this.url.searchParams.set(name, value)
  }

  appendQueryParam(name: string, value: string): void {
    this.url.searchParams.append(name, value)
  }

  setHeaderParam(name: string, value: string): void {
    this.headers[name] = value
  }

  setSignal(): void {}
}

/** Observable of the client. */
class Answer<T> {
  private readonly promise: Promise<T>

  constructor(promise: Promise<T>) {
    this.promise = promise
  }

  toPromise(): Promise<T> {
    return this.promise
  }

  pipe<U>(then: (value: T) => U | Promise<U>): Answer<U> {
    return new Answer(this.promise.then(then))
  }
}

/** ResponseContext of the client. */
interface ReceivedResponse {
  readonly httpStatusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: { text(): Promise<string>; binary(): Promise<Buffer> }
  getBodyAsAny(): Promise<string>
  getParsedHeader(name: string): Readonly<Record<string, string>>
}

function receivedOf(response: ApiResponse): ReceivedResponse {
  const content = contentOf(response)
  const text = async () => content.toString('utf8')
  const headers = Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return {
    httpStatusCode: response.code,
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    body: { text, binary: async () => content },
    getBodyAsAny: text,
    getParsedHeader: () => ({}),
  }
}

function contentOf(response: ApiResponse): Buffer {
  if (response.kind === 'stream') throw new Error('a watch needs makeInformer() or watch() of the cluster')
  if (response.kind === 'full') return Buffer.from(response.body)
  const pieces: Buffer[] = []
  for (let next = response.pieces.next(); next.done !== true; next = response.pieces.next()) {
    pieces.push(Buffer.from(next.value))
  }
  return Buffer.concat(pieces)
}
