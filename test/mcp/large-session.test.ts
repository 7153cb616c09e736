// The session of an agent on a snapshot of 300 nodes: the same story, and answers that stay small.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { callTool, stdioClient, testServer } from './connection.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-mcp-large-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const nodeCount = 300
const createdAt = '2026-01-01T00:00:00Z'
const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: createdAt })
const meta = (name: string, more: object = {}) => ({ name, uid: name, creationTimestamp: createdAt, ...more })

function nodes(): readonly object[] {
  const resources = { cpu: '16', memory: '64Gi', pods: '110' }
  return Array.from({ length: nodeCount }, (_, at) => {
    const labels = { 'kubernetes.io/hostname': `node-${at}`, 'topology.kubernetes.io/zone': `zone-${'abc'[at % 3]}` }
    const conditions = [{ ...condition('Ready'), lastHeartbeatTime: createdAt }]
    const status = { capacity: resources, allocatable: resources, conditions }
    return { apiVersion: 'v1', kind: 'Node', metadata: meta(`node-${at}`, { labels }), status }
  })
}

/** A Deployment with its ReplicaSet and its pods, spread over the nodes. */
function workload(name: string, replicas: number): readonly object[] {
  const labels = { app: name }
  const owned = (kind: string, by: string) => ({
    namespace: 'shop',
    labels,
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name: by, uid: by, controller: true }],
  })
  const spec = { containers: [{ name: 'c', image: 'web', resources: { requests: { cpu: '1', memory: '1Gi' } } }] }
  const set = { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } }
  const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 1 }
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition)
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta(name, { namespace: 'shop' }),
      spec: set,
      status: counts,
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: meta(`${name}-1`, owned('Deployment', name)),
      spec: set,
      status: counts,
    },
    ...Array.from({ length: replicas }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: meta(`${name}-1-${at}`, owned('ReplicaSet', `${name}-1`)),
      spec: { ...spec, nodeName: `node-${at % nodeCount}` },
      status: { phase: 'Running', startTime: createdAt, conditions },
    })),
  ]
}

const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: meta('checkout', { namespace: 'shop' }),
  spec: { minAvailable: 60, selector: { matchLabels: { app: 'checkout' } } },
  status: { currentHealthy: 60, desiredHealthy: 60, expectedPods: 60, disruptionsAllowed: 0, observedGeneration: 1 },
}

it('finds the budget that blocks a drain among 300 nodes, proves a fix, and keeps its answers small', async () => {
  const items = [...nodes(), ...workload('checkout', 60), ...workload('web', 900), budget]
  writeFileSync(join(folder, 'large.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const test = testServer({}, [folder])
  const { client, close } = await stdioClient(test, 'modern')
  const sizes: number[] = []
  const call = async (tool: string, given: object) => {
    const answer = await callTool(client, tool, given)
    sizes.push(answer.text.length)
    expect(answer.isError).not.toBe(true)
    return answer
  }
  const { fork } = (await call('open', { file: join(folder, 'large.json') })).value
  const listed = await call('kubectl_get', { resource: 'pods', namespace: 'shop', output: 'wide' })
  expect(listed.text).toContain('checkout-1-0')
  const change = [{ drain: { node: 'node-7' } }]
  expect((await call('forecast', { change, for: '30m' })).value).toMatchObject({ verdict: 'BLOCKED' })
  const drained = await call('kubectl_drain', { nodes: ['node-7'], wait: '1m' })
  const [blocked] = drained.value['blocked'] as readonly { readonly pod: string; readonly why: string }[]
  expect(blocked?.pod).toBe('shop/checkout-1-7')
  expect(blocked?.why).toContain('budget checkout needs')
  const described = await call('kubectl_describe', { resource: 'pdb', name: 'checkout', namespace: 'shop' })
  expect(described.text).toContain('Allowed disruptions: 0')
  const fresh = (await call('open', { file: join(folder, 'large.json') })).value['fork']
  expect(fresh).not.toBe(fork)
  const fix = [{ scale: { target: 'deployment/shop/checkout', replicas: 61 } }, { at: '5m', ...change[0] }]
  const proof = await call('forecast', { fork: fresh, change: fix, for: '30m' })
  expect(proof.value).toMatchObject({ verdict: 'SAFE' })
  await close()
  expect(Math.max(...sizes)).toBeLessThan(40_000)
  expect(test.defects).toEqual([])
})
