import { describe, expect, it } from 'vitest'
import { karpenterObjects, karpenterOf } from '../../../bench/workloads/karpenter-cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { karpenterDefinitions } from '../../autoscalers/karpenter/definitions.ts'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../run/forecast-run.ts'
import { findKarpenter } from '../scenario/found-karpenter.ts'
import { readScenario } from '../scenario/scenario.ts'
import { planOfScenario } from '../scenario/scenario-plan.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { createRedactor } from '../snapshot/redaction.ts'
import { trimObject } from '../snapshot/trimming.ts'
import { explainDisruption } from './explain-disruption.ts'

const offering = (price: number) => ({
  Price: price,
  Requirements: [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-a'] },
  ],
})

const type = (name: string, cpu: number, price: number) => ({
  name,
  resources: { cpu: String(cpu), memory: `${4 * cpu}Gi` },
  offerings: [offering(price)],
})

const instanceTypes = [type('small', 2, 0.1), type('large', 8, 0.4)]

const pod = (name: string, cpu: string, annotations = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', annotations },
  spec: { containers: [{ name: 'c', image: 'a', resources: { requests: { cpu } } }] },
})

/** A cluster with one large node, on which only the small pod remains. */
async function clusterWith(annotations: object, saved: (object: KubeObject) => KubeObject = (object) => object) {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: { karpenter: { instanceTypes } },
    cluster: [
      {
        apiVersion: 'karpenter.kwok.sh/v1alpha1',
        kind: 'KWOKNodeClass',
        metadata: { name: 'default' },
        spec: { nodeRegistrationDelay: '3s' },
      },
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'a' },
        spec: {
          template: {
            spec: {
              nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
              requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
            },
          },
          disruption: { consolidateAfter: '10s', budgets: [{ nodes: '100%' }] },
        },
      },
      pod('large', '5'),
      pod('small', '1', annotations),
    ],
    steps: [{ at: '60s', delete: 'pod/large' }],
    // Consolidation is possible, but has not been carried out yet.
    until: '76s',
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  const { cluster } = ForecastRun.start(plan).finish()
  const objects = cluster.store.resources().flatMap((resource) => cluster.store.list(resource))
  return findCluster({ objects: objects.map(saved), takenAtMs: cluster.clock.now() })
}

describe('what Karpenter would do with the nodes of a cluster', () => {
  const redact = createRedactor('salt')
  it.each<[string, (object: KubeObject) => KubeObject]>([
    ['a dump', (object) => object],
    ['a snapshot', trimObject],
    ['a redacted snapshot', (object) => redact(trimObject(object))],
  ])('Karpenter replaces an underutilized node of %s if a catalog has a cheaper type', async (_name, saved) => {
    const { cluster } = await clusterWith({}, saved)
    const document = {
      apiVersion: 'berth.dev/v1alpha1',
      kind: 'Scenario',
      autoscaling: { karpenter: { instanceTypes } },
    }
    const scenario = must(await readScenario({ ...document, cluster: [], steps: [], until: '1s' }, async () => []))
    const given = scenario.autoscaling?.karpenter
    const { removals, nodes } = explainDisruption(cluster, findKarpenter(cluster, given)?.karpenter as never)
    expect(removals).toMatchObject([
      { reason: 'Underutilized', replacement: ['small'], savingsPerHour: expect.closeTo(0.3) },
    ])
    expect(nodes.map(({ type: each, decision }) => [each, decision])).toEqual([['large', 'replace']])
  })

  it('keeps the node if prices are unknown, and reports this', async () => {
    const { cluster } = await clusterWith({})
    const found = findKarpenter(cluster)
    expect(found?.notes[0]?.text).toMatch(/^Karpenter acts with the 1 instance types of the nodes.*prices are unknown/)
    const { removals, nodes } = explainDisruption(cluster, found?.karpenter as never)
    expect(removals).toEqual([])
    expect(nodes[0]?.reason).toBe("Can't replace with a cheaper node")
  })

  it('names the pod that must not be disrupted, also from a snapshot', async () => {
    const { cluster } = await clusterWith({ 'karpenter.sh/do-not-disrupt': 'true' }, trimObject)
    const { nodes } = explainDisruption(cluster, findKarpenter(cluster)?.karpenter as never)
    expect(nodes[0]?.reason).toBe('pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/small)')
  })

  it('decides again after each command, with the remaining budgets', async () => {
    const objects = [...karpenterDefinitions, ...karpenterObjects(20, 200)]
    const { removals, nodes } = explainDisruption(findCluster({ objects }).cluster, karpenterOf())
    // 10% of 20 nodes.
    expect(removals.flatMap((removal) => removal.nodes)).toHaveLength(2)
    const kept = nodes.filter(({ decision }) => decision === 'keep')
    expect(new Set(kept.map(({ reason }) => reason))).toEqual(
      new Set(['No allowed disruptions for disruption reason Underutilized due to blocking budget']),
    )
  })

  it('returns no decisions for a cluster without NodePools', () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'a' } }
    expect(findKarpenter(findCluster({ objects: [node] }).cluster)).toBeUndefined()
  })
})
