import { describe, expect, it } from 'vitest'
import { clusterObjects, takenAtMs } from '../../../bench/workloads/large-cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { noImpact } from '../report/impact.ts'
import { randomCluster } from '../run/random-cluster.fixture.ts'
import { budget, deployment, dumpOf, node } from '../run/story.fixture.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { PartialClusters } from './partial-cluster.ts'
import { casesByLabel, likeFirst, SurvivalRuns, worstFirst } from './survival.ts'

async function runsOn(
  objects: readonly object[],
  isWhole = false,
): Promise<{ runs: SurvivalRuns; nodes: readonly Node[] }> {
  const { items } = (await dumpOf(objects)) as { items: readonly KubeObject[] }
  const found = findCluster({ objects: items })
  const runs = new SurvivalRuns(
    {
      title: '',
      settings: defaultSettings,
      hollow: { stages: packs.forecast },
      found: found.cluster,
      create: [],
      untilMs: 1_800_000,
      without: found.without,
      isWhole,
    },
    '1',
  )
  return { runs, nodes: found.cluster.store.list('nodes') as readonly Node[] }
}

const cases = (nodes: readonly Node[]) => nodes.map(({ metadata }) => ({ name: metadata.name, nodes: [metadata.name] }))

describe('the failure of a single node', () => {
  it.each(Array.from({ length: 12 }, (_, at) => `seed-${at}`))(
    'the failure of a single node has the same verdict on the affected part of the cluster as on the whole cluster: %s',
    async (seed) => {
      const objects = randomCluster(seed)
      const part = await runsOn(objects)
      const whole = await runsOn(objects, true)
      for (const failure of cases(part.nodes)) {
        const { like: _, reason: __, ...row } = part.runs.play(failure)
        const { reason: ___, ...expected } = whole.runs.play(failure)
        expect(row).toEqual(expected)
      }
    },
  )

  it('nodes that are equal except for the names of their workloads have the same signature', async () => {
    const nodes = Array.from({ length: 12 }, (_, at) => node(`n${at}`))
    const apps = Array.from({ length: 12 }, (_, at) => deployment(`app-${at}`, 2))
    const { items } = (await dumpOf([...nodes, ...apps, deployment('db', 1, { on: 'n3' })])) as {
      items: readonly KubeObject[]
    }
    const parts = new PartialClusters(findCluster({ objects: items }).cluster, { renewMs: 10_000, monitorMs: 5_000 })
    const signatures = nodes.map((_, at) => parts.signatureOf(`n${at}`))
    const counts = new Map<string, number>()
    for (const each of signatures) if (each !== undefined) counts.set(each, (counts.get(each) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBeGreaterThan(1)
    expect(counts.get(signatures[3] ?? '')).toBe(1)
  })

  it('the failures of nodes with the same signature have the same result', async () => {
    const objects = [...clusterObjects(36, 180)]
    const { cluster, without } = findCluster({ objects, takenAtMs })
    const plan = { title: '', settings: defaultSettings, hollow: { stages: packs.forecast }, create: [], without }
    const runs = new SurvivalRuns({ ...plan, found: cluster, untilMs: 900_000 }, '1')
    const all = cases(cluster.store.list('nodes') as readonly Node[])
    const played: string[] = []
    const rows = await likeFirst(runs, all, async (chosen) => {
      played.push(...chosen.map(({ name }) => name))
      return chosen.map((failure) => runs.play(failure))
    })
    const alike = rows.filter(({ like }) => like !== undefined)
    expect(alike.length).toBeGreaterThan(10)
    expect(played.length + alike.length).toBe(36)
    for (const { like: _, ...row } of alike) expect(row).toEqual(runs.play({ name: row.failure, nodes: [row.failure] }))
  })

  it('a node has no signature if one of its pods may not fit elsewhere', async () => {
    const objects = [node('a'), node('b'), deployment('web', 2, { cpu: '2500m' })]
    const { items } = (await dumpOf(objects)) as { items: readonly KubeObject[] }
    const parts = new PartialClusters(findCluster({ objects: items }).cluster, { renewMs: 10_000, monitorMs: 5_000 })
    expect(['a', 'b'].map((name) => parts.signatureOf(name))).toEqual([undefined, undefined])
  })
})

describe('the survivability table', () => {
  it('lists a node with the only pod of a budget first, and names the budget', async () => {
    const { runs, nodes } = await runsOn([
      ...['a', 'b', 'c'].map((name) => node(name)),
      deployment('db', 1, { on: 'b' }),
      budget('db', 1),
      deployment('web', 3),
    ])
    const [worst] = worstFirst(cases(nodes).map((failure) => runs.play(failure)))
    expect(worst).toMatchObject({ failure: 'b', verdict: 'UNSAFE', belowBudget: ['default/db'], nodes: 1 })
  })

  it('does not report a StatefulSet as recovered if its pod stays Terminating', async () => {
    const selector = { matchLabels: { app: 'db' } }
    const spec = (deployment('db', 2) as { spec: object }).spec
    const { runs, nodes } = await runsOn([
      ...['a', 'b', 'c'].map((name) => node(name)),
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db', namespace: 'default' },
        spec: { ...spec, serviceName: 'db', selector },
      },
    ])
    const [worst] = worstFirst(cases(nodes).map((failure) => runs.play(failure)))
    expect(worst).toMatchObject({ verdict: 'UNSAFE', reason: expect.stringContaining('stays Terminating'), stuck: 1 })
    expect(worst).not.toHaveProperty('recovered')
  })

  it('fails all nodes of a zone together', async () => {
    const { runs, nodes } = await runsOn([
      node('a1', { zone: 'zone-a' }),
      node('a2', { zone: 'zone-a' }),
      node('b1', { zone: 'zone-b' }),
      deployment('web', 4, { cpu: '1500m' }),
    ])
    const zones = casesByLabel(nodes, 'topology.kubernetes.io/zone')
    expect(zones.map(({ name, nodes: names }) => [name, names.length])).toEqual([
      ['zone-a', 2],
      ['zone-b', 1],
    ])
    const [zoneA] = zones
    expect(runs.play(zoneA ?? { name: '', nodes: [] }).caused.podsPending).toBeGreaterThan(0)
  })

  it('compares a failure with the run without a failure on another thread', async () => {
    const objects = [
      ...['a1', 'a2'].map((name) => node(name, { zone: 'zone-a' })),
      node('b1', { zone: 'zone-b' }),
      deployment('web', 4, { cpu: '1500m' }),
      budget('web', 4),
      deployment('large', 2, { cpu: '50' }),
    ]
    const { runs, nodes } = await runsOn(objects)
    const elsewhere = await runsOn(objects)
    const [zone] = casesByLabel(nodes, 'topology.kubernetes.io/zone')
    const facts = elsewhere.runs.withoutFailure()
    expect(facts.workloads.size).toBe(2)
    const row = await runs.playBeside(Promise.resolve(structuredClone(facts)), zone ?? { name: '', nodes: [] })
    expect(row).toEqual(elsewhere.runs.play(zone ?? { name: '', nodes: [] }))
    // This differs from a comparison with a cluster in which nothing happens.
    const none = {
      impact: noImpact,
      created: new Map(),
      budgets: new Map([['default/web', 1_800_000]]),
      workloads: new Map(),
    }
    const other = await runs.playBeside(Promise.resolve(none), zone ?? { name: '', nodes: [] })
    expect(other.reason).not.toBe(row.reason)
  })
})
