import { describe, expect, it } from 'vitest'
import type { ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { containerOf, deploymentOf, node } from '../../whatif/run/story.fixture.ts'
import { readScenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'

const driver = 'gpu.example.com'
const gpus = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}` }))

const deviceClass = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: { name: 'gpu' },
  spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
}

const oneGpu = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaimTemplate',
  metadata: { name: 'one-gpu', namespace: 'default' },
  spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } } },
}

const training = (replicas: number) =>
  deploymentOf('train', replicas, {
    containers: [{ ...containerOf({ cpu: '100m' }), name: 'c' }],
    terminationGracePeriodSeconds: 1,
    resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }],
  })

const slice = (on: string, count: number) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: `${on}-gpus` },
  spec: { driver, nodeName: on, pool: { name: on, generation: 1, resourceSliceCount: 1 }, devices: gpus(count) },
})

const grouped = (name: string) => {
  const made = node(name) as { metadata: { labels: object } }
  return { ...made, metadata: { ...made.metadata, labels: { ...made.metadata.labels, 'kwok-nodegroup': 'gpus' } } }
}

async function play(
  group: object,
  cluster: readonly object[],
  more: { steps?: readonly object[]; until?: string } = {},
) {
  const flags = { 'scale-down-unneeded-time': '1m', 'scale-down-delay-after-add': '1m' }
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: { clusterAutoscaler: { flags, nodeGroups: [{ name: 'gpus', min: 0, max: 8, ...group }] } },
    cluster: [deviceClass, oneGpu, ...cluster],
    steps: more.steps ?? [],
    until: more.until ?? '10m',
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  const { store } = ForecastRun.start(plan).finish().cluster
  return {
    nodes: store.list('nodes').map(({ metadata }) => metadata.name),
    slices: store.list('resourceslices.resource.k8s.io') as readonly ResourceSlice[],
    claims: store.list('resourceclaims.resource.k8s.io') as readonly ResourceClaim[],
    bound: (store.list('pods') as readonly Pod[]).filter(({ spec }) => spec.nodeName !== undefined).length,
  }
}

const template = { status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' } } }

describe('Cluster Autoscaler and device claims', () => {
  it('adds as many nodes as the device claims need, and the new nodes have devices', async () => {
    const group = { template, devices: [{ driver, devices: gpus(2) }] }
    const { nodes, slices, claims, bound } = await play(group, [node('base'), training(5)])
    expect(nodes.filter((name) => name.startsWith('gpus-'))).toHaveLength(3)
    expect(bound).toBe(5)
    expect(slices.map(({ spec }) => spec.nodeName).toSorted()).toEqual(
      nodes.filter((name) => name !== 'base').toSorted(),
    )
    expect(slices.every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'Node')).toBe(true)
    expect(new Set(claims.map(deviceOf)).size).toBe(5)
  })

  it('gives a new node devices like those of a node of the group, without their taints', async () => {
    const tainted = slice('a', 2)
    const devices = [{ name: 'gpu-0' }, { name: 'gpu-1', taints: [{ key: 'broken', effect: 'NoSchedule' }] }]
    const example = { ...tainted, spec: { ...tainted.spec, devices } }
    const { slices, bound } = await play({}, [grouped('a'), example, training(2)])
    expect(bound).toBe(2)
    expect(slices).toHaveLength(2)
    const made = slices.find(({ spec }) => spec.nodeName !== 'a') as ResourceSlice
    expect(made.spec.devices).toEqual(gpus(2))
    expect(made.spec.pool.name).toBe(made.spec.nodeName)
  })

  it('adds no node if the devices of the group do not match the claims', async () => {
    const group = { template, devices: [{ driver: 'other.example.com', devices: gpus(2) }] }
    expect((await play(group, [node('base'), training(2)])).nodes).toEqual(['base'])
  })

  it('removes nodes whose devices are not used, with their slices', async () => {
    const group = { template, devices: [{ driver, devices: gpus(1) }] }
    const steps = [{ at: '3m', scale: { target: 'deployment/train', replicas: 1 } }]
    const { nodes, slices, bound } = await play(group, [node('base'), training(3)], { steps, until: '15m' })
    expect(nodes).toHaveLength(2)
    expect(slices.map(({ spec }) => spec.nodeName)).toEqual(nodes.filter((name) => name !== 'base'))
    expect(bound).toBe(1)
  })

  it('removes a node whose pods get devices on another node', async () => {
    const group = { template, devices: [{ driver, devices: gpus(4) }] }
    const steps = [
      { at: '3m', scale: { target: 'deployment/train', replicas: 2 } },
      { at: '3m', cordon: { node: 'base' } },
    ]
    const cluster = [node('base'), grouped('a'), grouped('b'), slice('a', 4), slice('b', 4), training(6)]
    const { nodes, bound } = await play(group, cluster, { steps, until: '20m' })
    expect(nodes).toHaveLength(2)
    expect(bound).toBe(2)
  })
})

function deviceOf({ status }: ResourceClaim): string {
  const [result] = status?.allocation?.devices?.results ?? []
  return `${result?.pool}/${result?.device}`
}
