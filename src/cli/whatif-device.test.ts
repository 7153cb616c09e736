import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Forecast } from '../whatif/report/forecast.ts'
import { runBerth } from './run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-devices-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const size = { cpu: '4', memory: '8Gi', pods: '10' }
const node = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { capacity: size, allocatable: size },
})
const slice = (on: string) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: `${on}-gpus` },
  spec: {
    driver: 'gpu.example.com',
    nodeName: on,
    pool: { name: on, generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'gpu-0' }],
  },
})
const claims = [{ name: 'gpu', resourceClaimTemplateName: 'one' }]
const devices = [
  { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} },
  {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'one', namespace: 'default' },
    spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'train', namespace: 'default' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'train' } },
      template: {
        metadata: { labels: { app: 'train' } },
        spec: { containers: [{ name: 'c', image: 'i' }], resourceClaims: claims },
      },
    },
  },
]

function fileOf(name: string, objects: readonly object[]): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  return file
}

async function forecast(args: string): Promise<Forecast> {
  const { code, out, err } = await runBerth(`whatif ${args} -o json`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Forecast
}

const two = fileOf('two.json', [node('n0'), node('n1'), slice('n0'), slice('n1'), ...devices])

/** The device that the only pod has at the start. */
async function heldAtStart(): Promise<string> {
  const { devices: of = [] } = await forecast(`drain n0 n1 --parallel --for 1m --from ${two}`)
  return of.find(({ allocated }) => allocated === undefined)?.devices[0]?.device ?? ''
}

describe('forecasts about devices', () => {
  it.each([
    ['fail device', (device: string) => `fail device ${device}`],
    ['taint-device', (device: string) => `taint-device ${device} --taint example.com/hot:NoExecute`],
  ])('whatif %s: the pod of the device moves to another one, and the forecast lists both', async (_, args) => {
    const held = await heldAtStart()
    const other = held.includes('/n0/') ? 'gpu.example.com/n1/gpu-0' : 'gpu.example.com/n0/gpu-0'
    const { devices: changed = [], caused } = await forecast(`${args(held)} --from ${two}`)
    expect(caused).toMatchObject({ podsDeleted: 1, podsMoved: 1 })
    expect(changed).toHaveLength(2)
    const released = changed.find(({ allocated }) => allocated === undefined)
    const allocated = changed.find((entry) => entry.allocated !== undefined)
    expect(released).toMatchObject({ devices: [{ request: 'gpu', device: held }], node: held.split('/')[1] })
    expect(released?.released).toBeGreaterThanOrEqual(0)
    expect(allocated).toMatchObject({ devices: [{ request: 'gpu', device: other }], node: other.split('/')[1] })
    expect(allocated?.pods[0]).toMatch(/^default\/train-/)
    expect(allocated?.released).toBeUndefined()
  })

  it('heals a failed device after --recover-after', async () => {
    const held = await heldAtStart()
    const one = fileOf('one.json', [node('n0'), slice('n0'), ...devices])
    const device = 'gpu.example.com/n0/gpu-0'
    const never = await forecast(`fail device ${device} --from ${one}`)
    expect(never.caused.podsPending).toBe(1)
    const { devices: changed = [], caused } = await forecast(`fail device ${device} --recover-after 10m --from ${one}`)
    expect(caused).toMatchObject({ podsPending: 0, podsMoved: 1 })
    expect(changed[1]?.allocated).toBeGreaterThanOrEqual(600)
    expect(held).not.toBe('')
  })

  it('prints which claim gets which device on which node', async () => {
    const held = await heldAtStart()
    const { out } = await runBerth(`whatif fail device ${held} --from ${two}`)
    expect(out).toMatch(/^DEVICE +NODE +CLAIM +ALLOCATED +RELEASED$/m)
    const row = new RegExp(`^${held} +\\S+ +default/train-\\S+-gpu-\\S+ +before +\\d+s$`, 'm')
    expect(out).toMatch(row)
  })

  it('names similar devices for one that does not exist', async () => {
    const { code, err } = await runBerth(`whatif fail device gpu.example.com/n0/gpu-9 --from ${two}`)
    expect(code).toBe(2)
    expect(err).toContain('device gpu.example.com/n0/gpu-9 not found')
    expect(err).toContain('gpu.example.com/n0/gpu-0')
  })
})

describe('feature gates of a cluster with pod groups', () => {
  const member = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '3' } } }],
      schedulingGroup: { podGroupName: 'gang' },
    },
  })
  const group = (apiVersion: string) => ({
    apiVersion,
    kind: 'PodGroup',
    metadata: { name: 'gang', namespace: 'default' },
    spec: { schedulingPolicy: { gang: { minCount: 3 } } },
  })
  const gang = (version: string) => [
    ...['n0', 'n1'].map(node),
    group(`scheduling.k8s.io/${version}`),
    ...['a', 'b', 'c'].map(member),
  ]

  it.each([
    ['1.36', 'v1alpha2', 'GenericWorkload, GangScheduling'],
    ['1.37', 'v1beta1', 'GenericWorkload'],
  ])('v%s: gates are assumed to be on, and the answer says so', async (minor, version, gates) => {
    const file = fileOf(`gang-${minor}.json`, gang(version))
    const args = `add-node --like n0 --kubernetes-version ${minor} --from ${file}`
    const { notes, pods } = await forecast(args)
    expect(notes.map(({ text }) => text).join('\n')).toContain(`${gates} `)
    // Two nodes have room for two pods of the gang, so none was bound before the third node.
    expect(pods.filter(({ bound }) => bound !== undefined)).toHaveLength(3)
  })

  it('keeps a feature gate off that is set to false', async () => {
    const file = fileOf('gang-off.json', gang('v1beta1'))
    const args = `whatif add-node --like n0 --feature-gates GenericWorkload=false --from ${file}`
    const { code, err } = await runBerth(args)
    expect(code).toBe(2)
    expect(err).toContain('PodGroup')
  })
})
