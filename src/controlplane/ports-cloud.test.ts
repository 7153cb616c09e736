import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createRandom } from '../base/random.ts'
import { must } from '../base/result.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { ComputeEngine, HastyClock } from '../cloud/gce-server.fixture.ts'
import { createNodeIpam } from '../controllers/node-ipam/controller.ts'
import { readNodeIpamFlags } from '../controllers/node-ipam/options.ts'
import { createRegistry } from '../registry/registry.ts'
import type { Answerer } from '../runtime/run-driver.ts'
import { createRunDriver } from '../runtime/run-driver.ts'
import { createStore } from '../store/memory-store.ts'
import { answerWithCloud } from './ports-cloud.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-ports-cloud-'))
afterAll(() => rmSync(folder, { recursive: true }))

const noAnswer: Answerer = async () => ({ kind: 'skipped' })
const random = createRandom('cloud')

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Runs one node, one controller in real time, and the cloud in the flags. */
async function blockOf(flags: Readonly<Record<string, string>>): Promise<string | undefined> {
  const settings = must(readNodeIpamFlags({ 'allocate-node-cidrs': 'true', ...flags }))
  const store = createStore()
  const clock = new VirtualClock(0)
  const client = createInProcessClient(createRegistry({ store, clock, random }))
  client.callNow({
    verb: 'create',
    resource: 'nodes',
    object: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'a' },
      ...{ spec: { providerID: 'gce://p/z/a' } },
    },
  })
  const answer = answerWithCloud({ settings, clock: new HastyClock(10_000), random }, noAnswer)
  const driver = createRunDriver({
    client,
    clock,
    random,
    controllers: [createNodeIpam({ settings })],
    answer,
    events: 'drop',
  })
  driver.start()
  await driver.synced()
  await driver.idle()
  await driver.stop()
  const node = store.get('nodes', 'a') as { readonly spec?: { readonly podCIDR?: string } } | undefined
  return node?.spec?.podCIDR
}

describe('controllers', () => {
  it('controllers allocate through Compute Engine', async () => {
    const engine = new ComputeEngine()
    const url = await engine.start()
    engine.add('a', '10.9.0.0/24')
    const config = write('gce.conf', `[global]\napi-endpoint = ${url}v1/\ntoken-url = nil\n`)
    const gce = { 'cloud-provider': 'gce', 'cloud-config': config }
    engine.isOpen = true
    expect(await blockOf({ 'cidr-allocator-type': 'CloudAllocator', ...gce })).toBe('10.9.0.0/24')
    engine.add('a')
    const range = { 'cluster-cidr': '10.8.0.0/16' }
    expect(await blockOf({ 'cidr-allocator-type': 'IPAMFromCluster', ...range, ...gce })).toBe('10.8.0.0/24')
    expect(engine.aliasesOf('a')).toEqual(['10.8.0.0/24'])
    expect(await blockOf({ 'cidr-allocator-type': 'IPAMFromCloud', ...range, ...gce })).toBe('10.8.0.0/24')
    await engine.stop()
  })

  it('controllers allocate through a file', async () => {
    const path = write('cloud.json', JSON.stringify({ instances: { 'gce://p/z/a': {} } }))
    const flags = {
      'cidr-allocator-type': 'IPAMFromCluster',
      'cluster-cidr': '10.8.0.0/16',
      'cloud-provider': 'file',
      'cloud-config': path,
    }
    expect(await blockOf(flags)).toBe('10.8.0.0/24')
    expect(JSON.parse(readFileSync(path, 'utf8')).instances['gce://p/z/a']).toEqual({ aliasRanges: ['10.8.0.0/24'] })
  })

  it.each([
    [{}, 'no cloud is configured: set --cloud-provider to gce or file'],
    [{ cloudProvider: 'aws' }, 'unknown --cloud-provider aws; supported: gce, file'],
    [{ cloudProvider: 'file' }, '--cloud-provider file requires --cloud-config FILE'],
    [{ cloudProvider: 'gce', cloudConfig: '/nowhere/gce.conf' }, '--cloud-config /nowhere/gce.conf cannot be read'],
  ])('controllers report a missing setting with the flags %j', async (settings, message) => {
    const answer = answerWithCloud({ settings, clock: new VirtualClock(0), random }, noAnswer)
    const request = { kind: 'cloud', request: { kind: 'alias-ranges', providerId: 'gce://p/z/a' } } as const
    expect(await answer({ id: 1, deadlineAt: 0, request }, 'node-ipam-controller')).toEqual({ kind: 'failed', message })
    const other = { kind: 'read', call: { verb: 'get', resource: 'nodes', name: 'a' } } as const
    expect(await answer({ id: 2, deadlineAt: 0, request: other }, 'x')).toEqual({ kind: 'skipped' })
  })
})
