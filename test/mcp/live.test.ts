// The command itself on a live cluster: it reads once, writes nothing, and the session can be repeated without the cluster.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import type { Ports } from '../../src/cli/command.ts'
import { main } from '../../src/cli/main.ts'
import { realPorts } from '../../src/cli/ports.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { callTool, folder as ownFolder } from './connection.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-mcp-live-'))
const real = realPorts()

/** Runs the command line; `said` has its output so far. */
function berth(args: readonly string[], stop = new AbortController()) {
  const said = { out: '', err: '' }
  const sink = (name: 'out' | 'err') => ({
    write: (text: string) => {
      said[name] += text
    },
    isTTY: false,
    columns: undefined,
  })
  const ports: Ports = {
    ...real,
    stdout: sink('out'),
    stderr: sink('err'),
    env: {},
    cwd: folder,
    interruption: () => stop.signal,
  }
  return { said, stop: () => stop.abort(), code: main(args, ports) }
}

async function connect({ said }: ReturnType<typeof berth>): Promise<Client> {
  const [, url = '', token = ''] = /listens on (\S+)\nAuthorization: Bearer (\S+)/.exec(said.err) ?? []
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

describe('berth mcp on a live cluster', () => {
  let api: ApiProcess

  beforeAll(async () => {
    api = await startApiProcess({ host: '127.0.0.1', port: 0, clock: new RealClock(), log: silentLogger })
    writeFileSync(join(folder, 'kubeconfig'), api.kubeconfig)
    const { items } = JSON.parse(readFileSync(join(ownFolder, 'cluster.json'), 'utf8')) as {
      items: readonly KubeObject[]
    }
    for (const object of items) {
      const { name, namespace } = object.metadata
      const kind = api.registry.kinds.findKind(object.apiVersion?.split('/').at(-2) ?? '', object.kind ?? '')
      const key = namespace === undefined ? name : `${namespace}/${name}`
      const resource = kind?.storage ?? ''
      if (api.registry.store.get(resource, key) === undefined)
        api.registry.store.commit([{ kind: 'create', resource, key, object }])
    }
  })

  afterAll(async () => {
    await api.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('takes a snapshot, drops the connection, and writes nothing to the cluster', async () => {
    const args = [
      'mcp',
      '--http',
      '0',
      '--kubeconfig',
      'kubeconfig',
      '--kube-api-qps',
      '500',
      '--transcript',
      'session.jsonl',
    ]
    const running = berth(args)
    await expect.poll(() => running.said.err, { timeout: 20_000 }).toContain('Authorization')
    const client = await connect(running)
    const before = api.registry.store.revision
    const { value } = await callTool(client, 'open', { live: true })
    // All other tools work without the API server, because there is no connection.
    await api.close()
    await callTool(client, 'kubectl_delete', { resource: 'deployment', name: 'api', namespace: 'shop' })
    await callTool(client, 'kubectl_drain', { nodes: ['node-4'], wait: '1m' })
    const { value: pods } = await callTool(client, 'kubectl_get', {
      resource: 'pods',
      namespace: 'shop',
      output: 'name',
    })
    const again = await callTool(client, 'open', { live: true })
    await client.close()
    running.stop()
    expect(await running.code).toBe(0)

    expect(api.registry.store.revision).toBe(before)
    expect(again.isError).toBe(true)
    const saved = join(folder, 'session.jsonl.1.jsonl.gz')
    const sha256 = createHash('sha256').update(readFileSync(saved)).digest('hex')
    expect(value['provenance']).toMatchObject({ sha256 })
    for (const file of [saved, join(folder, 'session.jsonl')]) expect(statSync(file).mode & 0o777).toBe(0o600)

    const replay = berth(['simulate', 'session.jsonl', '-o', 'json'])
    expect(await replay.code).toBe(0)
    const { nodes } = JSON.parse(replay.said.out) as {
      nodes: readonly { readonly node: string; readonly pods: number }[]
    }
    const bound = nodes.reduce((sum, node) => sum + node.pods, 0)
    // The pod batch has no node.
    expect(bound).toBe((pods['total'] as number) - 1)
  })

  it('opens no live cluster that the user did not name', async () => {
    const running = berth(['mcp', '--http', '0'])
    await expect.poll(() => running.said.err, { timeout: 20_000 }).toContain('Authorization')
    const client = await connect(running)
    const { text, isError } = await callTool(client, 'open', { live: true })
    await client.close()
    running.stop()
    expect(await running.code).toBe(0)
    expect([isError, text]).toEqual([true, expect.stringContaining('no live cluster is configured')])
  })

  it('rejects a token that is easy to guess', async () => {
    writeFileSync(join(folder, 'token'), 'short\n')
    const running = berth(['mcp', '--http', '0', '--token-file', 'token'])
    expect(await running.code).toBe(2)
    expect(running.said.err).toContain('at least 16')
  })
})
