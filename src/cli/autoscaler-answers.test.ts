import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../base/result.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { readScenario } from '../whatif/scenario/scenario.ts'
import { planOfScenario } from '../whatif/scenario/scenario-plan.ts'
import { runBerth } from './run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-karpenter-'))
afterAll(() => rmSync(folder, { recursive: true }))

const capacityType = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }
const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-a'] }
const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }

/** One node of Karpenter with one pod. */
const scenario = {
  apiVersion: 'berth.dev/v1alpha1',
  kind: 'Scenario',
  autoscaling: {
    karpenter: {
      instanceTypes: [
        {
          name: 'small',
          resources: { cpu: '2', memory: '8Gi' },
          offerings: [{ Price: 0.1, Requirements: [capacityType, zone] }],
        },
      ],
    },
  },
  cluster: [
    { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' }, spec: {} },
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'pool' },
      spec: {
        template: { spec: { nodeClassRef, requirements: [capacityType] } },
        disruption: { consolidateAfter: '10s' },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'a', resources: { requests: { cpu: '1' } } }] },
    },
  ],
  steps: [],
  until: '5m',
}

let node = ''
beforeAll(async () => {
  const { plan } = planOfScenario(must(await readScenario(scenario, async () => [])))
  const { store } = ForecastRun.start(plan).finish().cluster
  const items = store.resources().flatMap((resource) => store.list(resource))
  node = store.list('nodes')[0]?.metadata.name ?? ''
  writeFileSync(join(folder, 'dump.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const nodes = items.filter(({ kind }) => kind === 'Node')
  writeFileSync(join(folder, 'nodes.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: nodes }))
})

const berth = (words: string) => runBerth(words, { cwd: folder })

describe('decisions of Karpenter about the nodes of a dump', () => {
  it('lists the nodes with the decision of Karpenter and its reason', async () => {
    const { code, out } = await berth('whatif consolidate --from dump.json -o wide')
    expect(code).toBe(0)
    expect(out).toContain('Karpenter removes none of 1 node now.')
    expect(out).toMatch(/^NODE +NODEPOOL +TYPE/m)
    expect(out).toMatch(new RegExp(`^${node} +pool +small +zone-a +on-demand +keep`, 'm'))
  })

  it('explains the decision of Karpenter about one node', async () => {
    const { code, out } = await berth(`explain node ${node} --from dump.json`)
    expect(code).toBe(0)
    expect(out).toContain(`Karpenter keeps node ${node}: `)
  })

  it('reports that a dump has no NodePools', async () => {
    const { code, err } = await berth('whatif consolidate --from nodes.json')
    expect(code).toBe(2)
    expect(err).toContain(
      'the cluster has neither NodePools nor node groups; include them: kubectl get nodepools,nodeclaims,',
    )
  })
})
