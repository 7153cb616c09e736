import type { IncomingMessage } from 'node:http'
import * as https from 'node:https'
import type { ForwardedAnswer, ForwardedRequest } from '../apiserver/aggregation/aggregator.ts'
import type { StreamSink } from '../apiserver/exchange.ts'
import type { Clock } from '../base/clock.ts'
import { collectBody } from './collect-body.ts'
import { goMessage } from './ports-webhooks.ts'

/** A client certificate and its key in PEM. With them, this server asserts the identity of a caller. */
export interface ProxyIdentity {
  readonly certificate: string
  readonly key: string
}

const maxAnswerBytes = 64 * 1024 * 1024
const maxAgents = 100

/** Headers of the connection to the other server. */
const hopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'trailer'])

/** Forwards requests to other API servers over HTTPS. `identity` is called when the first request is sent. */
export function createForwarder(
  clock: Clock,
  identity: () => ProxyIdentity,
): (request: ForwardedRequest) => Promise<ForwardedAnswer> {
  const agents = new Map<string, https.Agent>()
  let own: ProxyIdentity | undefined
  const agentOf = ({ caBundle = '', isUnverified }: ForwardedRequest['target']): https.Agent => {
    const key = `${isUnverified}/${caBundle}`
    let agent = agents.get(key)
    if (agent === undefined) {
      own ??= identity()
      const trusted = caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64'), allowPartialTrustChain: true }
      const client = { cert: own.certificate, key: own.key }
      agent = new https.Agent({ keepAlive: true, rejectUnauthorized: !isUnverified, ...client, ...trusted })
      if (agents.size >= maxAgents) agents.clear()
      agents.set(key, agent)
    }
    return agent
  }
  return (request) => send(request, agentOf(request.target), clock)
}

function send(request: ForwardedRequest, agent: https.Agent, clock: Clock): Promise<ForwardedAnswer> {
  const { target, method, path, headers, body, timeoutMs } = request
  const url = new URL(`https://${target.serverName}:${target.port}/`)
  return new Promise((resolve) => {
    let isDone = false
    const finish = (answer: ForwardedAnswer): void => {
      if (isDone) return
      isDone = true
      cancel()
      resolve(answer)
    }
    const fail = (why: string) => finish({ kind: 'failed', message: why })
    const outgoing = https.request(
      {
        ...{ method, path, agent, host: target.host, port: target.port, servername: target.serverName },
        headers: {
          ...(headers as Record<string, string | string[]>),
          host: `${target.host}:${target.port}`,
          ...(body.length === 0 && method === 'GET' ? {} : { 'content-length': String(body.length) }),
        },
      },
      (incoming) => {
        if (request.isStream) finish(streamed(incoming, () => outgoing.destroy()))
        else collect(incoming, finish, fail)
      },
    )
    const cancel = clock.at(clock.now() + timeoutMs, () => {
      fail('context deadline exceeded')
      outgoing.destroy()
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => fail(goMessage(error, url, target)))
    outgoing.end(body)
  })
}

function headersOf(incoming: IncomingMessage): Readonly<Record<string, string | readonly string[]>> {
  const kept = Object.entries(incoming.headersDistinct).filter(([name]) => !hopHeaders.has(name))
  return Object.fromEntries(kept.map(([name, values = []]) => [name, values.length === 1 ? (values[0] ?? '') : values]))
}

function collect(
  incoming: IncomingMessage,
  finish: (answer: ForwardedAnswer) => void,
  fail: (why: string) => void,
): void {
  const read = (body: Buffer) =>
    finish({ kind: 'full', code: incoming.statusCode ?? 502, headers: headersOf(incoming), body })
  collectBody(incoming, maxAnswerBytes, read, fail)
}

/** Forwards a watch as it arrives, at the speed of the client. */
function streamed(incoming: IncomingMessage, stop: () => void): ForwardedAnswer {
  incoming.pause()
  return {
    kind: 'stream',
    code: incoming.statusCode ?? 502,
    headers: headersOf(incoming),
    start: (sink: StreamSink) => {
      incoming.on('data', (chunk: Buffer) => {
        if (!sink.write(chunk)) stop()
        else if (sink.isFull) incoming.pause()
      })
      sink.onDrain(() => void incoming.resume())
      const end = () => sink.end()
      incoming.on('end', end)
      incoming.on('error', end)
      incoming.on('aborted', end)
      incoming.resume()
      return stop
    },
  }
}
