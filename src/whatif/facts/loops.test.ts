import { expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../run/forecast-run.ts'
import { readScenario } from '../scenario/scenario.ts'
import { planOfScenario } from '../scenario/scenario-plan.ts'
import { findLoops } from './loops.ts'

const requirement = (key: string, value: string) => ({ key, operator: 'In', values: [value] })
const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }

it('does not report pods as a loop that Karpenter moves from each expired node to the next one', async () => {
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
