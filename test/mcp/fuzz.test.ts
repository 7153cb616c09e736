import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InputSchema } from '../../src/mcp/input-schema.ts'
import { McpServer, newLink } from '../../src/mcp/protocol/server.ts'
import { tools } from '../../src/mcp/tools.ts'
import { testServer } from './connection.ts'

const words = [
  'f1',
  'f2',
  'pods',
  'po',
  'nodes',
  'node',
  'deployment',
  'pdb',
  'events',
  'secrets',
  'crd',
  'web',
  'api',
  'batch',
  'node-1',
  'shop',
  'default',
  'kube-system',
  'app=web',
  'app in (web',
  'status.phase=Pending',
  '1m',
  '10s',
  '-5m',
  '1.36',
  '9.99',
  'x=y:NoExecute',
  'x-',
  ':',
  '/',
  '//',
  'a/b',
  '__proto__',
  'constructor',
  '',
  ' ',
  '\u0000',
  '\ud800',
  '💥',
  '../../etc/passwd',
  '%00',
  '{}',
  '[]',
  'null',
  'apiVersion: v1\nkind: Namespace\nmetadata: {name: extra}',
  'apiVersion: v1\nkind: Pod',
  '- - - -',
  '&a [*a]',
  'kind: {',
]

const word = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const anything = fc.anything({ withNullPrototype: false, withBigInt: false, maxDepth: 3, maxKeys: 4 })

const steps = fc.constantFrom<unknown>(
  { drain: { node: 'node-1' } },
  { fail: { zone: 'zone-a' } },
  { scale: { target: 'deployment/shop/web', replicas: 1 } },
  { patch: { target: 'deployment/shop/web', patch: { spec: { replicas: 'x' } } } },
  { apply: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'y' } }] },
  { apply: ['/etc/passwd'] },
  { delete: ['node/node-1'] },
  { at: '-1s', cordon: { nodes: [] } },
  { at: '2h', cordon: { node: 'node-1' } },
  {},
)

/** Mostly valid arguments, so that the tools themselves are reached. */
function argumentFor(schema: InputSchema, name: string): fc.Arbitrary<unknown> {
  if (name === 'change') return fc.oneof(fc.array(steps, { maxLength: 3 }), anything)
  if (name === 'for' || name === 'duration' || name === 'wait')
    return fc.constantFrom('1s', '1m', '0s', '-1m', '9999999h', 'x')
  if (name === 'cases') return fc.constantFrom(1, 2, 0, 'x')
  if (name === 'proposeFix') return fc.constantFrom(false, 1)
  const good: fc.Arbitrary<unknown> = (() => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    switch (schema.type) {
      case 'string':
        return word
      case 'integer':
        return fc.oneof(fc.integer({ min: -2, max: 20 }), fc.integer())
      case 'boolean':
        return fc.boolean()
      case 'array':
        return fc.array(argumentFor(schema.items ?? {}, ''), { maxLength: 3 })
      default:
        return anything
    }
  })()
  return fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: anything })
}

const call = fc
  .constantFrom(...tools.filter(({ name }) => name !== 'open'))
  .chain((tool) =>
    fc
      .record(
        Object.fromEntries(
          Object.entries(tool.input.properties).map(([name, schema]) => [name, argumentFor(schema, name)]),
        ),
        { requiredKeys: [...(tool.input.required ?? [])] },
      )
      .map((given) => ({ name: tool.name, arguments: given as unknown })),
  )

describe('random input', () => {
  it('random calls of tools get answers or errors, never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
        const test = testServer({ advanceMs: 3_600_000, forks: 3 })
        const link = newLink('2025-11-25')
        const send = (params: unknown) =>
          test.server.handle(JSON.parse(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })), link)
        await send({ name: 'open', arguments: { file: 'cluster.json' } })
        for (const params of calls) {
          const response = await send(params)
          expect(response?.error?.code).not.toBe(-32603)
        }
        expect(test.defects).toEqual([])
      }),
      { numRuns: 40, seed: 7 },
    )
  }, 120_000)

  it('messages that violate the protocol get errors', async () => {
    const { server, defects } = testServer()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anything,
          fc.record({
            jsonrpc: fc.constant('2.0'),
            id: fc.oneof(fc.integer(), word, anything),
            method: word,
            params: anything,
          }),
        ),
        async (message) => {
          await server.handle(message, newLink())
          await server.handle(message, newLink('2025-06-18'))
        },
      ),
      { numRuns: 300, seed: 7 },
    )
    expect(defects).toEqual([])
  })
})

describe('limits', () => {
  const send = async (limits: Parameters<typeof testServer>[0], calls: readonly (readonly [string, object])[]) => {
    const { server } = testServer(limits)
    const link = newLink('2025-11-25')
    let text = ''
    for (const [name, given] of [['open', { file: 'cluster.json' }] as const, ...calls]) {
      const response = await server.handle(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
        link,
      )
      const result = response?.result as {
        readonly content: readonly [{ readonly text: string }]
        readonly structuredContent?: object
      }
      text = result.content[0].text
      if (limits?.answerTokens !== undefined) {
        expect(text.length).toBeLessThan(limits.answerTokens * 4 + 200)
        expect(JSON.stringify(result.structuredContent ?? {}).length).toBeLessThan(limits.answerTokens * 4 + 200)
      }
    }
    return text
  }

  it.each<[string, Parameters<typeof testServer>[0], readonly (readonly [string, object])[], string]>([
    ['forks', { forks: 1 }, [['fork', {}]], '1 forks are open, which is the limit'],
    ['snapshots', { snapshots: 1 }, [['open', { file: 'cluster.json' }]], '1 snapshots are open'],
    ['virtual time of a call', { advanceMs: 60_000 }, [['advance', { duration: '2m' }]], 'of virtual time in one call'],
    [
      'virtual time of a forecast',
      { advanceMs: 60_000 },
      [['forecast', { change: [], for: '2m' }]],
      'of virtual time in one call',
    ],
    ['virtual time of a fork', { forkMs: 60_000 }, [['advance', { duration: '2m' }]], 'a fork has at most'],
    [
      'changes',
      { steps: 1 },
      [
        ['kubectl_cordon', { nodes: ['node-1'] }],
        ['kubectl_uncordon', { nodes: ['node-1'] }],
      ],
      'which is the limit',
    ],
    ['real time', { timeoutMs: 0 }, [['advance', { duration: '24h' }]], 'of real time'],
    ['memory', { memoryBytes: -1 }, [], 'uses more than'],
    ['nesting', {}, [['kubectl_patch', { resource: 'node', name: 'node-1', patch: nested(200) }]], 'nested deeper'],
  ])('limits %s', async (_name, limits, calls, expected) => {
    expect(await send(limits, calls)).toContain(expected)
  })

  it('a search returns its result when most of the time is used', async () => {
    let asked = 0
    const work = { pause: () => undefined, isLate: () => asked++ > 3 }
    const server = new McpServer({ ...testServer().server['options'], startWork: () => work })
    const call = async (name: string, given: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
      return JSON.stringify(await server.handle(message, newLink('2025-11-25')))
    }
    await call('open', { file: 'cluster.json' })
    const answer = await call('search', { cases: 5_000, expect: { noLoop: true } })
    expect(answer).toMatch(/no violation in \d cases?\.\\nThe real-time limit of the call was reached/)
  })

  it('lint ends its forecasts when most of the time is used, and reports it', async () => {
    const work = { pause: () => undefined, isLate: () => true }
    const server = new McpServer({ ...testServer().server['options'], startWork: () => work })
    const call = async (name: string, given: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
      return JSON.stringify(await server.handle(message, newLink('2025-11-25')))
    }
    await call('open', { file: 'cluster.json' })
    const answer = await call('lint', {})
    expect(answer).toContain('The real-time limit of the call was reached before all forecasts ran')
    expect(answer).toContain('"forecasts":"some"')
    expect(answer).not.toContain('evidence: whatif')
  })

  it('keeps answers within the token budget', async () => {
    const calls = [
      ['kubectl_get', { resource: 'pods', allNamespaces: true, output: 'wide' }],
      ['kubectl_get', { resource: 'pods', allNamespaces: true, output: 'yaml' }],
      ['kubectl_describe', { resource: 'node', name: 'node-1' }],
      ['kubectl_drain', { nodes: ['node-1', 'node-2', 'node-3'] }],
      ['forecast', { change: [{ fail: { node: 'node-4' } }] }],
      ['lint', {}],
      ['status', {}],
    ] as const
    await send({ answerTokens: 200 }, calls)
  })

  it('pages through a list without gaps when the fork changes', async () => {
    const { server } = testServer()
    const link = newLink('2025-11-25')
    const call = async (name: string, given: object) => {
      const response = await server.handle(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
        link,
      )
      const { structuredContent } = (response?.result ?? {}) as {
        readonly structuredContent: { readonly rows: readonly (readonly string[])[]; readonly cursor?: string }
      }
      return structuredContent
    }
    await call('open', { file: 'cluster.json' })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await call('kubectl_get', {
        resource: 'pods',
        namespace: 'shop',
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      })
      names.push(...page.rows.map(([name = '']) => name))
      if (cursor === undefined)
        await call('kubectl_delete', { resource: 'pod', name: names[0], namespace: 'shop', gracePeriodSeconds: 0 })
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(names).toEqual([...new Set(names)].sort())
    expect(names).toContain('batch')
  })
})

function nested(depth: number): object {
  let value: object = {}
  for (let level = 0; level < depth; level++) value = { a: value }
  return value
}
