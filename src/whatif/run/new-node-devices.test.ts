import { describe, expect, it } from 'vitest'
import type { ResourceClaim } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { must } from '../../base/result.ts'
import { createDefaultProfile } from '../../scheduler/plugins/default-plugins.ts'
import { findHeadroom } from '../capacity/headroom.ts'
import { findRemovable } from '../capacity/removable.ts'
import { sourceOf } from '../explain/object-set.ts'
import { newNodes } from '../scenario/question.ts'
import { forecast } from './forecast.ts'
import { containerOf, deploymentOf, node, runScenario } from './story.fixture.ts'

const driver = 'gpu.example.com'

const slice = (on: string, count: number) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: `${on}-gpus` },
  spec: {
    ...{ driver, nodeName: on, pool: { name: on, generation: 1, resourceSliceCount: 1 } },
    devices: Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}` })),
  },
})

/** Two nodes with two devices each, and pods that need a device. */
const cluster = (replicas: number) => [
  { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} },
  {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'one-gpu', namespace: 'default' },
    spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } } },
  },
  ...['a', 'b'].flatMap((name) => [node(name), slice(name, 2)]),
  deploymentOf('train', replicas, {
    containers: [containerOf({ cpu: '100m' })],
    terminationGracePeriodSeconds: 1,
    resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }],
  }),
]

describe('the devices of new nodes', () => {
  it('new nodes of an upgrade get devices like those of the nodes that they replace', async () => {
    const steps = [{ at: '10s', upgrade: { nodes: ['a'], maxSurge: 1, maxUnavailable: 0 } }]
    const result = must(await forecast({ cluster: cluster(4) as never, steps, until: '30m' }))
    expect(result.upgrade).toMatchObject({ state: 'done', upgraded: 1 })
    const [train] = result.workloads
    expect(train).toMatchObject({ name: 'train', ready: { after: 4 }, pending: [] })
    expect(result.devices?.filter(({ node: on }) => on === 'a-next')).toHaveLength(2)
  })

  it('added nodes get devices like those of the node that they copy', async () => {
    const { store } = (await runScenario({ cluster: cluster(4), config: {}, hollow: {} })).cluster
    const made = newNodes(store, store.get('nodes', 'b') as Node, 2, 'zone-b')
    expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Node b-new-1',
      'ResourceSlice b-new-1-gpus',
      'Node b-new-2',
      'ResourceSlice b-new-2-gpus',
    ])
    const steps = [{ at: '10s', apply: made as never }]
    const result = must(await forecast({ cluster: cluster(7) as never, steps, until: '10m' }))
    const added = result.nodes.filter(({ state }) => state === 'added')
    expect(added.map(({ pods }) => pods).toSorted()).toEqual([1, 2])
  })
})

describe('the capacity of a cluster with devices', () => {
  const profile = createDefaultProfile()
  const objectsOf = async (replicas: number) => {
    const { store } = (await runScenario({ cluster: cluster(replicas), config: {}, hollow: {} })).cluster
    return sourceOf(store)
  }

  it('a node is removable if its pods get devices on other nodes', async () => {
    expect(findRemovable(await objectsOf(2), profile).nodes).toHaveLength(1)
    const { nodes, kept } = findRemovable(await objectsOf(3), profile)
    expect(nodes).toEqual([])
    expect(kept.map(({ reason }) => reason)).toEqual(['fits on no other node', 'fits on no other node'])
  })

  it('counts the pods of a lost node that get no devices', async () => {
    const { losses } = findHeadroom({ objects: await objectsOf(3), profile })
    expect(losses.find(({ lost }) => lost === 'node')).toMatchObject({ pods: 2, homeless: 1 })
  })
})

it('a device with binding conditions is ready when it is allocated', async () => {
  const conditional = slice('a', 1)
  const conditions = { bindingConditions: ['attached'], bindingFailureConditions: ['broken'] }
  const devices = [{ name: 'gpu-0', bindsToNode: true, ...conditions }]
  const objects = [...cluster(1).filter((object) => (object as { kind: string }).kind !== 'ResourceSlice')]
  const attached = { ...conditional, spec: { ...conditional.spec, devices } }
  const { store } = (await runScenario({ cluster: [...objects, attached], config: {}, hollow: {}, until: '2m' }))
    .cluster
  expect((store.list('pods') as readonly Pod[]).map(({ spec }) => spec.nodeName)).toEqual(['a'])
  const [claim] = store.list('resourceclaims.resource.k8s.io') as readonly ResourceClaim[]
  expect(claim?.status?.devices?.[0]?.conditions).toMatchObject([{ type: 'attached', status: 'True' }])
})
