import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  exchange,
  type HttpAccess,
  type HttpHead,
  type HttpReply,
  refusalOf,
  tooLarge,
} from '../../mcp/protocol/http-endpoint.ts'
import type { McpServer } from '../../mcp/protocol/server.ts'

export interface HttpOptions extends HttpAccess {
  readonly address: string
  readonly port: number
  readonly messageBytes: number
  readonly server: McpServer
}

const maxConnections = 64
const requestTimeoutMs = 60_000

/** Listens until the signal. Resolves to the port when it is ready. */
export async function serveHttp(
  options: HttpOptions,
  signal: AbortSignal,
): Promise<{ readonly port: number; readonly closed: Promise<void> }> {
  const http = createServer((request, response) => void answer(request, response, options))
  http.maxConnections = maxConnections
  http.requestTimeout = requestTimeoutMs
  http.headersTimeout = requestTimeoutMs
  http.maxHeadersCount = 64
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(options.port, options.address, resolve)
  })
  const closed = new Promise<void>((resolve) => {
    http.once('close', resolve)
    signal.addEventListener('abort', () => {
      http.close()
      http.closeAllConnections()
    })
  })
  return { port: (http.address() as AddressInfo).port, closed }
}

async function answer(request: IncomingMessage, response: ServerResponse, options: HttpOptions): Promise<void> {
  const head = headOf(request)
  const canceled = new AbortController()
  response.on('close', () => canceled.abort())
  const refusal = refusalOf(head, options)
  if (refusal !== undefined) {
    send(response, refusal, true)
    return
  }
  const body = await bodyOf(request, options.messageBytes)
  if (body === undefined) {
    send(response, tooLarge(options.messageBytes), true)
    return
  }
  send(response, await exchange(head, body, options.server, canceled.signal), false)
}

function headOf({ method = '', url = '/', headers }: IncomingMessage): HttpHead {
  const single = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return { method, path: url.split('?', 1)[0] ?? '/', headers: Object.fromEntries(single) as HttpHead['headers'] }
}

/** The body of a request; undefined if it is too large. */
async function bodyOf(request: IncomingMessage, most: number): Promise<string | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of request) {
      bytes += (part as Buffer).length
      if (bytes > most) return undefined
      parts.push(part as Buffer)
    }
  } catch {
    // The client closed the connection.
    return ''
  }
  return Buffer.concat(parts).toString('utf8')
}

function send(response: ServerResponse, { status, headers = {}, body }: HttpReply, isLast: boolean): void {
  if (response.destroyed) return
  response.writeHead(status, {
    ...headers,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(isLast ? { connection: 'close' } : {}),
  })
  response.end(body)
}
