import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runBerth } from '../run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-devices-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const meta = { resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const gpus = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}` }))

/** Nodes with eight GPUs each, of which pods have the first ones, and a pod that wants `wanted` of one node. */
function fileOf(nodes: number, taken: number, wanted: object): string {
  const items: object[] = []
  for (let i = 0; i < nodes; i++) {
    const name = `node-${i}`
    const size = { cpu: '16', memory: '64Gi', pods: '110' }
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: meta.creationTimestamp }]
    const status = { capacity: size, allocatable: size, conditions }
    items.push({ apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name, ...meta }, spec: {}, status })
    items.push({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: `${name}-gpus`, uid: `${name}-gpus`, ...meta },
      spec: {
        driver: 'gpu.example.com',
        nodeName: name,
        pool: { name, generation: 1, resourceSliceCount: 1 },
        devices: gpus(8),
      },
    })
    for (let j = 0; j < taken; j++) items.push(...holder(`train-${i}-${j}`, name, `gpu-${j}`))
  }
  const spec = { devices: { requests: [{ name: 'gpu', exactly: wanted }] } }
  items.push(
    { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu', uid: 'gpu', ...meta }, spec: {} },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'wanted', namespace: 'default', uid: 'wanted', ...meta },
      spec,
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'big', namespace: 'default', uid: 'big', ...meta },
      spec: {
        schedulerName: 'default-scheduler',
        containers: [{ name: 'c', image: 'i' }],
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'wanted' }],
      },
      status: { phase: 'Pending' },
    },
  )
  const file = join(folder, `${nodes}-${taken}-${Object.keys(wanted).join('-')}.json`)
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  return file
}

function holder(name: string, node: string, device: string): readonly object[] {
  const metadata = { name, namespace: 'default', uid: name, ...meta }
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        nodeName: node,
        containers: [{ name: 'c', image: 'i' }],
        resourceClaims: [{ name: 'g', resourceClaimName: name }],
      },
      status: { phase: 'Running' },
    },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { ...metadata, uid: `claim-${name}` },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
      status: {
        allocation: { devices: { results: [{ request: 'gpu', driver: 'gpu.example.com', pool: node, device }] } },
        reservedFor: [{ resource: 'pods', name, uid: name }],
      },
    },
  ]
}

const eight = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 8 }

describe('berth devices', () => {
  it('prints one row for each device of a small cluster, and for each pool of a large one', async () => {
    const small = await runBerth(['devices', '--from', fileOf(2, 1, eight)])
    expect(small.out).toContain('default/train-0-0')
    expect(small.out).toContain('16 devices in 2 pools, 14 free\n')
    const large = await runBerth(['devices', '--from', fileOf(20, 1, eight)])
    expect(large.out).toMatch(/^DRIVER +POOL +DEVICES +FREE +TAINTED$/m)
    expect(large.out).toMatch(/^gpu\.example\.com +node-0 +8 +7 +0$/m)
    expect(large.out).toContain('160 devices in 20 pools, 140 free; -o wide lists each device\n')
    const wide = await runBerth(['devices', '-o', 'wide', '--from', fileOf(20, 1, eight)])
    expect(wide.out).toContain('default/train-19-0')
  })

  it.each([
    ['a dump without uids', { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } }],
    ['manifests', undefined],
  ])('lists the devices of %s', async (_, status) => {
    const items = [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n0' }, ...(status === undefined ? {} : { status }) },
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: 'n0' },
        spec: {
          driver: 'gpu.example.com',
          nodeName: 'n0',
          pool: { name: 'n0', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'gpu-0' }],
        },
      },
    ]
    const file = join(folder, 'dump.json')
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    const { out } = await runBerth(['devices', '--from', file])
    expect(out).toContain('1 device in 1 pool, 1 free\n')
  })
})

describe('berth explain pod, for a pod that lacks devices', () => {
  it('counts the devices by cause, lists them for the first nodes, and suggests claims to release together', async () => {
    const { out } = await runBerth(['explain', 'pod', 'default/big', '--from', fileOf(2, 2, eight)], {
      env: { COLUMNS: '140' },
    })
    expect(out).toMatch(/^node-0 +no +\S+ +DynamicResources +request gpu needs 8: 2 taken$/m)
    expect(out).toContain(
      'node-0: claim default/wanted, request gpu (needs 8 devices): gpu.example.com/node-0/gpu-0: taken by',
    )
    expect(out.replace(/\s+/g, ' ')).toContain(
      'release the devices of claims default/train-0-0, default/train-0-1 by deleting pods default/train-0-0, default/train-0-1',
    )
  })

  it('says that no device matches a selector', async () => {
    const expression = 'device.driver == "other.example.com"'
    const wanted = { ...eight, selectors: [{ cel: { expression } }] }
    const { out } = await runBerth(['explain', 'pod', 'default/big', '--from', fileOf(2, 0, wanted)], {
      env: { COLUMNS: '140' },
    })
    expect(out).toContain(`never: no device matches the selector ${expression} (request gpu of claim default/wanted)`)
    expect(out).toMatch(/request gpu needs 8: 8 not selected/)
  })

  it('berth devices --room-for rejects a template that does not exist', async () => {
    const file = fileOf(1, 0, { deviceClassName: 'gpu' })
    const { code, err } = await runBerth(`devices --from ${file} --room-for default/none`, { cwd: folder })
    expect(code).toBe(2)
    expect(err).toMatch(/resourceclaimtemplates "none" not found in namespace default/)
  })
})
