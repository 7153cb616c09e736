import { lookupTable } from '../../base/lookup-table.ts'
import { nameHint } from '../../whatif/scenario/near-names.ts'
import type { ToolResult } from '../answer.ts'
import { charactersOf, errorResult, refusal, resultOf, ToolError, UsageError, wrongArguments } from '../answer.ts'
import { problemsOf } from '../input-schema.ts'
import { promptMessages, prompts } from '../prompts.ts'
import { readResource, resources, resourceTemplates } from '../resources.ts'
import type { Tool } from '../tool.ts'
import { tools } from '../tools.ts'
import type { Progress, Work } from '../work.ts'
import type { Effect, Workspace } from '../workspace.ts'
import {
  capabilities,
  errorCodes,
  errorResponse,
  instructions,
  type JsonRpcRequest,
  type JsonRpcResponse,
  legacyVersions,
  modernVersion,
  ProtocolError,
  type RequestId,
  readMessage,
  serverInfo,
  supportedVersions,
} from './messages.ts'

/** A tool call and its outcome, for the transcript. */
export interface CallRecord {
  readonly tool: string
  readonly arguments: unknown
  readonly result: ToolResult
  readonly effects: readonly Effect[]
}

export interface McpServerOptions {
  readonly workspace: Workspace
  /** Called in the order of the calls. */
  readonly onCall?: (record: CallRecord) => void
  /** Creates the real-time budget of one call. */
  readonly startWork: (signal: AbortSignal, tell?: (progress: Progress) => void) => Work
  /** Reports an unexpected error. The client gets no details. */
  readonly onDefect?: (error: unknown) => void
}

/** One connection, or one request if the transport has no connections. */
export interface Link {
  /** The revision of the handshake; undefined before it, and for requests that contain their revision. */
  legacyVersion?: string
  /** Requests in flight, to cancel them. */
  readonly inFlight: Map<RequestId, AbortController>
  /** Sends a notification. Absent if the transport cannot send one before a response. */
  readonly notify?: (notification: object) => void
}

export function newLink(legacyVersion?: string, notify?: Link['notify']): Link {
  return {
    inFlight: new Map(),
    ...(legacyVersion === undefined ? {} : { legacyVersion }),
    ...(notify === undefined ? {} : { notify }),
  }
}

// A list of tools, prompts or templates changes only with a new release of the server.
const listTtlMs = 3_600_000

interface Reply {
  readonly result: object
  /** For results that a client may cache. */
  readonly ttlMs?: number
}

/** The inputs of a method in addition to its parameters. */
interface CallScope {
  readonly signal: AbortSignal
  /** Absent if the client did not request progress. */
  readonly tell?: (progress: Progress) => void
}

type Method = (params: Readonly<Record<string, unknown>>, scope: CallScope) => Reply | Promise<Reply>

/** Answers messages. Tool calls run one after the other, so that the same calls give the same answers. */
export class McpServer {
  private readonly options: McpServerOptions
  private last: Promise<unknown> = Promise.resolve()
  private readonly methods = lookupTable<Method>({
    'tools/list': (params) => onePage(params, { tools: tools.map(toolEntry) }),
    'tools/call': (params, scope) => this.inTurn(() => this.callTool(params, scope)),
    'resources/list': (params) => onePage(params, { resources }),
    'resources/templates/list': (params) => onePage(params, { resourceTemplates }),
    'resources/read': (params) => this.inTurn(async () => this.read(params)),
    'prompts/list': (params) => onePage(params, { prompts: prompts.map(({ text: _, ...prompt }) => prompt) }),
    'prompts/get': (params) => ({ result: promptMessages(params) }),
  })

  constructor(options: McpServerOptions) {
    this.options = options
  }

  /** The answer to a message; undefined if it needs none, or was canceled. */
  async handle(value: unknown, link: Link, signal?: AbortSignal): Promise<JsonRpcResponse | undefined> {
    const message = readMessage(value)
    switch (message.kind) {
      case 'invalid':
        return errorResponse(message.id, message.error)
      case 'response':
        return undefined
      case 'notification': {
        const { method, params } = message.notification
        if (method === 'notifications/cancelled') link.inFlight.get(params['requestId'] as RequestId)?.abort()
        return undefined
      }
      case 'request':
        return this.answer(message.request, link, signal)
    }
  }

  private async answer(
    request: JsonRpcRequest,
    link: Link,
    signal?: AbortSignal,
  ): Promise<JsonRpcResponse | undefined> {
    const { id, method } = request
    const controller = new AbortController()
    signal?.addEventListener('abort', () => controller.abort(), { once: true })
    link.inFlight.set(id, controller)
    try {
      const isModern = eraOf(request, link)
      const scope = { signal: controller.signal, ...tellerOf(request, link) }
      const { result, ttlMs } = await this.dispatch(request, link, isModern, scope)
      if (controller.signal.aborted) return undefined
      return { jsonrpc: '2.0', id, result: isModern ? modernResult(result, ttlMs) : result }
    } catch (error) {
      if (controller.signal.aborted) return undefined
      if (error instanceof ProtocolError) return errorResponse(id, error)
      this.options.onDefect?.(error)
      return errorResponse(id, new ProtocolError(errorCodes.internal, `internal error in ${method}`))
    } finally {
      link.inFlight.delete(id)
    }
  }

  private async dispatch(
    { method, params }: JsonRpcRequest,
    link: Link,
    isModern: boolean,
    scope: CallScope,
  ): Promise<Reply> {
    if (isModern) {
      if (method === 'server/discover')
        return { result: { supportedVersions, capabilities, instructions }, ttlMs: listTtlMs }
    } else {
      if (method === 'initialize') return { result: initialize(params, link) }
      if (method === 'ping') return { result: {} }
    }
    const run = this.methods[method]
    if (run === undefined)
      throw new ProtocolError(errorCodes.methodNotFound, `Method not found: ${method.slice(0, 100)}`)
    return run(params, scope)
  }

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.last.then(run, run)
    this.last = turn.catch(() => {})
    return turn
  }

  private async callTool(params: Readonly<Record<string, unknown>>, scope: CallScope): Promise<Reply> {
    const { name, arguments: given = {} } = params
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) {
      const hint = typeof name === 'string' && name.length < 100 ? `; ${nameHint(name, names, 30)}` : ''
      throw new ProtocolError(errorCodes.invalidParams, `Unknown tool${hint}`)
    }
    const result = await this.runTool(tool, given, scope)
    this.options.onCall?.({ tool: tool.name, arguments: given, result, effects: this.options.workspace.takeEffects() })
    return { result }
  }

  private async runTool(tool: Tool, given: unknown, { signal, tell }: CallScope): Promise<ToolResult> {
    const { workspace, startWork, onDefect } = this.options
    const problems = problemsOf(tool.input, given)
    if (problems.length > 0) return wrongArguments(tool.name, problems)
    const budget = charactersOf(workspace.limits.answerTokens)
    try {
      const work = startWork(signal, tell)
      return resultOf(await tool.run(given as Readonly<Record<string, unknown>>, { workspace, work, budget }), budget)
    } catch (error) {
      if (error instanceof UsageError) return refusal(error.message)
      if (error instanceof ToolError) return errorResult(error.message)
      onDefect?.(error)
      return refusal(`${tool.name} failed unexpectedly; this is a defect of berth`)
    }
  }

  private read({ uri }: Readonly<Record<string, unknown>>): Reply {
    const { workspace } = this.options
    const text = readResource(uri, workspace, charactersOf(workspace.limits.answerTokens))
    return { result: { contents: [{ uri, mimeType: 'application/json', text }] }, ttlMs: 0 }
  }
}

/** Reports the progress of a request that has a token for it. */
function tellerOf({ params }: JsonRpcRequest, { notify }: Link): Pick<CallScope, 'tell'> {
  const meta = params['_meta'] as Readonly<Record<string, unknown>> | undefined
  const progressToken = meta?.['progressToken']
  if (notify === undefined || (typeof progressToken !== 'string' && typeof progressToken !== 'number')) return {}
  return {
    tell: ({ done, total }) =>
      notify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: {
          progressToken,
          progress: done,
          total,
          message: `${Math.round(done / 60_000)} of ${Math.round(total / 60_000)} virtual minutes`,
        },
      }),
  }
}

const names = tools.map(({ name }) => name)

function toolEntry({ name, title, description, input, output, effect }: Tool): object {
  const isRead = effect === 'reads'
  return {
    name,
    title,
    description,
    inputSchema: input,
    outputSchema: output,
    // Changes are made to forks, which are disposable, so they are not destructive.
    annotations: { title, readOnlyHint: isRead, destructiveHint: false, idempotentHint: isRead, openWorldHint: false },
  }
}

function onePage({ cursor }: Readonly<Record<string, unknown>>, result: object): Reply {
  if (cursor !== undefined) throw new ProtocolError(errorCodes.invalidParams, 'Invalid cursor: there is one page')
  return { result, ttlMs: listTtlMs }
}

const metaKey = 'io.modelcontextprotocol'

/** Whether the request follows the revision without a handshake. */
function eraOf({ method, params }: JsonRpcRequest, { legacyVersion }: Link): boolean {
  const meta = params['_meta'] as Readonly<Record<string, unknown>> | undefined
  const version = meta?.[`${metaKey}/protocolVersion`]
  if (version === undefined) {
    if (method === 'initialize' || method === 'ping' || legacyVersion !== undefined) return false
    throw new ProtocolError(
      errorCodes.invalidParams,
      `_meta["${metaKey}/protocolVersion"] is required, or initialize first; supported versions: ${supportedVersions.join(', ')}`,
    )
  }
  if (version !== modernVersion) {
    throw new ProtocolError(errorCodes.unsupportedVersion, 'Unsupported protocol version', {
      supported: supportedVersions,
      requested: version,
    })
  }
  const clientCapabilities = meta?.[`${metaKey}/clientCapabilities`]
  if (typeof clientCapabilities !== 'object' || clientCapabilities === null)
    throw new ProtocolError(errorCodes.invalidParams, `_meta["${metaKey}/clientCapabilities"] is required`)
  return true
}

function modernResult(result: object, ttlMs: number | undefined): object {
  return {
    resultType: 'complete',
    ...result,
    ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: ttlMs === 0 ? 'private' : 'public' }),
    _meta: { [`${metaKey}/serverInfo`]: serverInfo },
  }
}

function initialize({ protocolVersion }: Readonly<Record<string, unknown>>, link: Link): object {
  const [newest = ''] = legacyVersions
  const chosen = legacyVersions.includes(protocolVersion as string) ? (protocolVersion as string) : newest
  link.legacyVersion = chosen
  return { protocolVersion: chosen, capabilities, serverInfo, instructions }
}
