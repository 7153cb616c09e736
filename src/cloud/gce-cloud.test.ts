import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '../base/random.ts'
import { must } from '../base/result.ts'
import type { AliasCloud } from './contract.ts'
import { createGceCloud, type GceOptions } from './gce-cloud.ts'
import { type GceConfig, metadataTokenUrl, readGceConfig } from './gce-config.ts'
import { ComputeEngine, HastyClock } from './gce-server.fixture.ts'
import { parseProviderId } from './provider-id.ts'

const timeoutMs = 30_000
let engine: ComputeEngine
let config: GceConfig
let clock: HastyClock
let cloud: AliasCloud

function connect(more: Partial<GceOptions> = {}): AliasCloud {
  clock = new HastyClock(timeoutMs / 2)
  const random = createRandom('gce').stream('backoff')
  return createGceCloud({ config, clock, random, timeoutMs: timeoutMs, perSecond: 1000, ...more })
}

beforeEach(async () => {
  engine = new ComputeEngine()
  const url = await engine.start()
  config = { endpoint: `${url}v1/`, token: { kind: 'metadata', url: `${url}token` }, secondaryRange: 'pods' }
  cloud = connect()
})

afterEach(async () => {
  cloud.close()
  await engine.stop()
})

describe('alias ranges of Compute Engine', () => {
  it('reads the alias ranges of all interfaces, with one token for many requests', async () => {
    engine.add('a', '10.9.0.0/24', '10.9.1.0/24')
    engine.add('b')
    engine.instances.get('a')?.networkInterfaces.push({
      name: 'nic1',
      fingerprint: 'g',
      aliasIpRanges: [{ ipCidrRange: 'fd00::/64' }],
    })
    expect(await cloud.aliasRanges('gce://p/z/a')).toEqual({
      ok: true,
      value: ['10.9.0.0/24', '10.9.1.0/24', 'fd00::/64'],
    })
    expect(await cloud.aliasRanges('gce://p/z/b.c.p.internal')).toEqual({ ok: true, value: [] })
    expect(engine.tokensMade).toBe(1)
  })

  it('adds an alias range with the fingerprint of the interface, and waits for the operation', async () => {
    engine.add('a')
    engine.pollsNeeded = 3
    expect(await cloud.addAlias('gce://p/z/a', '10.9.0.0/24')).toEqual({ ok: true, value: undefined })
    expect(engine.aliasesOf('a')).toEqual(['10.9.0.0/24'])
    expect(engine.requests.slice(1)).toEqual([
      'GET /v1/projects/p/zones/z/instances/a',
      'PATCH /v1/projects/p/zones/z/instances/a/updateNetworkInterface?networkInterface=nic0',
      'GET /v1/projects/p/zones/z/operations/operation-1',
      'GET /v1/projects/p/zones/z/operations/operation-1',
      'GET /v1/projects/p/zones/z/operations/operation-1',
    ])
    expect(clock.waits.filter((ms) => ms === 1000)).toHaveLength(3)
    // The second call writes no change.
    await cloud.addAlias('gce://p/z/a', '10.9.0.0/24')
    expect(engine.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1)
  })

  it('adds an alias range to the current version of an interface that another client changed', async () => {
    engine.add('a')
    let races = 2
    engine.beforeChange = () => {
      const [nic] = engine.instances.get('a')?.networkInterfaces ?? []
      if (nic !== undefined && races-- > 0) nic.fingerprint = `other-${races}`
    }
    expect(await cloud.addAlias('gce://p/z/a', '10.9.0.0/24')).toEqual({ ok: true, value: undefined })
    expect(engine.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(3)
  })

  it.each([
    ['too many requests', { code: 429, reason: 'rateLimitExceeded', retryAfter: 7 }, 7000],
    ['a rate limit', { code: 403, reason: 'rateLimitExceeded' }, undefined],
    ['a rate limit of the user', { code: 403, reason: 'userRateLimitExceeded' }, undefined],
    ['an error of the backend', { code: 503, reason: 'backendError' }, undefined],
    ['an internal error', { code: 500, reason: 'internalError' }, undefined],
    ['a lost connection', 'hang up', undefined],
    ['a proxy', 'not JSON', undefined],
  ] as const)('retries reading alias ranges of Compute Engine after %s', async (_what, fault, waitMs) => {
    engine.add('a', '10.9.0.0/24')
    engine.faults.push(fault, fault)
    expect(await cloud.aliasRanges('gce://p/z/a')).toEqual({ ok: true, value: ['10.9.0.0/24'] })
    const pauses = clock.waits.filter((ms) => ms > 1)
    expect(pauses).toHaveLength(2)
    if (waitMs !== undefined) expect(pauses).toEqual([waitMs, waitMs])
    else expect((pauses[0] as number) >= 250 && (pauses[1] as number) >= 500).toBe(true)
  })

  it.each([
    ['not-found', { code: 404, reason: 'notFound' }, 1],
    ['denied', { code: 403, reason: 'forbidden' }, 1],
    ['exhausted', { code: 403, reason: 'quotaExceeded' }, 1],
    ['invalid', { code: 400, reason: 'invalid' }, 1],
    ['exhausted', { code: 429, reason: 'rateLimitExceeded' }, 5],
    ['unavailable', { code: 503, reason: 'backendError' }, 5],
  ] as const)(
    'reports alias ranges of Compute Engine as %s after %j, with %i attempts',
    async (trouble, fault, times) => {
      engine.faults.push(...new Array(9).fill(fault))
      const answer = await cloud.aliasRanges('gce://p/z/a')
      expect(answer).toEqual({ ok: false, trouble, message: `${fault.code} ${fault.reason}: injected by the test` })
      expect(engine.requests.filter((request) => request.includes('/instances/'))).toHaveLength(times)
    },
  )

  it('reports unknown instances and providers other than Compute Engine', async () => {
    expect(await cloud.aliasRanges('gce://p/z/unknown')).toMatchObject({ ok: false, trouble: 'not-found' })
    expect(await cloud.addAlias('gce://p/z/unknown', '10.9.0.0/24')).toMatchObject({ ok: false, trouble: 'not-found' })
    expect(await cloud.aliasRanges('aws:///eu/i-1')).toEqual({
      ok: false,
      trouble: 'invalid',
      message: 'error splitting providerID "aws:///eu/i-1"',
    })
    engine.add('bare')
    engine.instances.set('bare', { name: 'bare', zone: 'z', networkInterfaces: [] })
    expect(await cloud.addAlias('gce://p/z/bare', '10.9.0.0/24')).toMatchObject({
      message: 'instance "gce://p/z/bare" has no network interfaces',
    })
  })

  it('reports the error of a failed operation of Compute Engine', async () => {
    engine.add('a')
    engine.pollsNeeded = 1
    engine.operationError = { code: 'IP_SPACE_EXHAUSTED', message: 'no space left', status: 400 }
    expect(await cloud.addAlias('gce://p/z/a', '10.9.0.0/24')).toEqual({
      ok: false,
      trouble: 'invalid',
      message: '400 IP_SPACE_EXHAUSTED: no space left',
    })
    expect(engine.aliasesOf('a')).toEqual([])
  })

  it('requests a new token when Compute Engine refuses the old token', async () => {
    engine.add('a', '10.9.0.0/24')
    await cloud.aliasRanges('gce://p/z/a')
    engine.token = 'token-2'
    expect(await cloud.aliasRanges('gce://p/z/a')).toEqual({ ok: true, value: ['10.9.0.0/24'] })
    expect(engine.tokensMade).toBe(2)
  })

  it('reports Compute Engine as unavailable without a token', async () => {
    config = { ...config, token: { kind: 'metadata', url: `${config.endpoint}nothing` } }
    cloud = connect({ tries: 2 })
    const answer = await cloud.aliasRanges('gce://p/z/a')
    expect(answer).toMatchObject({ ok: false, trouble: 'unavailable' })
    expect(!answer.ok && answer.message).toContain('no access token')
  })

  it('reports Compute Engine as unavailable when no answer arrives in time', async () => {
    const patient = new HastyClock(Number.POSITIVE_INFINITY)
    cloud = createGceCloud({ config, clock: patient, random: createRandom('x').stream('y'), tries: 2 })
    expect(await cloud.aliasRanges('gce://p/z/a')).toEqual({
      ok: false,
      trouble: 'unavailable',
      message: 'no access token: no answer in time',
    })
  })

  it('limits the rate of requests to Compute Engine', async () => {
    cloud = connect({ perSecond: 5 })
    for (const name of ['a', 'b', 'c', 'd']) engine.add(name)
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => cloud.aliasRanges(`gce://p/z/${name}`)))
    expect(clock.now()).toBeGreaterThanOrEqual(600)
  })
})

describe('the configuration of Compute Engine', () => {
  it('reads a gce.conf', () => {
    const text = [
      '; made by a script',
      '[global]',
      'project-id = my-project',
      'token-url = "https://tokens.example.com/x"',
      'token-body = "{\\"a\\":1}"',
      'secondary-range-name=pods',
      'api-endpoint = https://example.com/compute/v1',
      'node-tags = a',
      '[other "x"]',
      'project-id = wrong',
    ].join('\n')
    expect(must(readGceConfig(text))).toEqual({
      project: 'my-project',
      endpoint: 'https://example.com/compute/v1/',
      secondaryRange: 'pods',
      token: { kind: 'url', url: 'https://tokens.example.com/x', body: '{"a":1}' },
    })
  })

  it.each([
    ['', { kind: 'metadata', url: metadataTokenUrl }],
    ['[global]\ntoken-url = nil', { kind: 'none' }],
  ])('reads from the gce.conf %j where the token comes from', (text, token) => {
    expect(must(readGceConfig(text)).token).toEqual(token)
  })

  it.each([
    ['[global]\nwhat is this', 'line 2: "what is this" is neither [section] nor name = value'],
    ['[global]\napi-endpoint = nowhere', 'api-endpoint: "nowhere" is not a URL'],
  ])('refuses the gce.conf %j', (text, message) => {
    expect(readGceConfig(text)).toEqual({ ok: false, message })
  })
})

it.each([
  ['gce://p/z/n', { project: 'p', zone: 'z', name: 'n' }],
  ['gce://p/z/n.c.p.internal', { project: 'p', zone: 'z', name: 'n' }],
  ['gce://p/n', undefined],
  ['', undefined],
])('parses the providerID %j', (text, instance) => {
  expect(parseProviderId(text)).toEqual(instance)
})
