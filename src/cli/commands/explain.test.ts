import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { node, pod } from '../../whatif/run/story.fixture.ts'
import { runBerth } from '../run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-explain-'))
afterAll(() => rmSync(folder, { recursive: true }))
const write = (name: string, content: unknown) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))

const explain = (args: string) => runBerth(`explain pod ${args} --from dump.json`, { cwd: folder })

write('dump.json', {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    node('a1'),
    node('a2'),
    pod('web'),
    { ...pod('odd'), spec: { schedulerName: 'other', containers: [{ name: 'c', image: 'i' }] } },
  ],
})
write(
  'never-a1.mjs',
  `export const neverA1 = {
  name: 'NeverA1',
  filter: (_pod, { name }) => ({ code: name === 'a1' ? 'Unschedulable' : 'Success', reasons: name === 'a1' ? ['not on a1'] : [] }),
}
`,
)
write('profiles.json', {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  profiles: [
    { schedulerName: 'default-scheduler', plugins: { multiPoint: { disabled: [{ name: 'NodeResourcesFit' }] } } },
    { schedulerName: 'other' },
  ],
})

describe('berth explain pod', () => {
  it('uses the default profile by default', async () => {
    const { code, out } = await explain('web')
    expect(code).toBe(0)
    expect(out).toMatch(/^default\/web would be placed on a\d now/)
    expect(out).toMatch(/NodeResourcesFit \d/)
  })

  it('uses the profile of the scheduler configuration that matches the pod', async () => {
    expect((await explain('web --scheduler-config profiles.json')).out).not.toMatch(/NodeResourcesFit/)
    expect((await explain('odd --scheduler-config profiles.json')).out).toMatch(/^default\/odd would be placed/)
  })

  it('reports that a pod waits for another scheduler', async () => {
    const { code, out } = await explain('odd')
    expect(code).toBe(0)
    expect(out).toBe(
      'default/odd is pending\n  waiting for scheduler "other"\n\n' +
        'no profile is named "other"; pass its configuration with --scheduler-config\n',
    )
  })

  it('counts the time in the queue up to the time of the dump, as berth queue does', async () => {
    const gated = pod('gated') as Pod
    const of = (object: object, creationTimestamp: string) => {
      const { metadata, ...rest } = object as Pod
      return { ...rest, metadata: { ...metadata, uid: metadata.name, creationTimestamp } }
    }
    const waiting = { ...gated, spec: { ...gated.spec, schedulingGates: [{ name: 'example.com/quota' }] } }
    const items = [
      { ...of(node('a1'), '2026-01-01T00:00:00Z'), status: (node('a1') as Node).status },
      of(waiting, '2026-01-01T00:00:00Z'),
      of(pod('newest', { on: 'a1' }), '2026-01-01T00:07:00Z'),
    ]
    write('gated.json', { apiVersion: 'v1', kind: 'List', items })
    const { out } = await runBerth('explain pod gated --from gated.json', { cwd: folder })
    expect(out).toContain('  in the queue: gated for 7m (')
    expect((await runBerth('queue --from gated.json', { cwd: folder })).out).toMatch(/^default\/gated +gated +7m /m)
  })

  it('runs the plugins of --plugin', async () => {
    const { out, err } = await explain('web --plugin never-a1.mjs')
    expect(err).toBe('')
    expect(out).toMatch(/would be placed on a2 now/)
    expect(out).toMatch(/a1 +no +<none> +NeverA1 +not on a1/)
  })

  it('assumes the gates that the objects of the cluster need', async () => {
    const devices = 'resource.k8s.io/v1'
    const claimed = pod('claimed') as Pod
    const own = node('a1') as Node
    const status = { ...own.status, nodeInfo: { kubeletVersion: 'v1.35.8' } }
    const request = { name: 'gpu', exactly: { deviceClassName: 'gpu' } }
    const half = { counterSet: 'gpu-0', counters: { memory: { value: '40Gi' } } }
    const pool = { name: 'a1', generation: 1, resourceSliceCount: 2 }
    const slice = (name: string, more: object) => ({
      apiVersion: devices,
      kind: 'ResourceSlice',
      metadata: { name },
      spec: { driver: 'gpu.example.com', nodeName: 'a1', pool, ...more },
    })
    write('devices.json', {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { ...own, status },
        { ...claimed, spec: { ...claimed.spec, resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } },
        { apiVersion: devices, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} },
        {
          apiVersion: devices,
          kind: 'ResourceClaim',
          metadata: { name: 'gpu', namespace: 'default' },
          spec: { devices: { requests: [request] } },
        },
        slice('counters', { sharedCounters: [{ name: 'gpu-0', counters: half.counters }] }),
        slice('devices', { devices: [{ name: 'gpu-0-half', consumesCounters: [half] }] }),
      ],
    })
    const ask = (more: string) => runBerth(`explain pod claimed --from devices.json${more}`, { cwd: folder })
    expect((await ask('')).out).toMatch(/^default\/claimed would be placed on a1 now/)
    expect((await ask(' --feature-gates DRAPartitionableDevices=false')).out).toMatch(/^default\/claimed is pending/)
  })
})
