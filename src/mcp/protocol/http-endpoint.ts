// The streamable HTTP transport as a function from request to response. The command line has the sockets.
import { timingSafeEqual } from 'node:crypto'
import { encodeJson } from '../../base/exact-json.ts'
import {
  errorCodes,
  errorResponse,
  type JsonRpcResponse,
  legacyVersions,
  modernVersion,
  ProtocolError,
  type RequestId,
  supportedVersions,
} from './messages.ts'
import { type McpServer, newLink } from './server.ts'

export interface HttpHead {
  readonly method: string
  /** Path without query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

export interface HttpReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HttpAccess {
  readonly token: string
  /** Host names besides addresses and `localhost`. */
  readonly allowedHosts: readonly string[]
}

export const endpointPath = '/mcp'

/** Rejects a request by its headers, before its body is read. */
export function refusalOf(
  { method, path, headers }: HttpHead,
  { token, allowedHosts }: HttpAccess,
): HttpReply | undefined {
  // A web page whose host name resolves to this machine (DNS rebinding) sends that name.
  if (!isAllowedHost(hostIn(headers['host'] ?? ''), allowedHosts)) return refused(403, 'this Host is not allowed')
  const { origin } = headers
  if (origin !== undefined && !isAllowedHost(hostIn(origin.replace(/^https?:\/\//, '')), allowedHosts))
    return refused(403, 'this Origin is not allowed')
  if (path !== endpointPath) return refused(404, `the endpoint is ${endpointPath}`)
  if (!isBearer(headers['authorization'] ?? '', token))
    return { ...refused(401, 'a bearer token is required'), headers: { ...jsonType, 'www-authenticate': 'Bearer' } }
  if (method !== 'POST') return { ...refused(405, 'only POST'), headers: { ...jsonType, allow: 'POST' } }
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return refused(415, 'Content-Type must be application/json')
  return undefined
}

function isBearer(header: string, token: string): boolean {
  const given = Buffer.from(/^bearer (.*)$/i.exec(header)?.[1] ?? '')
  const wanted = Buffer.from(token)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** The name without the port, in lower case; undefined if it is not HOST or HOST:PORT. */
function hostIn(text: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_.-]{1,253}))(?::\d{1,5})?$/.exec(text.toLowerCase())
  return match?.[1] ?? match?.[2]
}

function isAllowedHost(host: string | undefined, allowed: readonly string[]): boolean {
  if (host === undefined) return false
  const isLoopback = host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
  return isLoopback || allowed.includes(host)
}

const jsonType = { 'content-type': 'application/json' } as const

function refused(status: number, message: string): HttpReply {
  return reply(status, errorResponse(null, new ProtocolError(errorCodes.invalidRequest, message)))
}

function reply(status: number, response: JsonRpcResponse): HttpReply {
  return { status, headers: jsonType, body: encodeJson(response) ?? '{}' }
}

export function tooLarge(bytes: number): HttpReply {
  return refused(413, `a message has at most ${bytes} bytes`)
}

/** Answers one message. */
export async function exchange(
  { headers }: HttpHead,
  body: string,
  server: McpServer,
  signal: AbortSignal,
): Promise<HttpReply> {
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    return reply(400, errorResponse(null, new ProtocolError(errorCodes.parse, 'not valid JSON')))
  }
  const said = headers['mcp-protocol-version']
  const problem = envelopeProblem(message, headers)
  if (problem !== undefined) return reply(400, errorResponse(idIn(message), problem))
  const isModern = said === modernVersion
  // Revisions before 2025-06-18 have no header.
  const response = await server.handle(message, newLink(isModern ? undefined : (said ?? '2025-03-26')), signal)
  if (response === undefined) return { status: 202 }
  return reply(statusOf(response, isModern), response)
}

function statusOf({ error }: JsonRpcResponse, isModern: boolean): number {
  if (error === undefined) return 200
  if (error.code === errorCodes.invalidRequest || error.code === errorCodes.unsupportedVersion) return 400
  return isModern && error.code === errorCodes.methodNotFound ? 404 : 200
}

const idIn = (message: unknown): RequestId | null => {
  const id = (message as { readonly id?: unknown } | null)?.id
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null
}

interface Envelope {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: {
    readonly _meta?: Readonly<Record<string, unknown>>
    readonly name?: unknown
    readonly uri?: unknown
  }
}

/** Headers repeat parts of the message for intermediaries. If they differ from the message, the request is rejected. */
function envelopeProblem(message: unknown, headers: HttpHead['headers']): ProtocolError | undefined {
  const { id, method, params } = (message ?? {}) as Envelope
  const inHeader = headers['mcp-protocol-version']
  const inBody = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  const mismatch = (what: string) => new ProtocolError(errorCodes.headerMismatch, `Header mismatch: ${what}`)
  if (inBody === undefined && (inHeader === undefined || legacyVersions.includes(inHeader))) return undefined
  if (inHeader !== undefined && !supportedVersions.includes(inHeader))
    return new ProtocolError(errorCodes.unsupportedVersion, 'Unsupported protocol version', {
      supported: supportedVersions,
      requested: inHeader,
    })
  if (id === undefined) return undefined
  if (inBody === undefined)
    return new ProtocolError(errorCodes.invalidParams, '_meta["io.modelcontextprotocol/protocolVersion"] is required')
  if (inHeader !== inBody) return mismatch('MCP-Protocol-Version does not match the message')
  if (headers['mcp-method'] !== method) return mismatch('Mcp-Method does not match the message')
  const name = params?.name ?? params?.uri
  const isNamed = method === 'tools/call' || method === 'resources/read' || method === 'prompts/get'
  if (isNamed && decodedHeader(headers['mcp-name']) !== name) return mismatch('Mcp-Name does not match the message')
  return undefined
}

function decodedHeader(value: string | undefined): string | undefined {
  if (value === undefined || !value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  return Buffer.from(value.slice('=?base64?'.length, -'?='.length), 'base64').toString('utf8')
}
