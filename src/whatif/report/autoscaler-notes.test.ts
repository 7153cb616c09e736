import { expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../run/forecast-run.ts'
import { readScenario } from '../scenario/scenario.ts'
import { planOfScenario } from '../scenario/scenario-plan.ts'
import { autoscalerNotes } from './autoscaler-notes.ts'

it('a forecast names the flags of its autoscalers that it does not follow', async () => {
  const resources = { cpu: '4', memory: '16Gi', pods: '110' }
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: {
      clusterAutoscaler: {
        flags: { expander: 'grpc', 'enable-provisioning-requests': true, 'salvo-scale-up': false },
        nodeGroups: [{ name: 'a', max: 3, template: { status: { capacity: resources } } }],
      },
    },
    cluster: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: { capacity: resources } }],
    until: '1m',
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  expect(autoscalerNotes(ForecastRun.start(plan))).toEqual([
    {
      kind: 'uncertain',
      text: '--expander=grpc of Cluster Autoscaler: the gRPC server of the expander is not called, a random choice decides',
    },
    {
      kind: 'uncertain',
      text: '--enable-provisioning-requests of Cluster Autoscaler: ProvisioningRequests are not forecast',
    },
  ])
})
