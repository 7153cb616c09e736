import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCredentials } from '../../src/apiserver/certificates.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
export type Review = any

export interface Received {
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly review: Review
}

/** The answer of a webhook: the response of the review, or an answer that is not a review. */
export type WebhookReply =
  | { readonly response: Readonly<Record<string, unknown>>; readonly apiVersion?: string; readonly uid?: string }
  | { readonly raw: string; readonly code?: number; readonly contentType?: string }
  | 'hang up'
  | 'no answer'
  | { readonly endless: true }

export type Behavior = (review: Review, path: string) => WebhookReply | Promise<WebhookReply>

export interface WebhookServer {
  readonly url: string
  readonly port: number
  /** PEM in base64, as in a configuration. */
  readonly caBundle: string
  /** The certificate of the server alone, as envtest gives it. */
  readonly certificate: string
  readonly received: Received[]
  /** Replaces the behavior of a path. */
  on(path: string, behavior: Behavior): void
  close(): Promise<void>
}

export const allow: Behavior = () => ({ response: { allowed: true } })

export const patching =
  (...operations: readonly unknown[]): Behavior =>
  () => ({
    response: {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
    },
  })

/** A webhook server with its own certificate, on a free port of this machine. */
export async function startWebhookServer(now: number): Promise<WebhookServer> {
  const hosts = ['127.0.0.1', 'localhost', 'hooks.default.svc']
  const credentials = createCredentials({ now, hosts, adminToken: '' })
  const behaviors = new Map<string, Behavior>()
  const received: Received[] = []
  const server = createServer(
    { cert: credentials.serverCertificate, key: credentials.serverKey },
    (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('error', () => {})
      request.on('end', async () => {
        const { pathname, search } = new URL(request.url ?? '/', 'https://localhost')
        const review = JSON.parse(Buffer.concat(chunks).toString()) as Review
        received.push({ path: pathname, query: search, headers: request.headers, review })
        const reply = await (behaviors.get(pathname) ?? allow)(review, pathname)
        if (reply === 'no answer') return
        if (reply === 'hang up') {
          request.socket.destroy()
          return
        }
        if ('endless' in reply) {
          response.writeHead(200, { 'content-type': 'application/json' })
          const chunk = Buffer.alloc(256 * 1024, 0x20)
          const more = () => {
            while (response.write(chunk)) if (response.destroyed) return
            response.once('drain', more)
          }
          more()
          return
        }
        if ('raw' in reply) {
          response.writeHead(reply.code ?? 200, { 'content-type': reply.contentType ?? 'text/plain' })
          response.end(reply.raw)
          return
        }
        const uid = reply.uid ?? review.request.uid
        const apiVersion = reply.apiVersion ?? review.apiVersion
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ apiVersion, kind: review.kind, response: { uid, ...reply.response } }))
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(credentials.caCertificate).toString('base64'),
    certificate: Buffer.from(credentials.serverCertificate).toString('base64'),
    received,
    on: (path, behavior) => {
      behaviors.set(path, behavior)
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
