import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { containerOf, deploymentOf } from '../../whatif/run/story.fixture.ts'
import { readScenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'

const offering = (zone: string, price: number) => ({
  Price: price,
  Available: true,
  Requirements: [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
  ],
})

const machine = (name: string, cpu: number, price: number) => ({
  name,
  architecture: 'amd64',
  operatingSystems: ['linux'],
  resources: { cpu: String(cpu), memory: `${4 * cpu}Gi`, pods: '58' },
  offerings: [offering('zone-a', price), offering('zone-b', price + 0.001)],
})

export function poolOf(
  name: string,
  { template = {}, ...spec }: Readonly<Record<string, object>> = {},
): KubeObject & { readonly spec: object } {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        ...template,
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements: [],
          expireAfter: 'Never',
          ...(template as { readonly spec?: object }).spec,
        },
      },
      disruption: { consolidateAfter: '5s', budgets: [{ nodes: '100%' }] },
      ...spec,
    },
  }
}

export const nodeClass = (registrationDelay: string): KubeObject & { readonly spec: object } => ({
  apiVersion: 'karpenter.kwok.sh/v1alpha1',
  kind: 'KWOKNodeClass',
  metadata: { name: 'default' },
  spec: { nodeRegistrationDelay: registrationDelay },
})

/** A Deployment whose pods request one CPU each. */
export const webOf = (replicas: number): object =>
  deploymentOf('web', replicas, {
    terminationGracePeriodSeconds: 2,
    containers: [containerOf({ cpu: '1', memory: '1Gi' })],
  })

/** The cluster after a story with Karpenter. */
export async function clusterAfter(
  cluster: readonly object[],
  { steps = [], until = '2m', flags = {} }: { steps?: readonly object[]; until?: string; flags?: object } = {},
) {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: { karpenter: { flags, instanceTypes: [machine('small', 2, 0.1), machine('large', 8, 0.37)] } },
    cluster,
    steps,
    until,
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  return ForecastRun.start(plan).finish().cluster
}
