import { PassThrough } from 'node:stream'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { readAllowed } from '../../src/cli/mcp/allowed-files.ts'
import { realTimeWork } from '../../src/cli/mcp/real-time-work.ts'
import { serveHttp } from '../../src/cli/mcp/serve-http.ts'
import { serveStdio } from '../../src/cli/mcp/serve-stdio.ts'
import { realPorts } from '../../src/cli/ports.ts'
import { defaultLimits, type McpLimits } from '../../src/mcp/limits.ts'
import { type CallRecord, McpServer } from '../../src/mcp/protocol/server.ts'
import { transcriptHeader, transcriptLine } from '../../src/mcp/transcript.ts'
import { Workspace } from '../../src/mcp/workspace.ts'

export const folder = new URL('.', import.meta.url).pathname

export interface TestServer {
  readonly server: McpServer
  readonly workspace: Workspace
  readonly defects: unknown[]
  /** The lines of the transcript so far. */
  readonly transcript: () => string
}

const ports = { ...realPorts(), cwd: folder.slice(0, -1) }

/** A server on the files of this folder. */
export function testServer(limits: Partial<McpLimits> = {}, allowed: readonly string[] = [folder]): TestServer {
  const all = { ...defaultLimits, memoryBytes: Number.POSITIVE_INFINITY, ...limits }
  const rules = { allowed: allowed.map((path) => path.replace(/\/$/, '')), fileBytes: all.fileBytes }
  const workspace = new Workspace({
    limits: all,
    flags: {},
    seed: '1',
    scheduler: {},
    ports: { readFile: (file) => readAllowed(file, rules, ports), memoryBytes: () => 0 },
  })
  const defects: unknown[] = []
  const lines = [transcriptHeader({})]
  const server = new McpServer({
    workspace,
    startWork: (signal, tell) => realTimeWork(all.timeoutMs, signal, tell),
    onDefect: (error) => defects.push(error),
    onCall: (call: CallRecord) => lines.push(transcriptLine(lines.length, call)),
  })
  return { server, workspace, defects, transcript: () => lines.join('') }
}

export type Era = 'modern' | 'legacy'

function newClient(era: Era): Client {
  const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy'
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
}

/** The official client on the line protocol of stdio, in this process. */
export async function stdioClient(
  { server }: TestServer,
  era: Era,
): Promise<{ readonly client: Client; readonly close: () => Promise<void> }> {
  const toServer = new PassThrough()
  const client = newClient(era)
  const transport: Parameters<Client['connect']>[0] = {
    start: async () => {},
    send: async (message) => void toServer.write(`${JSON.stringify(message)}\n`),
    close: async () => void toServer.end(),
  }
  const served = serveStdio(
    toServer,
    (text) => {
      // A message is exactly one line.
      if (text.indexOf('\n') !== text.length - 1) throw new Error(`not one line: ${text}`)
      transport.onmessage?.(JSON.parse(text))
    },
    server,
    defaultLimits.messageBytes,
  )
  await client.connect(transport)
  return {
    client,
    close: async () => {
      await client.close()
      await served
    },
  }
}

export const token = 'a-token-for-tests'

export async function httpServer({ server }: TestServer, messageBytes = defaultLimits.messageBytes) {
  const stop = new AbortController()
  const options = { address: '127.0.0.1', port: 0, messageBytes, server, token, allowedHosts: [] }
  const { port, closed } = await serveHttp(options, stop.signal)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      stop.abort()
      await closed
    },
  }
}

export async function httpClient(url: string, era: Era): Promise<Client> {
  const client = newClient(era)
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

export interface ToolAnswer {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

export async function callTool(client: Client, name: string, given: object = {}): Promise<ToolAnswer> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...given } })
  const text = (content as readonly { readonly text: string }[]).map((part) => part.text).join('\n')
  return { text, value: (structuredContent ?? {}) as ToolAnswer['value'], isError: isError === true }
}
