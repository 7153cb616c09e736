// The main use case of the server: an agent tries a drain, finds what blocks it, proposes a fix and verifies it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, it } from 'vitest'
import { version } from '../../src/base/version.ts'
import {
  callTool,
  type Era,
  folder,
  httpClient,
  httpServer,
  stdioClient,
  type ToolAnswer,
  testServer,
} from './connection.ts'

const eras: readonly Era[] = ['modern', 'legacy']

interface Told {
  readonly tool: string
  readonly given: object
  readonly answer: ToolAnswer
}

/** The session of an agent. Every decision follows from an earlier answer. */
async function drainSession(client: Client): Promise<readonly Told[]> {
  const told: Told[] = []
  const call = async (tool: string, given: object = {}): Promise<ToolAnswer> => {
    const answer = await callTool(client, tool, given)
    told.push({ tool, given, answer })
    return answer
  }
  const { fork } = (await call('open', { file: 'cluster.json' })).value
  await call('kubectl_get', { resource: 'pods', namespace: 'shop', output: 'wide' })
  const tried = await call('forecast', { change: [{ drain: { node: 'node-1' } }], for: '30m' })
  expect(tried.value).toMatchObject({ verdict: 'BLOCKED' })
  const drained = await call('kubectl_drain', { nodes: ['node-1'], wait: '1m' })
  const [blocked] = drained.value['blocked'] as readonly { readonly pod: string; readonly why: string }[]
  const budget = /budget (\S+) needs/.exec(blocked?.why ?? '')?.[1] ?? ''
  const [namespace = ''] = (blocked?.pod ?? '').split('/')
  const described = await call('kubectl_describe', { resource: 'pdb', name: budget, namespace })
  expect(described.text).toContain('Allowed disruptions: 0')
  await call('explain', { pod: 'batch', namespace: 'shop' })
  const second = (await call('fork', { fork })).value['fork']
  // The budget protects two replicas of two: one more replica makes room for an eviction.
  const fix = [{ scale: { target: `deployment/${namespace}/web`, replicas: 3 } }]
  const proof = await call('forecast', { fork, change: fix, for: '30m', expect: { noNewPending: true } })
  expect(proof.value).toMatchObject({ verdict: 'SAFE' })
  await call('kubectl_scale', { fork, resource: 'deployment', name: 'web', namespace, replicas: 3 })
  await call('advance', { fork, duration: '10m' })
  await call('kubectl_rollout', { fork, action: 'status', resource: 'deployment', name: 'web', namespace })
  await call('kubectl_get', { fork, resource: 'nodes' })
  await call('advance', { fork: second, duration: '10m' })
  await call('diff', { a: second, b: fork })
  await call('export', { fork, format: 'markdown' })
  await call('export', { fork, format: 'manifests' })
  await call('export', { fork, format: 'scenario' })
  return told
}

function written(told: readonly Told[]): string {
  return told
    .map(
      ({ tool, given, answer }) =>
        `> ${tool} ${JSON.stringify(given)}\n${answer.isError ? 'isError\n' : ''}${answer.text}\n`,
    )
    .join('\n')
    .replaceAll(`berth ${version}`, 'berth VERSION')
    .replaceAll(`berth: ${version}`, 'berth: VERSION')
}

const temporary = mkdtempSync(join(tmpdir(), 'berth-mcp-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

describe('a session of the official client', () => {
  it('finds the budget that blocks a drain, and proves a fix by a forecast', async () => {
    const test = testServer()
    const { client, close } = await stdioClient(test, 'modern')
    const told = await drainSession(client)
    await close()
    await expect(written(told)).toMatchFileSnapshot('golden/drain-session.txt')
    const transcript = test
      .transcript()
      .replaceAll(`"berth":"${version}"`, '"berth":"VERSION"')
      .replaceAll(import.meta.dirname, 'FOLDER')
    await expect(transcript).toMatchFileSnapshot('golden/drain-session.jsonl')
    expect(test.defects).toEqual([])
  })

  it.each(eras)('gives the same answers on stdio and on HTTP, in the %s era', async (era) => {
    const first = testServer()
    const onStdio = await stdioClient(first, era)
    const told = await drainSession(onStdio.client)
    await onStdio.close()
    const second = testServer()
    const http = await httpServer(second)
    const client = await httpClient(http.url, era)
    const again = await drainSession(client)
    await client.close()
    await http.close()
    expect(again).toEqual(told)
    expect(second.transcript()).toBe(first.transcript())
  })

  it('an answer with a verdict has the hash of the snapshot, the release and the seed', async () => {
    const { client, close } = await stdioClient(testServer(), 'modern')
    await callTool(client, 'open', { file: 'cluster.json', kubernetesVersion: '1.37', seed: '7' })
    const { value } = await callTool(client, 'forecast', { change: [{ cordon: { node: 'node-1' } }] })
    await close()
    const { createHash } = await import('node:crypto')
    const sha256 = createHash('sha256')
      .update(readFileSync(join(folder, 'cluster.json')))
      .digest('hex')
    expect(value['provenance']).toMatchObject({ snapshot: 's1', sha256, seed: '7', berth: version })
    expect((value['provenance'] as { readonly kubernetes: string }).kubernetes).toMatch(/^v1\.37/)
  })

  it('finds the smallest failure that violates an expectation, as steps that a forecast confirms', async () => {
    const { client, close } = await stdioClient(testServer(), 'modern')
    await callTool(client, 'open', { file: 'cluster.json' })
    const { value } = await callTool(client, 'search', { cases: 30 })
    expect(value).toMatchObject({ found: true, steps: [{ at: '0s', drain: { node: 'node-1' } }] })
    const { value: confirmed } = await callTool(client, 'forecast', { change: value['steps'] })
    expect(confirmed['verdict']).toBe('BLOCKED')
    const { value: safe } = await callTool(client, 'search', {
      only: ['zones'],
      expect: { noLoop: true },
      certify: true,
    })
    expect(safe['found']).toBe(false)
    expect(String(safe['proven'])).toContain('every single fault (zone-fails) meets noLoop')
    await close()
  })

  it('finds budgets that block drains, with evidence that a forecast confirms, and nothing after the fix', async () => {
    const test = testServer()
    const { client, close } = await stdioClient(test, 'modern')
    await callTool(client, 'open', { file: 'cluster.json' })
    const asked = { rules: ['budget-never-drains'], namespace: 'shop' }
    const { value, text } = await callTool(client, 'lint', asked)
    expect(value).toMatchObject({ errors: 1, warnings: 0, rules: { 'budget-never-drains': 1 }, forecasts: 'all' })
    const [finding] = value['findings'] as readonly { readonly name: string; readonly evidence: string }[]
    const [, node, verdict] = /^whatif drain (\S+): (\w+): /.exec(finding?.evidence ?? '') ?? []
    expect(verdict).toBe('BLOCKED')
    expect(text).toContain(`evidence: whatif drain ${node}: BLOCKED`)
    const { value: confirmed } = await callTool(client, 'forecast', { change: [{ drain: { node } }] })
    expect(confirmed['verdict']).toBe('BLOCKED')
    const scaled = { resource: 'deployment', name: 'web', namespace: 'shop', replicas: 3 }
    await callTool(client, 'kubectl_scale', scaled)
    await callTool(client, 'advance', { duration: '5m' })
    expect((await callTool(client, 'lint', asked)).value).toMatchObject({ at: '+5m0s', errors: 0, findings: [] })
    await close()
    expect(test.defects).toEqual([])
  })

  it('checks all rules of a changed fork, without forecasts on request, and does not change the fork', async () => {
    const test = testServer()
    const { client, close } = await stdioClient(test, 'modern')
    await callTool(client, 'open', { file: 'cluster.json' })
    await callTool(client, 'kubectl_scale', { resource: 'deployment', name: 'web', namespace: 'shop', replicas: 1 })
    const before = await callTool(client, 'kubectl_get', { resource: 'pods', namespace: 'shop' })
    const { value: plain } = await callTool(client, 'lint', { forecast: false })
    const { value: played } = await callTool(client, 'lint')
    expect([plain['forecasts'], played['forecasts']]).toEqual(['none', 'all'])
    type Found = readonly { readonly rule: string; readonly name: string; readonly evidence?: string }[]
    const single = (value: ToolAnswer['value']) =>
      (value['findings'] as Found).find(({ rule, name }) => rule === 'single-replica' && name === 'web')
    expect(single(plain)).not.toHaveProperty('evidence')
    expect(single(played)?.evidence).toMatch(/^whatif fail node /)
    expect(await callTool(client, 'kubectl_get', { resource: 'pods', namespace: 'shop' })).toEqual(before)
    await close()
    expect(test.defects).toEqual([])
  })

  it.skipIf(!existsSync('dist/cli.js'))(
    'runs as a process on stdio, and berth simulate replays its transcript',
    async () => {
      const { execFileSync } = await import('node:child_process')
      const file = join(temporary, 'session.jsonl')
      const args = [join(process.cwd(), 'bin/berth'), 'mcp', '--transcript', file]
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }))
      const told = await drainSession(client)
      await client.close()
      const changed = told.filter(({ tool }) => tool === 'advance')[0]
      const replay = execFileSync(process.execPath, ['bin/berth', 'simulate', file, '--fork', 'f1', '-o', 'json'])
      const { after, seed } = JSON.parse(String(replay)) as {
        readonly after: { readonly nodesReady: number; readonly pods: object }
        readonly seed: string
      }
      const state = changed?.answer.value['state'] as {
        readonly nodesReady: number
        readonly pods: Readonly<Record<string, number>>
      }
      expect(seed).toBe('1')
      expect(after.nodesReady).toBe(state.nodesReady)
      expect(after.pods).toMatchObject(state.pods)
    },
  )
})
