import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readScenario } from './scenario.ts'
import { scenarioSchema } from './scenario-schema.ts'

const base = { apiVersion: 'berth.dev/v1alpha1', kind: 'Scenario', until: '1m' }
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [] } }
const files: Readonly<Record<string, readonly object[]>> = { 'pods.yaml': [pod] }
const read = (document: unknown) =>
  readScenario(document, async (file) => {
    const found = files[file]
    if (found === undefined) throw new Error(`no file ${file}`)
    return found as never
  })
const root = join(import.meta.dirname, '../../..')

/** Implements the part of JSON Schema that the test needs. */
function accepts(schema: unknown, value: unknown): boolean {
  const rules = schema as Record<string, unknown>
  const { $ref: ref } = rules as { $ref?: string }
  if (ref !== undefined) {
    return accepts((scenarioSchema['$defs'] as Record<string, unknown>)[ref.replace('#/$defs/', '')], value)
  }
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const isType = (type: unknown) =>
    type === 'array'
      ? Array.isArray(value)
      : type === 'object'
        ? typeof value === 'object' && value !== null && !Array.isArray(value)
        : type === 'integer'
          ? Number.isInteger(value)
          : typeof value === type
  const listed = (key: string) => rules[key] as readonly unknown[] | undefined
  const properties = (rules['properties'] ?? {}) as Record<string, unknown>
  return [
    rules['type'] === undefined || isType(rules['type']),
    rules['const'] === undefined || rules['const'] === value,
    listed('enum')?.includes(value) ?? true,
    rules['pattern'] === undefined || (typeof value === 'string' && new RegExp(String(rules['pattern'])).test(value)),
    rules['minLength'] === undefined || (typeof value === 'string' && value.length >= Number(rules['minLength'])),
    rules['minimum'] === undefined || Number(value) >= Number(rules['minimum']),
    rules['minItems'] === undefined || (value as readonly unknown[]).length >= Number(rules['minItems']),
    (rules['required'] as readonly string[] | undefined)?.every((name) => fields[name] !== undefined) ?? true,
    rules['additionalProperties'] !== false || Object.keys(fields).every((name) => name in properties),
    Object.entries(properties).every(([name, rule]) => fields[name] === undefined || accepts(rule, fields[name])),
    !Array.isArray(value) || rules['items'] === undefined || value.every((item) => accepts(rules['items'], item)),
    (listed('oneOf')?.filter((rule) => accepts(rule, value)).length ?? 1) === 1,
    listed('anyOf')?.some((rule) => accepts(rule, value)) ?? true,
  ].every(Boolean)
}

describe('a scenario', () => {
  it('reads all parts of a scenario', async () => {
    const scenario = await read({
      ...base,
      metadata: { name: 'all' },
      config: { 'node-monitor-period': '1s', 'node-eviction-rate': 0.5 },
      hollow: { leaseRenewInterval: '1s', pack: 'realistic' },
      cluster: [pod, 'pods.yaml'],
      steps: [
        { at: '20s', silence: { nodes: ['a1'] } },
        { at: '5s', taint: { selector: 'pool=x', taint: 'gone=yes:NoExecute' } },
        { at: '5s', delete: 'pod/web' },
      ],
      expect: { noPodPending: { after: '30s', selector: 'app=web' }, pdbNeverViolated: true },
    })
    expect(scenario.ok && scenario.value).toMatchObject({
      name: 'all',
      settings: { nodeLifecycle: { nodeMonitorPeriodMs: 1000, nodeEvictionRate: 0.5 } },
      hollow: { leaseRenewIntervalMs: 1000 },
      cluster: [pod, pod],
      steps: [
        { atMs: 5000, step: { kind: 'taint', taint: { key: 'gone', value: 'yes', effect: 'NoExecute' } } },
        { atMs: 5000, step: { kind: 'delete', targets: [{ kind: 'pod', name: 'web' }] } },
        { atMs: 20000, path: 'steps[0]', step: { kind: 'silence', nodes: { kind: 'names', names: ['a1'] } } },
      ],
      untilMs: 60_000,
      expect: [{ kind: 'noPodPending', afterMs: 30_000 }, { kind: 'pdbNeverViolated' }],
    })
  })

  const good: readonly (readonly [string, object])[] = [
    ['only the end time', {}],
    ['a file as cluster', { cluster: 'pods.yaml' }],
    ['a silent zone', { steps: [{ at: '0', silence: { zone: 'a' } }] }],
    [
      'a rack failure with recovery',
      {
        steps: [
          { at: '1s', fail: { rack: 'r' } },
          { at: '9s', recover: { rack: 'r' } },
        ],
      },
    ],
    [
      'a cordon and an uncordon',
      {
        steps: [
          { at: '1s', cordon: { node: 'a' } },
          { at: '2s', uncordon: { node: 'a' } },
        ],
      },
    ],
    ['an untaint by key', { steps: [{ at: '1s', untaint: { node: 'a', taint: 'k' } }] }],
    ['an apply of a list', { steps: [{ at: '1s', apply: [pod] }] }],
    ['a delete with a grace period', { steps: [{ at: '1s', delete: { target: 'pod/a/b', gracePeriodSeconds: 0 } }] }],
    ['several deletes', { steps: [{ at: '1s', delete: ['pod/a/b', 'node/x'] }] }],
    ['a patch', { steps: [{ at: '1s', patch: { target: 'node/a', patch: { metadata: {} }, type: 'merge' } }] }],
    ['a scale', { steps: [{ at: '1s', scale: { target: 'deployment/a/b', replicas: 0 } }] }],
    ['a drain', { steps: [{ at: '1s', drain: { nodes: ['a', 'b'], oneByOne: true } }] }],
    ['pressure', { steps: [{ at: '1s', pressure: { node: 'a', pressures: ['memory'] } }] }],
    ['a restart', { steps: [{ at: '1s', restart: { controller: 'scheduler' } }] }],
    ['expectations as a list', { expect: ['pdbNeverViolated', { allRunningWithin: '5m' }, { maxUnavailable: 2 }] }],
    [
      'expectations as objects',
      {
        expect: {
          noPodDeleted: { namespace: 'x' },
          maxEvictionsPerMinute: 3,
          settlesWithin: '1h',
          maxUnavailable: { max: 1, selector: 'a=b' },
          allRunningWithin: { within: '1m' },
        },
      },
    ],
  ]

  it.each(good)('readScenario accepts %s, as the schema does', async (_name, more) => {
    expect(await read({ ...base, ...more })).toMatchObject({ ok: true })
    expect(accepts(scenarioSchema, { ...base, ...more })).toBe(true)
  })

  const bad: readonly (readonly [object, string])[] = [
    [{ kind: 'Pod' }, 'kind: must be one of Scenario, not "Pod"'],
    [{ apiVersion: 'v1' }, 'apiVersion: must be one of berth.dev/v1alpha1, not "v1"'],
    [{ until: undefined }, 'until: required; must be a duration such as 30s or 1h15m'],
    [{ until: '5' }, 'until: must be a duration such as 30s or 1h15m, not "5"'],
    [{ untill: '5m' }, 'untill: unknown field; did you mean until?'],
    [
      { config: { 'node-monitor-perod': '1s' } },
      'config.node-monitor-perod: unknown field; did you mean node-monitor-period?',
    ],
    [{ hollow: { pack: 'slow' } }, 'hollow.pack: must be one of fast, realistic, chaos, forecast, not "slow"'],
    [
      { hollow: { leaseRenewInterval: 3 } },
      'hollow.leaseRenewInterval: must be a duration such as 30s or 1h15m, not 3',
    ],
    [{ cluster: [{ kind: 'Pod' }] }, 'cluster[0].apiVersion: required; must be a string such as v1'],
    [
      { cluster: [pod, { apiVersion: 'v1', kind: 'Pod', metadata: 1 }] },
      'cluster[1].metadata: must be an object, not 1',
    ],
    [{ steps: {} }, 'steps: must be a list, not an object'],
    [
      { steps: [{ at: '1s' }] },
      'steps[0]: must have exactly one of silence, revive, taint, untaint, cordon, uncordon, apply, delete, patch, scale, fail, recover, drain, upgrade, pressure, restart, remove, pause, outage, clock, stockOut, interrupt; found none',
    ],
    [
      { steps: [{ at: '1s', cordon: { node: 'a' }, revive: { node: 'a' } }] },
      'steps[0]: must have exactly one of silence, revive, taint, untaint, cordon, uncordon, apply, delete, patch, scale, fail, recover, drain, upgrade, pressure, restart, remove, pause, outage, clock, stockOut, interrupt; found revive and cordon',
    ],
    [{ steps: [{ silence: { node: 'a' } }] }, 'steps[0].at: required; must be a duration such as 30s or 1h15m'],
    [
      { steps: [{ at: '1s', silence: {} }] },
      'steps[0].silence: must have exactly one of node, nodes, zone, region, rack, selector',
    ],
    [{ steps: [{ at: '1s', silence: { nodes: [] } }] }, 'steps[0].silence.nodes: must have at least one node'],
    [{ steps: [{ at: '1s', silense: { node: 'a' } }] }, 'steps[0].silense: unknown field; did you mean silence?'],
    [
      { steps: [{ at: '1s', delete: 'web' }] },
      'steps[0].delete: must be a string such as pod/default/web-0 or node/a1, not "web"',
    ],
    [
      { steps: [{ at: '1s', scale: { target: 'deployment/web', replicas: -1 } }] },
      'steps[0].scale.replicas: must be an integer >= 0, not -1',
    ],
    [{ expect: { noPodPnding: true } }, 'expect.noPodPnding: unknown field; did you mean noPodPending?'],
    [{ expect: { settlesWithin: true } }, 'expect.settlesWithin: must be a duration such as 30s or 1h15m, not true'],
  ]

  it.each(bad)('readScenario refuses %j with the path of the field, as the schema does', async (more, message) => {
    expect(await read({ ...base, ...more })).toEqual({ ok: false, message })
    expect(accepts(scenarioSchema, { ...base, ...more })).toBe(false)
  })

  it.each([
    [
      { steps: [{ at: '1s', taint: { node: 'a', taint: 'x=y:Sometimes' } }] },
      'steps[0].taint.taint: invalid taint "x=y:Sometimes": invalid effect; expected KEY=VALUE:EFFECT or KEY:EFFECT with the effect NoSchedule, PreferNoSchedule or NoExecute',
    ],
    [{ steps: [{ at: '2m', cordon: { node: 'a' } }] }, 'steps[0].at: must not be later than until'],
    [{ config: { 'node-eviction-rate': -1 } }, 'config: node-eviction-rate: -1 is negative'],
  ])('readScenario refuses %j, which the schema cannot check', async (more, message) => {
    const result = await read({ ...base, ...more })
    expect(result.ok).toBe(false)
    expect(!result.ok && result.message).toContain(message)
  })

  it('accepts the scenarios of the recordings, as the schema does', async () => {
    for (const name of ['silent-node', 'user-taint', 'wake-pending']) {
      const document = JSON.parse(readFileSync(join(root, `test/traces/${name}.json`), 'utf8'))
      expect(await read(document)).toMatchObject({ ok: true })
      expect(accepts(scenarioSchema, document)).toBe(true)
    }
  })

  it('publishes the schema of the code as schema/scenario.schema.json', async () => {
    const schema = `${JSON.stringify(scenarioSchema, null, 2)}\n`
    await expect(schema).toMatchFileSnapshot(join(root, 'schema/scenario.schema.json'))
  })
})
