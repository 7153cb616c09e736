import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import type { Forecast } from '../report/forecast.ts'
import { forecast } from './forecast.ts'
import { budget, deployment, node, pod } from './story.fixture.ts'

const nodes = ['a1', 'a2', 'a3', 'a4']

async function upgraded(upgrade: object, more: readonly object[] = [], until = '5h'): Promise<Forecast> {
  const cluster = [...nodes.map((name) => node(name)), deployment('web', 4), ...more]
  return must(await forecast({ cluster: cluster as never, steps: [{ at: '10s', upgrade }], until }))
}

const all = { nodes }

/** The number of existing and of schedulable nodes after each change. */
function capacities({ timeline }: Forecast): readonly { readonly schedulable: number; readonly total: number }[] {
  const cordoned = new Set<string>()
  const existing = new Set(nodes.map((name) => `node/${name}`))
  return timeline.flatMap(({ what, object }) => {
    if (!object.startsWith('node/')) return []
    if (what === 'cordoned') cordoned.add(object)
    else if (what === 'uncordoned') cordoned.delete(object)
    else if (what === 'created') existing.add(object)
    else if (what === 'deleted') existing.delete(object)
    else return []
    return [{ total: existing.size, schedulable: [...existing].filter((name) => !cordoned.has(name)).length }]
  })
}

const least = (forecastOf: Forecast) => Math.min(...capacities(forecastOf).map(({ schedulable }) => schedulable))
const most = (forecastOf: Forecast) => Math.max(...capacities(forecastOf).map(({ total }) => total))

describe('an upgrade of nodes', () => {
  it('replaces one node after the other by default', async () => {
    const result = await upgraded(all)
    expect(result.upgrade).toMatchObject({ state: 'done', nodes: 4, upgraded: 4, mostExtra: 0 })
    expect({ least: least(result), most: most(result) }).toEqual({ least: 3, most: 4 })
    expect(result.verdict).toBe('SAFE')
    expect(result.nodes.filter(({ state }) => state === 'added').map(({ node: name }) => name)).toEqual(
      nodes.map((name) => `${name}-next`),
    )
  })

  it.each([
    [
      'never goes below the size of the pool with maxSurge 1 and maxUnavailable 0',
      { maxSurge: 1, maxUnavailable: 0 },
      { least: 4, most: 5 },
    ],
    ['drains as many nodes at once as maxUnavailable allows', { maxUnavailable: 2 }, { least: 2, most: 4 }],
    ['rounds a percentage of surge up', { maxSurge: '30%', maxUnavailable: 0 }, { least: 4, most: 6 }],
    ['creates all new nodes first with blue-green', { blueGreen: true }, { least: 4, most: 8 }],
    ['keeps the nodes with an upgrade in place', { inPlace: true }, { least: 3, most: 4 }],
  ])('an upgrade of nodes %s', async (_name, strategy, expected) => {
    const result = await upgraded({ ...all, ...strategy })
    expect(result.upgrade?.state).toBe('done')
    expect({ least: least(result), most: most(result) }).toEqual(expected)
  })

  it('an upgrade of nodes waits forever for a disruption budget, and cordons only the node that is being drained', async () => {
    const result = await upgraded(all, [deployment('db', 1), budget('db', 1)])
    expect(result.verdict).toBe('BLOCKED')
    expect(result.reason).toMatch(
      /^\d of 4 nodes are not upgraded: blocked at a\d by the disruption budget default\/db$/,
    )
    expect(result.nodes.filter(({ isCordoned }) => isCordoned)).toHaveLength(1)
    expect(result.upgrade?.stoppedAt).toBe(result.nodes.find(({ isCordoned }) => isCordoned)?.node)
  })

  it('an upgrade of nodes fails at the drain timeout', async () => {
    const result = await upgraded({ ...all, drainTimeout: '15m' }, [deployment('db', 1), budget('db', 1)])
    expect(result.upgrade?.state).toBe('failed')
    expect(result.reason).toMatch(
      /^\d of 4 nodes are not upgraded: it fails at a\d by the disruption budget default\/db$/,
    )
  })

  it('deletes the remaining pods after force-after, and is UNSAFE', async () => {
    const result = await upgraded({ ...all, forceAfter: '15m' }, [deployment('db', 1), budget('db', 1)])
    expect(result.upgrade).toMatchObject({ state: 'done', upgraded: 4 })
    expect(result.upgrade?.forced.length).toBeGreaterThan(0)
    expect(result.verdict).toBe('UNSAFE')
    expect(result.reason).toMatch(
      /^pods on (a\d(-next)?|\d nodes) are deleted at the drain timeout despite the disruption budget default\/db$/,
    )
    expect(result.answer.lines.at(-1)).toBe(
      'To do: add a replica, or allow one more unavailable pod in the budget default/db.',
    )
  })

  it('an upgrade is not UNSAFE if pods only take longer to end than the drain timeout', async () => {
    const slow = pod('slow', { on: 'a1', grace: 1_200 })
    const result = await upgraded({ ...all, preset: 'cluster-api', forceAfter: '15m' }, [slow])
    expect(result.upgrade).toMatchObject({ state: 'done', forced: [], overridden: [] })
  })

  it('skips a blocked node and continues with skip', async () => {
    const step = { ...all, drainTimeout: '5m', onTimeout: 'skip' }
    const result = await upgraded(step, [deployment('db', 1, { on: 'a2' }), budget('db', 1)])
    expect(result.upgrade).toMatchObject({ state: 'done', upgraded: 3, skipped: ['a2'] })
    expect(result.verdict).toBe('BLOCKED')
  })

  it('upgrades the pools of a label one after the other', async () => {
    const labeled = (name: string, pool: string) => {
      const { metadata, ...rest } = node(name) as { metadata: { labels: object } }
      return { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, pool } } }
    }
    const names = { nodes: ['b1', 'b2', 'c1', 'c2'] }
    const result = await upgraded({ ...names, maxUnavailable: 2, poolLabel: 'pool' }, [
      labeled('b1', 'y'),
      labeled('b2', 'x'),
      labeled('c1', 'y'),
      labeled('c2', 'x'),
    ])
    expect(result.drains?.drained.map(({ node: name }) => name)).toEqual(['b2', 'c2', 'b1', 'c1'])
  })

  it('an upgrade of nodes is not a loop, although it moves the same workloads often', async () => {
    const result = await upgraded({ ...all, soak: '10m' })
    expect(result.loops).toEqual([])
  })

  it('drains a re-created StatefulSet pod again on the next node', async () => {
    const sets = ['s1', 's2', 's3', 's4'].map((name) => {
      const { spec, ...rest } = deployment(name, 1) as { spec: object }
      return { ...rest, kind: 'StatefulSet', spec: { ...spec, serviceName: name } }
    })
    const result = await upgraded(all, sets)
    expect(result.upgrade).toMatchObject({ state: 'done', upgraded: 4 })
  })
})

describe('the preset', () => {
  it('kubeadm refuses a node with a pod that no controller manages, as kubectl drain does', async () => {
    const result = await upgraded({ ...all, preset: 'kubeadm' }, [pod('alone', { on: 'a1' })])
    expect(result.reason).toContain('at a1 by default/alone: declares no controller')
  })

  it('cluster-api evicts a pod that no controller manages', async () => {
    const result = await upgraded({ ...all, preset: 'cluster-api' }, [pod('alone', { on: 'a1' })])
    expect(result.upgrade?.state).toBe('done')
  })

  it('eks adds two nodes per zone first, cordons all old nodes, and fails after 15 minutes', async () => {
    const result = await upgraded({ ...all, preset: 'eks' }, [deployment('db', 1), budget('db', 1)])
    const at = (what: string) =>
      result.timeline.findIndex((line) => line.what === what && line.object.startsWith('node/'))
    expect(at('created')).toBeGreaterThan(at('cordoned'))
    expect(result.upgrade).toMatchObject({ state: 'failed', mostExtra: 2 })
    const cordoned = result.timeline.filter(({ what }) => what === 'cordoned')
    expect(cordoned.map(({ object }) => object)).toEqual(nodes.map((name) => `node/${name}`))
  })

  it('gke respects disruption budgets for an hour', async () => {
    const result = await upgraded({ ...all, preset: 'gke' }, [deployment('db', 1), budget('db', 1)])
    expect(result.upgrade).toMatchObject({ state: 'done', mostExtra: 1 })
    const [forced = ''] = result.upgrade?.forced ?? []
    const drain = result.drains?.drained.find(({ node: name }) => name === forced)
    expect((drain?.until ?? 0) - (drain?.from ?? 0)).toBeCloseTo(3602, 0)
  })

  it('aks uncordons the node that it could not drain within 30 minutes', async () => {
    const result = await upgraded({ ...all, preset: 'aks' }, [deployment('db', 1), budget('db', 1)])
    expect(result.upgrade?.state).toBe('failed')
    expect(result.nodes.filter(({ isCordoned }) => isCordoned)).toEqual([])
  })

  it('karpenter upgrades the other nodes first, and does not start with a node whose pod cannot be evicted', async () => {
    const result = await upgraded({ ...all, preset: 'karpenter' }, [deployment('db', 1, { on: 'a1' }), budget('db', 1)])
    expect(result.upgrade).toMatchObject({ state: 'blocked', upgraded: 3, stoppedAt: 'a1' })
    expect(result.nodes.find(({ node: name }) => name === 'a1')?.isCordoned).toBe(false)
    // The time counts from the first attempt, when the first new node was ready, and not from the last attempt.
    expect(result.drains?.blocked).toMatchObject([
      { node: 'a1', workload: 'Deployment/db', since: expect.closeTo(70, 0) },
    ])
  })
})
