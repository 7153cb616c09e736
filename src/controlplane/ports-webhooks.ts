import type { ClientRequest, IncomingMessage } from 'node:http'
import * as https from 'node:https'
import { posix } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { encodeJson, parseJson } from '../base/exact-json.ts'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'
import { jsonProblem } from '../registry/decode/json-problem.ts'
import { collectBody } from './collect-body.ts'

export type WebhookSender = (ask: WebhookAsk) => Promise<WebhookAnswer>

// A review contains one object of at most 3 MiB, and a patch of it is not much larger.
const maxAnswerBytes = 16 * 1024 * 1024
const maxAgents = 200

/** Sends reviews to webhooks over HTTPS, as client-go does for kube-apiserver: the same paths, headers and messages. */
export function createWebhookSender(clock: Clock): WebhookSender {
  const agents = new Map<string, https.Agent>()
  const agentOf = (caBundle: string | undefined): https.Agent => {
    const key = caBundle ?? ''
    let agent = agents.get(key)
    if (agent === undefined) {
      // As in Go, every certificate of the bundle is a trust anchor, including the certificate of the server itself.
      const trusted =
        caBundle === undefined ? {} : { ca: Buffer.from(caBundle, 'base64'), allowPartialTrustChain: true }
      agent = new https.Agent({ keepAlive: true, maxCachedSessions: 10, ...trusted })
      if (agents.size >= maxAgents) agents.clear()
      agents.set(key, agent)
    }
    return agent
  }
  return (ask) => send(ask, agentOf(ask.target.caBundle), clock)
}

function send(ask: WebhookAsk, agent: https.Agent, clock: Clock): Promise<WebhookAnswer> {
  const seconds = Math.max(1, Math.ceil(ask.timeoutMs / 1000))
  const shown = `Post "${withTimeout(ask.target.url, seconds)}"`
  let url: URL
  try {
    url = new URL(withTimeout(ask.target.url, seconds))
  } catch {
    return Promise.resolve({ kind: 'failed', message: `${shown}: unsupported URL` })
  }
  if (url.protocol !== 'https:') {
    return Promise.resolve({ kind: 'failed', message: `${shown}: unsupported protocol scheme` })
  }
  const body = Buffer.from(encodeJson(ask.review))
  const { connectTo } = ask.target
  return new Promise((resolve) => {
    let outgoing: ClientRequest | undefined
    let isDone = false
    const finish = (answer: WebhookAnswer) => {
      if (isDone) return
      isDone = true
      cancel()
      resolve(answer)
    }
    const fail = (why: string) => finish({ kind: 'failed', message: `${shown}: ${why}` })
    const cancel = clock.at(clock.now() + ask.timeoutMs, () => {
      fail('context deadline exceeded')
      outgoing?.destroy()
    })
    outgoing = https.request(
      {
        method: 'POST',
        host: connectTo?.host ?? url.hostname.replace(/^\[|\]$/g, ''),
        port: connectTo?.port ?? (url.port === '' ? 443 : Number(url.port)),
        path: `${url.pathname}${url.search}`,
        servername: isAddress(url.hostname) ? '' : url.hostname,
        agent,
        headers: {
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'content-length': String(body.length),
          'user-agent': 'kube-apiserver-admission',
          // Go sends the port even if it is the default port.
          host: /^https:\/\/([^/?#]+)/.exec(ask.target.url)?.[1] ?? url.host,
        },
      },
      (incoming) => readAnswer(incoming, finish, fail),
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => fail(goMessage(error, url, connectTo)))
    outgoing.end(body)
  })
}

const isAddress = (host: string): boolean => /^\[|^\d+\.\d+\.\d+\.\d+$/.test(host)

function withTimeout(url: string, seconds: number): string {
  const hash = url.split('#', 1)[0] as string
  const path = hash.replace(/^(https:\/\/[^/?]*)([^?]*)/, (_, origin: string, given: string) => origin + joined(given))
  return `${path}${path.includes('?') ? '&' : '?'}timeout=${seconds}s`
}

/** Joins paths as client-go does: without repeated and trailing slashes. */
const joined = (path: string): string => posix.join('/', path).replace(/(.)\/$/, '$1')

function readAnswer(
  incoming: IncomingMessage,
  finish: (answer: WebhookAnswer) => void,
  fail: (why: string) => void,
): void {
  const read = (body: Buffer) => {
    const text = body.toString('utf8')
    const code = incoming.statusCode ?? 0
    if (code < 200 || code > 206) finish({ kind: 'failed', message: statusMessage(code, text), code })
    else finish(parsed(text))
  }
  collectBody(incoming, maxAnswerBytes, read, fail)
}

function parsed(text: string): WebhookAnswer {
  try {
    return { kind: 'ok', body: parseJson(text) }
  } catch {
    const why = text === '' ? 'unexpected end of JSON input' : (jsonProblem(text) ?? 'invalid JSON')
    return { kind: 'failed', message: `couldn't get version/kind; json parse error: ${why}` }
  }
}

/** The message of client-go for an unsuccessful response (apimachinery api/errors, NewGenericServerResponse). */
function statusMessage(code: number, text: string): string {
  try {
    const status = JSON.parse(text) as { kind?: unknown; message?: unknown }
    if (status?.kind === 'Status' && typeof status.message === 'string') return status.message
  } catch {
    // The body is not a Status.
  }
  const said = text.trim() === '' ? 'unknown' : text.trim()
  switch (code) {
    case 400:
      return 'the server rejected our request for an unknown reason'
    case 401:
      return 'the server has asked for the client to provide credentials'
    case 403:
    case 406:
    case 415:
      return said
    case 404:
      return 'the server could not find the requested resource'
    case 405:
      return 'the server does not allow this method on the requested resource'
    case 409:
      return 'the server reported a conflict'
    case 410:
      return 'the server has removed the requested resource'
    case 422:
      return 'the server rejected our request due to an error in our request'
    case 429:
      return 'the server has received too many requests and has asked us to try again later'
    case 503:
      return 'the server is currently unable to handle the request'
    case 504:
      return 'the server was unable to return a response in the time allotted, but may still be processing the request'
  }
  if (code >= 500) return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
  return `the server responded with the status code ${code} but did not return more information`
}

/** An error of the connection with the message of Go's net, tls and x509 packages. */
export function goMessage(
  error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number; readonly host?: string },
  url: URL,
  connectTo: { readonly host: string; readonly port: number } | undefined,
): string {
  const host = error.address ?? connectTo?.host ?? url.hostname
  const port = error.port ?? connectTo?.port ?? (url.port === '' ? 443 : Number(url.port))
  const at = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]:${port}` : `${host}:${port}`
  const x509 = (why: string) => `tls: failed to verify certificate: x509: ${why}`
  switch (error.code) {
    case 'ECONNREFUSED':
      return `dial tcp ${at}: connect: connection refused`
    case 'EHOSTUNREACH':
      return `dial tcp ${at}: connect: no route to host`
    case 'ENETUNREACH':
      return `dial tcp ${at}: connect: network is unreachable`
    case 'ETIMEDOUT':
      return `dial tcp ${at}: i/o timeout`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${host}: no such host`
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF'
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_UNTRUSTED':
      return x509('certificate signed by unknown authority')
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return x509('certificate has expired or is not yet valid')
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return x509(`certificate is not valid for ${url.hostname}`)
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'http: server gave HTTP response to HTTPS client'
    default:
      return error.message
  }
}
