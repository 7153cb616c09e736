import * as http from 'node:http'
import * as https from 'node:https'
import type { Clock } from '../base/clock.ts'

export interface GceRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type GceAnswer =
  | { readonly kind: 'answer'; readonly code: number; readonly retryAfterMs?: number; readonly body: string }
  | { readonly kind: 'lost'; readonly message: string }

// No request lists all instances, so larger responses do not occur.
const mostBytes = 4 << 20

/** Requests over persistent connections, with limits on time and size. */
export class HttpPort {
  private readonly clock: Clock
  private readonly timeoutMs: number
  private readonly agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  }

  constructor({ clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number }) {
    this.clock = clock
    this.timeoutMs = timeoutMs
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy()
  }

  exchange({ method, url, headers = {}, body }: GceRequest): Promise<GceAnswer> {
    return new Promise((resolve) => {
      const target = new URL(url)
      const isSecure = target.protocol === 'https:'
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const outgoing = (isSecure ? https : http).request(target, {
        method,
        headers: { accept: 'application/json', ...headers, ...length },
        agent: this.agents[isSecure ? 'https:' : 'http:'],
      })
      const { clock, timeoutMs } = this
      const cancel = clock.at(clock.now() + timeoutMs, () => end({ kind: 'lost', message: 'no answer in time' }))
      const end = (answer: GceAnswer): void => {
        cancel()
        resolve(answer)
        if (answer.kind === 'lost') outgoing.destroy()
      }
      outgoing.on('error', (error) => end({ kind: 'lost', message: error.message }))
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = []
        let bytes = 0
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > mostBytes) end({ kind: 'lost', message: 'the response is too long' })
          else chunks.push(chunk)
        })
        incoming.on('error', (error) => end({ kind: 'lost', message: error.message }))
        incoming.on('aborted', () => end({ kind: 'lost', message: 'the connection was closed' }))
        incoming.on('end', () => {
          const seconds = Number(incoming.headers['retry-after'])
          end({
            kind: 'answer',
            code: incoming.statusCode ?? 0,
            ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
            body: Buffer.concat(chunks).toString('utf8'),
          })
        })
      })
      outgoing.end(body)
    })
  }
}
