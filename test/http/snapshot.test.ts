import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { startApiServer } from '../../src/apiserver/api-server.ts'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { karpenterDefinitions } from '../../src/autoscalers/karpenter/definitions.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'
import { SnapshotReader } from '../../src/whatif/snapshot/snapshot-lines.ts'
import { takeSnapshot } from '../../src/whatif/snapshot/take-snapshot.ts'

const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }
const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }]

const karpenterObjects = [
  ['kwoknodeclasses.karpenter.kwok.sh', 'karpenter.kwok.sh/v1alpha1', 'KWOKNodeClass', 'default', {}],
  [
    'nodepools.karpenter.sh',
    'karpenter.sh/v1',
    'NodePool',
    'pool',
    {
      template: { metadata: { annotations: { 'example.com/team': 'shop' } }, spec: { nodeClassRef, requirements } },
      disruption: { consolidateAfter: '30s' },
    },
  ],
  ['nodeclaims.karpenter.sh', 'karpenter.sh/v1', 'NodeClaim', 'claim', { nodeClassRef, requirements }],
  [
    'nodeoverlays.karpenter.sh',
    'karpenter.sh/v1alpha1',
    'NodeOverlay',
    'overlay',
    { requirements, priceAdjustment: '-10%' },
  ],
] as const

const scaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 2,
    maxReplicas: 9,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
  },
}

describe('a snapshot of a served cluster', () => {
  const clock = new RealClock()
  const random = createRandom('snapshot')
  const registry = createRegistry({ store: createStore(), clock, random })
  let server: RunningServer
  beforeAll(async () => {
    server = await startApiServer({
      registry,
      clock,
      log: silentLogger,
      metrics: new MetricRegistry(),
      host: '127.0.0.1',
      port: 0,
    })
    create('nodes', { metadata: { name: 'a' } })
    create('horizontalpodautoscalers.autoscaling', scaler)
  })
  afterAll(() => server.close())

  function create(resource: string, object: object) {
    const { namespace } = (object as KubeObject).metadata
    const place = namespace === undefined ? {} : { namespace }
    const outcome = createInProcessClient(registry).callNow({
      verb: 'create',
      resource,
      object: object as KubeObject,
      ...place,
    })
    if (!outcome.ok) throw new Error(outcome.status.message)
  }

  async function taken() {
    const client = createHttpClient({ access: { server: server.url }, clock, random: random.stream('client') })
    const reader = new SnapshotReader()
    try {
      for await (const line of takeSnapshot(client, { takenAtMs: 0 })) reader.line(line.trimEnd())
    } finally {
      client.close()
    }
    return reader.finish()
  }

  it('has HorizontalPodAutoscalers with their metrics, and misses nothing without Karpenter', async () => {
    const { end, objects } = await taken()
    expect(end.missing).toEqual({})
    expect(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toMatchObject([scaler])
    const { cluster } = findCluster({ objects })
    expect(cluster.store.list('horizontalpodautoscalers.autoscaling')).toMatchObject([{ spec: scaler.spec }])
  })

  it('has the objects of Karpenter, each in the version that serves it, with whole templates', async () => {
    for (const definition of karpenterDefinitions) create('customresourcedefinitions.apiextensions.k8s.io', definition)
    for (const [resource, apiVersion, kind, name, spec] of karpenterObjects)
      create(resource, { apiVersion, kind, metadata: { name }, spec })
    const { end, objects } = await taken()
    expect(end.missing).toEqual({})
    const { cluster, notes } = findCluster({ objects })
    for (const [resource, apiVersion, kind, name, spec] of karpenterObjects) {
      expect(objects.filter((each) => each.kind === kind)).toMatchObject([{ apiVersion, metadata: { name }, spec }])
      expect(cluster.store.list(resource)).toMatchObject([{ metadata: { name }, spec }])
    }
    expect(notes.some(({ text }) => text.includes('ignored'))).toBe(false)
  })
})
