import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/api/call.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import { withFeatureGates } from '../../../src/api/releases/release-of.ts'
import { createRandom } from '../../../src/base/random.ts'
import { RealClock } from '../../../src/base/real-clock.ts'
import { must } from '../../../src/base/result.ts'
import { createHttpClient } from '../../../src/client/http-client.ts'
import { loadAccess } from '../../../src/client/kubeconfig/load-access.ts'
import { WorkloadCluster } from '../../../src/controllers/workload-cluster.fixture.ts'
import { buildParts, clusterRelease, missing, startRealCluster } from '../real-parts.ts'

const reason = clusterRelease.minor === '1.37' ? missing() : 'only v1.37 has composite pod groups'
const gates = ['GenericWorkload', 'TopologyAwareWorkloadScheduling', 'CompositePodGroup']

const group = 'scheduling.k8s.io'
const basic = { schedulingPolicy: { basic: {} } }
const composites = `compositepodgroups.${group}`
const workloads = `workloads.${group}`
const ofWorkload = { workloadRef: { workloadName: 'work', templateName: 'all' } }
const leaf = { name: 'leaf', ...basic }
const nested = (depth: number): object => ({
  name: `level-${depth}`,
  ...basic,
  ...(depth === 0 ? { podGroupTemplates: [leaf] } : { compositePodGroupTemplates: [nested(depth - 1)] }),
})

/** The resource and the spec of objects to create, in this order. */
const questions: readonly (readonly [string, object])[] = [
  [composites, { ...ofWorkload, ...basic }],
  [composites, { ...ofWorkload, schedulingPolicy: { gang: { minGroupCount: 2 } }, parentCompositePodGroupName: 'a' }],
  [composites, basic],
  [composites, { workloadRef: { workloadName: 'Work', templateName: '' }, ...basic }],
  [composites, { ...ofWorkload, schedulingPolicy: {} }],
  [composites, { ...ofWorkload, schedulingPolicy: { gang: { minGroupCount: 0 } } }],
  [composites, { ...ofWorkload, schedulingPolicy: { gang: { minGroupCount: -1 } } }],
  [composites, { ...ofWorkload, ...basic, parentCompositePodGroupName: 'A_b' }],
  [composites, { ...ofWorkload, ...basic, schedulingConstraints: { topology: [{ key: '' }] } }],
  [composites, { ...ofWorkload, ...basic, disruptionMode: {} }],
  [composites, { ...ofWorkload, ...basic, priorityClassName: 'missing' }],
  [composites, { ...ofWorkload, ...basic, priority: 7 }],
  [workloads, { compositePodGroupTemplates: [nested(0)] }],
  [workloads, { compositePodGroupTemplates: [nested(2)] }],
  [workloads, { compositePodGroupTemplates: [nested(3)] }],
  [workloads, { compositePodGroupTemplates: [{ name: 'empty', ...basic }] }],
  [workloads, { compositePodGroupTemplates: [nested(0), nested(0)] }],
  [workloads, { compositePodGroupTemplates: [{ name: 'leaf', ...basic, podGroupTemplates: [leaf] }] }],
  [workloads, { compositePodGroupTemplates: [nested(0)], podGroupTemplates: [leaf] }],
  [workloads, {}],
  [
    workloads,
    {
      compositePodGroupTemplates: [
        {
          name: 'all',
          ...basic,
          priorityClassName: 'high',
          podGroupTemplates: [{ ...leaf, priorityClassName: 'low' }],
        },
      ],
    },
  ],
  [`podgroups.${group}`, { ...basic, parentCompositePodGroupName: 'all' }],
  [`podgroups.${group}`, { ...basic, parentCompositePodGroupName: 'A_b' }],
]

const kinds = new Map([
  [composites, 'CompositePodGroup'],
  [workloads, 'Workload'],
  [`podgroups.${group}`, 'PodGroup'],
])

function answerOf(outcome: Outcome): unknown {
  if (!outcome.ok) return plain(outcome.status.message ?? '')
  return outcome.kind === 'object' ? withoutNull((outcome.object as { spec?: unknown }).spec) : outcome.kind
}

/** Values of the API server have internal names, or fields that are null. */
const plain = (message: string): string =>
  message.replace(/Invalid value: \[\{.*\}\]: /, 'Invalid value: […]: ').replaceAll(',"schedulingConstraints":null', '')

/** Fields that the API server always writes are null where they are absent. */
function withoutNull(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, one) => (one === null ? undefined : one)))
}

describe.skipIf(reason !== undefined)(
  `composite pod groups of Kubernetes v${clusterRelease.version} and of berth${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    it('composite groups are accepted with the same defaults, or refused with the same message', async () => {
      buildParts(['kube-apiserver'])
      const flag = gates.map((gate) => `${gate}=true`).join()
      const cluster = await startRealCluster({
        apiServer: { 'feature-gates': flag, 'runtime-config': `${group}/v1alpha3=true,${group}/v1beta1=true` },
      })
      const client = createHttpClient({
        access: await loadAccess({ kubeconfig: cluster.kubeconfig }, Date.now),
        clock: new RealClock(),
        random: createRandom('composite').stream('watch'),
      })
      try {
        const release = must(withFeatureGates(clusterRelease, new Map(gates.map((gate) => [gate, true]))))
        const own = new WorkloadCluster({ controllers: [], kubelet: 'none', release })
        const different: unknown[] = []
        for (const [i, [resource, spec]] of questions.entries()) {
          const version = resource === composites ? 'v1alpha3' : 'v1beta1'
          const object = {
            apiVersion: `${group}/${version}`,
            kind: kinds.get(resource),
            metadata: { name: `q-${i}`, namespace: 'default' },
            spec,
          } as unknown as KubeObject
          const call = { verb: 'create', resource, namespace: 'default', object } as const
          const [real, berth] = [answerOf(await client.call(call)), answerOf(own.call(call))]
          if (JSON.stringify(sorted(real)) !== JSON.stringify(sorted(berth))) different.push({ spec, real, berth })
        }
        expect(different).toEqual([])
      } finally {
        client.close()
        await cluster.close()
      }
    })
  },
)

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]))
}
