import { describe, expect, it } from 'vitest'
import { McpServer, newLink } from '../../src/mcp/protocol/server.ts'
import { tools } from '../../src/mcp/tools.ts'
import { callTool, httpServer, stdioClient, testServer, token } from './connection.ts'

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

const request = (method: string, params: object = {}, _meta: object = meta) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta },
})

describe('the protocol', () => {
  it('answers server/discover with versions, capabilities and instructions', async () => {
    const response = await testServer().server.handle(request('server/discover'), newLink())
    expect(response?.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      cacheScope: 'public',
    })
  })

  it.each([
    ['no version', request('tools/list', {}, {}), -32602],
    ['no capabilities', request('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }), -32602],
    [
      'an unknown version',
      request('tools/list', {}, { ...meta, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }),
      -32022,
    ],
    ['an unknown method', request('tools/lst'), -32601],
    ['a method of the other era', request('ping'), -32601],
    ['an unknown tool', request('tools/call', { name: 'kubectl_gt' }), -32602],
    ['an unknown resource', request('resources/read', { uri: 'berth://forecasts/c9' }), -32602],
    ['another scheme', request('resources/read', { uri: 'file:///etc/passwd' }), -32602],
    ['an unknown prompt', request('prompts/get', { name: 'drain' }), -32602],
    ['a cursor of another server', request('tools/list', { cursor: 'x' }), -32602],
    ['a batch', [request('tools/list')], -32600],
    ['no object', 7, -32600],
    ['another version of JSON-RPC', { ...request('tools/list'), jsonrpc: '1.0' }, -32600],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }, -32600],
    ['a name that only prototypes have', request('constructor'), -32601],
  ])('rejects %s', async (_name, message, code) => {
    const response = await testServer().server.handle(message, newLink())
    expect(response?.error?.code).toBe(code)
  })

  it('negotiates the newest revision with a handshake that it knows', async () => {
    const { server } = testServer()
    const initialize = (protocolVersion: string) =>
      server.handle({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion } }, newLink())
    expect((await initialize('2025-06-18'))?.result).toMatchObject({ protocolVersion: '2025-06-18' })
    expect((await initialize('2030-01-01'))?.result).toMatchObject({ protocolVersion: '2025-11-25' })
  })

  it('does not answer notifications and responses', async () => {
    const { server } = testServer()
    expect(await server.handle({ jsonrpc: '2.0', method: 'notifications/initialized' }, newLink())).toBeUndefined()
    expect(await server.handle({ jsonrpc: '2.0', id: 4, result: {} }, newLink())).toBeUndefined()
  })

  it('does not answer a canceled call', async () => {
    const { server, workspace } = testServer()
    const link = newLink()
    await server.handle(request('tools/call', { name: 'open', arguments: { file: 'cluster.json' } }), link)
    const call = server.handle(
      { ...request('tools/call', { name: 'advance', arguments: { duration: '24h' } }), id: 7 },
      link,
    )
    await server.handle({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, link)
    expect(await call).toBeUndefined()
    expect(workspace.find('f1').elapsedMs).toBeLessThan(24 * 3_600_000)
  })

  it('reports the progress of a call on request', async () => {
    const told: { readonly progress: number; readonly total?: number }[] = []
    const { server } = testServer()
    const slow = new McpServer({
      ...server['options'],
      startWork: (_signal, tell) => ({ pause: (at) => void tell?.(at), isLate: () => false }),
    })
    const link = newLink(undefined, (sent) => told.push((sent as { readonly params: (typeof told)[number] }).params))
    await slow.handle(request('tools/call', { name: 'open', arguments: { file: 'cluster.json' } }), link)
    const advance = { name: 'advance', arguments: { duration: '1h' } }
    await slow.handle(request('tools/call', advance), link)
    expect(told).toEqual([])
    await slow.handle(request('tools/call', advance, { ...meta, progressToken: 'p' }), link)
    expect(told[0]).toMatchObject({ progressToken: 'p', total: 3_600_000 })
    expect(told.map(({ progress }) => progress)).toEqual(told.map(({ progress }) => progress).toSorted((a, b) => a - b))
  })

  it('lists tools whose schemas the client accepts, with output that matches them', async () => {
    const { client, close } = await stdioClient(testServer(), 'modern')
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    for (const { name, description, inputSchema, annotations } of listed) {
      expect(name).toMatch(/^[a-z_]{3,20}$/)
      expect(description?.length).toBeLessThan(700)
      expect(inputSchema.type).toBe('object')
      expect(annotations?.destructiveHint).toBe(false)
    }
    // The client validates structuredContent against the schema of the tool.
    expect((await callTool(client, 'status')).isError).toBe(false)
    await close()
  })

  it('serves resources and prompts to the client', async () => {
    const { client, close } = await stdioClient(testServer(), 'legacy')
    await callTool(client, 'open', { file: 'cluster.json' })
    await callTool(client, 'forecast', { change: [{ drain: { node: 'node-1' } }] })
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents as readonly { readonly text: string }[]
      return JSON.parse(content?.text ?? 'null') as Record<string, unknown>
    }
    expect(await read('berth://forks')).toMatchObject({
      forks: [{ fork: 'f1' }],
      forecasts: [{ id: 'c1', verdict: 'BLOCKED' }],
    })
    expect(await read('berth://forecasts/c1')).toMatchObject({
      forecast: { verdict: 'BLOCKED' },
      provenance: { seed: '1' },
    })
    expect(await read('berth://forks/f1/objects/nodes/node-1')).toMatchObject({
      object: { metadata: { name: 'node-1' } },
    })
    expect(await read('berth://forks/f1/namespaces/shop/objects/deployments/web')).toMatchObject({
      object: { kind: 'Deployment' },
    })
    expect(await read('berth://forks/f1/namespaces/shop/events')).toHaveProperty('events')
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(5)
    const { prompts } = await client.listPrompts()
    for (const { name, arguments: known = [] } of prompts) {
      const given = Object.fromEntries(known.map((one) => [one.name, 'x"\n\u200b']))
      const { messages } = await client.getPrompt({ name, arguments: given })
      expect(JSON.stringify(messages)).toContain('x\\\\\\"\\\\n\\\\\\\\u{200b}')
    }
    await expect(client.getPrompt({ name: 'drain-node', arguments: {} })).rejects.toThrow('argument node is required')
    await close()
  })
})

describe('HTTP', () => {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'status',
  }
  const status = JSON.stringify(request('tools/call', { name: 'status', arguments: {} }))

  it.each<[string, number, RequestInit & { readonly path?: string }]>([
    ['answers a request', 200, {}],
    ['refuses a missing token', 401, { headers: { authorization: '' } }],
    ['refuses a wrong token', 401, { headers: { authorization: `Bearer ${token}x` } }],
    ['refuses a page of another site', 403, { headers: { origin: 'https://example.com' } }],
    ['accepts a page of this machine', 200, { headers: { origin: 'http://localhost:6274' } }],
    ['refuses GET', 405, { method: 'GET', body: undefined as never }],
    ['refuses DELETE', 405, { method: 'DELETE', body: undefined as never }],
    ['refuses another path', 404, { path: '/' }],
    ['refuses a form', 415, { headers: { 'content-type': 'text/plain' } }],
    ['refuses what is not JSON', 400, { body: '{' }],
    [
      'refuses a message that is too large',
      413,
      { body: JSON.stringify(request('tools/list', { x: 'x'.repeat(5_000) })) },
    ],
    ['refuses a method that differs from its header', 400, { headers: { 'mcp-method': 'tools/list' } }],
    ['refuses a name that differs from its header', 400, { headers: { 'mcp-name': 'open' } }],
    [
      'decodes the name in the header',
      200,
      { headers: { 'mcp-name': `=?base64?${Buffer.from('status').toString('base64')}?=` } },
    ],
    ['refuses a version that differs from its header', 400, { headers: { 'mcp-protocol-version': '2025-11-25' } }],
    ['refuses an unknown version', 400, { headers: { 'mcp-protocol-version': '1900-01-01' } }],
    [
      'answers an unknown method with 404',
      404,
      { headers: { 'mcp-method': 'tools/lst' }, body: JSON.stringify(request('tools/lst')) },
    ],
    ['accepts a notification', 202, { body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) }],
  ])('%s', async (_name, expected, { path, headers: more, ...init }) => {
    const http = await httpServer(testServer(), 4_096)
    const response = await fetch(new URL(path ?? '/mcp', http.url), {
      method: 'POST',
      body: status,
      ...init,
      headers: { ...headers, ...(more as Record<string, string> | undefined) },
    })
    const body = await response.text()
    await http.close()
    expect([response.status, body]).toEqual([expected, expect.any(String)])
  })

  it('rejects a Host that is not this machine, so that a page cannot reach it under its own name', async () => {
    const { request: send } = await import('node:http')
    const http = await httpServer(testServer())
    const code = await new Promise((resolve) => {
      const sent = send(http.url, { method: 'POST', headers: { ...headers, host: 'attacker.example' } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.end(status)
    })
    await http.close()
    expect(code).toBe(403)
  })
})
