import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import { findCluster } from '../whatif/snapshot/found-cluster.ts'
import { forecastForConsole } from './console/forecast.ts'
import { settingsOf } from './control-plane-options.ts'
import { realPorts } from './ports.ts'
import { runBerth } from './run-berth.fixture.ts'
import { readSearchInput } from './search-input.ts'

const component = (name: string, flags: readonly string[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `${name}-n1`, namespace: 'kube-system', uid: name },
  spec: {
    nodeName: 'n1',
    containers: [{ name, image: `registry.k8s.io/${name}:v1.34.1`, command: [name, ...flags] }],
  },
  status: { phase: 'Running' },
})
const containers = [{ name: 'web', image: 'web' }]
const template = { metadata: { labels: { app: 'web' } }, spec: { containers } }
const gates = 'MaxUnavailableStatefulSet=true,JobSuccessPolicy=true'
const objects = [
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', uid: 'n1' },
    spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] },
    status: { nodeInfo: { kubeletVersion: 'v1.34.0' }, allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
  },
  component('kube-apiserver'),
  component('kube-controller-manager', [`--feature-gates=${gates}`, '--node-monitor-grace-period=20s']),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid: 'd' },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0', namespace: 'default', uid: 'w', labels: { app: 'web' } },
    spec: { containers },
    status: { phase: 'Pending' },
  },
] as unknown as readonly KubeObject[]

const folder = mkdtempSync(join(tmpdir(), 'berth-release-'))
afterAll(() => rmSync(folder, { recursive: true }))
const dump = join(folder, 'dump.json')
writeFileSync(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))

const none = {
  kubernetesVersion: undefined,
  featureGates: undefined,
  behavior: 'upstream',
  fix: [],
  config: undefined,
  schedulerConfig: undefined,
  plugin: [],
} as const

describe('the release of a dump', () => {
  // Up to v1.34.1 the message of TaintToleration names the taint.
  it.each(['explain pod web-0', 'capacity fit deployment/web'])(
    'berth %s runs the scheduler of the release of the control plane, or another release on request',
    async (words) => {
      const { out } = await runBerth([...words.split(' '), '--from', dump])
      expect(out).toContain('untolerated taint {dedicated: gpu}')
      const other = await runBerth([...words.split(' '), '--from', dump, '--kubernetes-version', '1.36'])
      expect(other.out).toContain('untolerated taint(s)')
    },
  )

  it('gives berth console, report and devices the version, the gates and the flags of its control plane', async () => {
    const { kubernetes } = findCluster({ objects })
    const { files, cwd } = realPorts()
    const { release, flags } = await settingsOf(none, files, cwd, kubernetes)
    expect(release.version).toBe('1.34.1')
    expect(release.gates.has('MaxUnavailableStatefulSet')).toBe(true)
    expect(flags).toMatchObject({ 'node-monitor-grace-period': '20s' })
    const chosen = await settingsOf({ ...none, nodeMonitorGracePeriod: '1m' }, files, cwd, kubernetes)
    expect(chosen.flags).toMatchObject({ 'node-monitor-grace-period': '1m' })
  })

  it('gives berth search its version, gates and flags, and those of options take precedence', async () => {
    const config = async (options: object) => {
      const webhooks = { webhookRecording: [], webhookService: [] }
      const given = { ...none, ...webhooks, from: dump, seed: '1', pack: 'forecast', for: '1h', ...options }
      const { input } = await readSearchInput({ ...realPorts(), args: [], options: given } as never)
      return input.document['config']
    }
    expect(await config({})).toEqual({
      'kubernetes-version': '1.34.1',
      'feature-gates': gates,
      'node-monitor-grace-period': '20s',
    })
    expect(await config({ kubernetesVersion: '1.37', featureGates: 'GenericWorkload=true' })).toEqual({
      'kubernetes-version': '1.37',
      'feature-gates': 'MaxUnavailableStatefulSet=true,GenericWorkload=true',
      'node-monitor-grace-period': '20s',
    })
  })

  it('lets the console forecast another release without the gates that the release rejects, and reports them', async () => {
    const { cluster, kubernetes } = findCluster({ objects })
    const { files, cwd } = realPorts()
    const setup = { settings: await settingsOf(none, files, cwd, kubernetes), stages: [] }
    const request = { steps: [], seconds: 60, release: '1.37' }
    const watch = { onProgress: () => undefined, isUnwanted: () => false }
    const { forecast } = await forecastForConsole(cluster.store, setup, request, cluster.takenAtMs, watch)
    expect(forecast.notes).toContain('unrecognized feature gate: JobSuccessPolicy in v1.37.1: the gate is ignored')
  })
})

it.each([
  'up --ephemeral',
  'apiserver --ephemeral',
  'mcp',
  `whatif drain n1 --from ${dump}`,
  `search --from ${dump}`,
  `explain pod web-0 --from ${dump}`,
  `lint --from ${dump}`,
  `capacity headroom --from ${dump}`,
  `queue --from ${dump}`,
  `evictions --from ${dump}`,
  `devices --from ${dump}`,
  `console --from ${dump}`,
  `report --console --from ${dump}`,
])('berth %s rejects an unknown release and lists the known ones', async (words) => {
  const { code, err } = await runBerth([...words.split(' '), '--kubernetes-version', '1.33'])
  expect(code).toBe(2)
  expect(err).toContain('Kubernetes version "1.33" is not known; known versions: 1.34 (up to 1.34.11), 1.35')
})
