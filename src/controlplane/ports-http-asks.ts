import * as http from 'node:http'
import * as https from 'node:https'
import type { Answer, Ask } from '../runtime/controller.ts'
import type { Answerer } from '../runtime/run-driver.ts'

type HttpAsk = Extract<Ask['request'], { kind: 'http' }>

/** Answers asks over HTTP for the scheduler's extenders. The run driver enforces the deadline. */
export const answerOverHttp: Answerer = (ask) => {
  const { request } = ask
  if (request.kind !== 'http')
    return Promise.resolve({ kind: 'failed', message: `asks of kind ${request.kind} cannot be answered here` })
  return exchange(request)
}

const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) }
const maxAnswerBytes = 64 * 1024 * 1024

function exchange({ method, url, body, headers, tls }: HttpAsk): Promise<Answer['outcome']> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ kind: 'failed', message: error.message })
    let target: URL
    try {
      target = new URL(url)
    } catch {
      return fail(new Error(`${JSON.stringify(url)} is not a URL`))
    }
    const secure = target.protocol === 'https:'
    const agent = secure ? (tls === undefined ? agents.https : new https.Agent(tlsOptions(tls))) : agents.http
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = (secure ? https : http).request(
      target,
      { method, agent, headers: { 'content-type': 'application/json', ...headers, ...length } },
      (incoming) => {
        const chunks: Buffer[] = []
        let size = 0
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > maxAnswerBytes) incoming.destroy(new Error(`the response has more than ${maxAnswerBytes} bytes`))
          else chunks.push(chunk)
        })
        incoming.on('error', fail)
        incoming.on('end', () => {
          const code = incoming.statusCode ?? 0
          if (code !== 200) return fail(new Error(`Failed ${method} with extender at URL ${url}, code ${code}`))
          try {
            resolve({ kind: 'ok', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown })
          } catch (error) {
            fail(error instanceof Error ? error : new Error(String(error)))
          }
        })
      },
    )
    outgoing.on('error', fail)
    outgoing.end(body)
  })
}

/** rest.TLSClientConfig as in the scheduler's configuration. Data is base64. */
function tlsOptions(tls: Readonly<Record<string, unknown>>): https.AgentOptions {
  const data = (name: string) => (typeof tls[name] === 'string' ? Buffer.from(tls[name], 'base64') : undefined)
  const ca = data('caData')
  const cert = data('certData')
  const key = data('keyData')
  return {
    ...(tls['insecure'] === true ? { rejectUnauthorized: false } : {}),
    ...(typeof tls['serverName'] === 'string' ? { servername: tls['serverName'] } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}
