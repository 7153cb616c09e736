import { expect, it } from 'vitest'
import type { NodeClaim } from '../../api/objects/karpenter.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../run/forecast-run.ts'
import { readScenario } from '../scenario/scenario.ts'
import { planOfScenario } from '../scenario/scenario-plan.ts'
import { findLoops } from './loops.ts'

const requirement = (key: string, value: string) => ({ key, operator: 'In', values: [value] })
const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }

it('reports no loop if Karpenter moves pods from each expired node to the next one', async () => {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: {
      karpenter: {
        instanceTypes: [
          {
            name: 'medium',
            resources: { cpu: '4', memory: '16Gi', pods: '58' },
            offerings: [
              {
                Price: 0.2,
                Requirements: [
                  requirement('karpenter.sh/capacity-type', 'on-demand'),
                  requirement('topology.kubernetes.io/zone', 'zone-a'),
                ],
              },
            ],
          },
        ],
      },
    },
    cluster: [
      { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' }, spec: {} },
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'a' },
        spec: {
          template: { spec: { nodeClassRef, requirements: [], expireAfter: '60s' } },
          disruption: { consolidateAfter: 'Never' },
        },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'c', image: 'a', resources: { requests: { cpu: '1' } } }] },
          },
        },
      },
    ],
    steps: [],
    until: '10m',
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  const { recorder, elapsedMs } = ForecastRun.start(plan).finish()
  expect(recorder.facts.filter(({ what, by }) => what === 'terminating' && by === 'karpenter').length).toBeGreaterThan(
    6,
  )
  expect(findLoops(recorder, elapsedMs)).toEqual([])
})

/** Each minute, the autoscaler creates a node for the pod of `web`, and then evicts the pod from it for this reason. */
async function movedEachMinute(by: 'karpenter' | 'cluster-autoscaler', reason: string, minutes: number) {
  const empty = { apiVersion: 'berth.dev/v1alpha1', kind: 'Scenario', cluster: [], steps: [], until: '1s' }
  const { plan } = planOfScenario(must(await readScenario(empty, async () => [])))
  const { recorder, cluster, elapsedMs } = ForecastRun.start(plan).finish()
  const start = cluster.clock.now() - elapsedMs
  const label = by === 'karpenter' ? 'karpenter.sh/nodepool' : 'kwok-nodegroup'
  for (let minute = 1; minute <= minutes; minute++) {
    const at = start + minute * 60_000
    const name = `node-${minute}`
    const node = { metadata: { name, uid: name, labels: { [label]: 'general' } } }
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true }]
    const metadata = { name: `web-${minute}`, namespace: 'default', uid: `web-${minute}`, ownerReferences }
    const pod = { metadata: { ...metadata, labels: { app: 'web' } }, spec: { nodeName: name, containers: [] } } as Pod
    const leaving = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    const conditions = [{ type: 'DisruptionReason', status: 'True', reason, message: reason }]
    const claim = { metadata: { name }, status: { nodeName: name, conditions } } as unknown as NodeClaim
    const key = `default/web-${minute}`
    recorder.take([{ resource: 'nodes', key: name, after: node as Node }], by, at)
    recorder.take([{ resource: 'pods', key, after: pod }], 'replicaset', at)
    recorder.take([{ resource: 'nodeclaims.karpenter.sh', key: name, after: claim }], by, at + 30_000)
    recorder.take([{ resource: 'pods', key, before: pod, after: leaving }], by, at + 60_000)
  }
  return findLoops(recorder, (minutes + 1) * 60_000)
}

it.each([
  ['karpenter', 'Karpenter'],
  ['cluster-autoscaler', 'Cluster Autoscaler'],
] as const)('reports a loop if %s moves pods from each node that it created to the next one', async (by, name) => {
  const [loop, ...more] = await movedEachMinute(by, 'Underutilized', 4)
  expect(more).toEqual([])
  expect(loop?.kind).toBe('unsettled')
  expect(loop?.text).toBe(
    `default/web-* is moved 4 times in a row since 2m0s: ${name} removes nodes that it made, up to the end`,
  )
})

it('reports no loop if Karpenter moves pods twice, or replaces nodes that drifted', async () => {
  expect(await movedEachMinute('karpenter', 'Underutilized', 2)).toEqual([])
  expect(await movedEachMinute('karpenter', 'Drifted', 4)).toEqual([])
})
