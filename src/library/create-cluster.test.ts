import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import { encodeJson } from '../base/exact-json.ts'
import { definePlugin } from '../scheduler/contract/contract.ts'
import { unresolvable } from '../scheduler/contract/status.ts'
import { endLine, headerLine } from '../whatif/snapshot/snapshot-lines.ts'
import type { Cluster } from './cluster.ts'
import { defineController } from './controller-definition.ts'
import { createCluster } from './create-cluster.ts'
import { customKind, requesting, webDeployment } from './manifests.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-library-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const web = (replicas = 6) => webDeployment(replicas, requesting('500m'))

const places = (cluster: Cluster) => cluster.pods().map(({ metadata, spec }) => `${metadata.name} ${spec.nodeName}`)

const stepping = (name: string, resource: string) =>
  defineController({ name, watches: [resource as 'pods'], start: () => () => ({}) })

describe('options of createCluster', () => {
  const wrong: readonly [string, object, string][] = [
    ['an unknown option', { nodez: 3 }, 'unknown option "nodez"; did you mean "nodes"?'],
    ['an unknown flag', { flags: { 'node-monitor-perod': '5s' } }, 'did you mean node-monitor-period?'],
    ['an unknown controller', { controllers: ['-jobb'] }, 'unknown controller "jobb"; did you mean "job"?'],
    ['an unknown pack', { pack: 'slow' }, 'pack: "slow" must be one of'],
    ['a part of a flag', { flags: { 'node-monitor-grace': '5s' } }, 'did you mean node-monitor-grace-period?'],
    ['a flag in camel case', { flags: { nodeMonitorPeriod: '5s' } }, 'did you mean node-monitor-period?'],
    ['flags that are a list', { flags: [] }, 'flags: [] must be an object such as'],
    ['a negative number of nodes', { nodes: -1 }, 'nodes: -1 must be an integer >= 0'],
    ['a number of nodes as text', { nodes: '3' }, 'nodes: "3" must be an integer >= 0'],
    ['a release as number', { kubernetesVersion: 1.37 }, 'kubernetesVersion: 1.37 must be a text such as "1.36"'],
    ['feature gates as list', { featureGates: ['A'] }, 'featureGates: ["A"] must be an object'],
    ['a seed that is an object', { seed: {} }, 'seed: {} must be a text or a number'],
    ['a misspelled resource of nodes', { nodeShape: 'cpus=4' }, 'nodeShape: unknown resource "cpus"'],
    [
      'an unknown member of a shape',
      { nodeShape: { zone: 4 } },
      'nodeShape: unknown option "zone"; did you mean "zones"?',
    ],
    ['a plugin without a name', { plugins: [{}] }, 'plugins[0]: is not a plugin'],
    ['plugins that are not a list', { plugins: {} }, 'plugins: {} must be a list'],
    ['a plugin with the name of a built-in one', { plugins: [{ name: 'NodeName' }] }, 'NodeName already exists'],
    [
      'a controller that is not defined',
      { controllers: [{ name: 'x' }] },
      'controllers[0]: must be the name of a built-in',
    ],
    [
      'a controller with the name of a built-in one',
      { controllers: [stepping('job', 'pods')] },
      '"job" already exists',
    ],
    ['a controller of an unknown resource', { controllers: [stepping('x', 'podz')] }, 'did you mean "pods"?'],
    ['an unknown option of webhooks', { webhooks: { answers: [] } }, 'webhooks: unknown option "answers"'],
    ['a field of the scheduler configuration', { schedulerConfig: { kind: 'Deployment' } }, 'schedulerConfig: '],
    ['a field of autoscaling', { autoscaling: { clusterAutoscalers: {} } }, 'autoscaling'],
    ['a path that does not exist', { from: '/no/such/file' }, 'from: /no/such/file: no such file or directory'],
    ['an unknown release', { kubernetesVersion: '1.12' }, '1.12'],
  ]
  it.each(wrong)('createCluster rejects the option %s', async (_, options, message) => {
    await expect(createCluster(options)).rejects.toThrow(message)
  })

  it('createCluster rejects options that are not an object', async () => {
    await expect(createCluster('dump.json' as never)).rejects.toThrow('createCluster: "dump.json" must be an object')
  })

  const missing = undefined as never
  const wrongArguments: readonly [string, (cluster: Cluster) => unknown, string][] = [
    ['a negative time', (c) => c.advance(-5), 'advance: -5 must be a duration such as "90s", "5m" or "1h30m"'],
    ['a time that is not a duration', (c) => c.advance('5 minutes'), 'advance: time: unknown unit " minutes"'],
    ['no time', (c) => c.advance(missing), 'advance: undefined must be a duration'],
    ['no limit', (c) => c.advanceUntil(() => true, missing), 'advanceUntil: undefined must be an object'],
    ['an unknown limit', (c) => c.advanceUntil(() => true, { timeout: 1 } as never), 'unknown option "timeout"'],
    [
      'a condition that is not a function',
      (c) => c.advanceUntil(true as never, { within: 1 }),
      'true must be a function',
    ],
    [
      'an unknown option of a drain',
      (c) => c.drain('node-1', { timeout: 1 } as never),
      'drain: unknown option "timeout"',
    ],
    ['no target', (c) => c.fail(), 'at least one node or zone is required'],
    [
      'an unknown filter',
      (c) => c.pods({ nodeName: 'a' } as never),
      'pods: unknown option "nodeName"; did you mean "node"?',
    ],
    ['an unknown phase', (c) => c.pods({ phase: 'running' as never }), 'must be one of Pending, Running'],
    ['no name', (c) => c.get('pods', missing), 'get pods: name: undefined must be a text that is not empty'],
    [
      'an unknown option of a watch',
      (c) => c.watch('pods', { selector: 'a' } as never),
      'watch: unknown option "selector"',
    ],
    ['an unknown option of serve', (c) => c.serve({ speeed: 1 } as never), 'serve: unknown option "speeed"'],
    ['a speed below zero', (c) => c.serve({ speed: -1 }), 'speed: -1 must be a number >= 0'],
    ['a port that does not exist', (c) => c.serve({ port: 70_000 }), 'port: 70000 must be an integer from 0 to 65535'],
    [
      'an unknown field',
      (c) => c.apply(web().replace('image:', 'imaje:')),
      'unknown field "spec.template.spec.containers[0].imaje"',
    ],
  ]
  it('methods of a cluster reject invalid arguments', async () => {
    const cluster = await createCluster({ nodes: 1 })
    for (const [what, call, message] of wrongArguments)
      await expect(async () => call(cluster), what).rejects.toThrow(message)
  })

  it('createCluster runs the chosen built-in controllers', async () => {
    const cluster = await createCluster({ controllers: ['-replicaset', 'serviceaccount'] })
    await cluster.apply(web())
    expect(cluster.pods()).toHaveLength(0)
    expect(cluster.list('replicasets.apps')).toHaveLength(1)
    expect(cluster.get('serviceaccounts', 'default')).toBeDefined()
  })

  it('createCluster enables plugins and configures the scheduler', async () => {
    const never = definePlugin({ name: 'Never', filter: () => unresolvable('node(s) were never used') })
    const schedulerConfig = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - { schedulerName: default-scheduler, plugins: { filter: { disabled: [{ name: Never }] } } }
  - { schedulerName: strict }
`
    const cluster = await createCluster({ plugins: [never] })
    await cluster.apply(web(1))
    expect(cluster.pods()[0]?.status?.conditions?.[0]?.message).toContain('3 node(s) were never used')
    const configured = await createCluster({ plugins: [never], schedulerConfig: schedulerConfig })
    await configured.apply(web(1).replace('spec: { containers', 'spec: { schedulerName: strict, containers'))
    expect(configured.pods()[0]?.spec.nodeName).toBeUndefined()
  })

  it('createCluster runs an autoscaler', async () => {
    const template = { status: { capacity: { cpu: '4', memory: '16Gi', pods: '110' } } }
    const autoscaling = {
      clusterAutoscaler: { nodeGroups: [{ name: 'pool', min: 0, max: 10, template, boot: '60s' }] },
    }
    const cluster = await createCluster({ nodes: 1, autoscaling })
    await cluster.apply(web(40))
    await cluster.advance('10m')
    expect(cluster.nodes().length).toBeGreaterThan(1)
    expect(cluster.pods({ phase: 'Pending' })).toHaveLength(0)
  })
})

describe('resource names', () => {
  it('resource names are plurals, full names, kinds and short names, and anything else is an error', async () => {
    const cluster = await createCluster()
    await cluster.apply(web())
    for (const name of ['deployments', 'deployments.apps'] as const)
      expect(cluster.list(name).map(({ spec }) => spec?.replicas)).toEqual([6])
    expect(cluster.list('deploy' as 'deployments')).toHaveLength(1)
    // @ts-expect-error: not a resource
    expect(() => cluster.list('nodez')).toThrow('the cluster does not serve "nodez"; did you mean "nodes"?')
    // @ts-expect-error: not a resource
    expect(() => cluster.get('podz', 'web')).toThrow('did you mean')
    await expect(cluster.delete('widgets.example.com', 'a')).rejects.toThrow('does not serve "widgets.example.com"')
  })
})

describe('createCluster({ from })', () => {
  /** A cluster that ran for an hour, as a dump. */
  async function dumped(): Promise<{ readonly objects: readonly KubeObject[]; readonly cluster: Cluster }> {
    const cluster = await createCluster({ nodes: 4 })
    await cluster.apply(web())
    await cluster.apply(`${customKind('Widget', 'widgets')}
---
apiVersion: v1
kind: Secret
metadata: { name: key }
data: { a: YQ== }
`)
    await cluster.apply('{ apiVersion: example.com/v1, kind: Widget, metadata: { name: one }, spec: { size: 3 } }')
    await cluster.advance('1h')
    return { objects: cluster.objects(), cluster }
  }

  it('gives the same cluster from objects, a list, a dump, a compressed dump and a snapshot', async () => {
    const { objects, cluster } = await dumped()
    const list = { apiVersion: 'v1', kind: 'List', items: objects }
    const dump = join(folder, 'dump.json')
    writeFileSync(dump, JSON.stringify(list))
    writeFileSync(`${dump}.gz`, gzipSync(JSON.stringify(list)))
    const snapshot = join(folder, 'snapshot.gz')
    const lines = [
      headerLine(cluster.now, false, 'v1.35.8'),
      ...objects.map((each) => `${encodeJson(each)}\n`),
      endLine({}, {}),
    ]
    writeFileSync(snapshot, gzipSync(lines.join('')))
    for (const from of [objects, list, dump, `${dump}.gz`, snapshot]) {
      const opened = await createCluster({ from })
      expect(places(opened)).toEqual(places(cluster))
      expect(opened.nodes()).toHaveLength(4)
      expect(opened.get('secrets', 'key')).toBeDefined()
      expect(opened.events().length).toBeGreaterThan(0)
      expect(opened.get('widgets.example.com', 'one')).toMatchObject({ spec: { size: 3 } })
      expect(opened.release.minor).toBe(from === snapshot ? '1.35' : cluster.release.minor)
      await opened.taint('node-1', 'gone:NoExecute')
      await opened.advance('5m')
      expect(opened.pods({ phase: 'Running' })).toHaveLength(6)
      expect(opened.pods({ node: 'node-1' })).toHaveLength(0)
    }
    expect(cluster.pods({ node: 'node-1' }).length).toBeGreaterThan(0)
  })

  it('creates manifests, and adds hollow nodes', async () => {
    writeFileSync(join(folder, 'web.yaml'), web())
    const cluster = await createCluster({ from: join(folder, 'web.yaml'), nodes: 2 })
    expect(cluster.pods({ phase: 'Running' })).toHaveLength(6)
    await expect(createCluster({ from: join(folder, 'web.yaml') })).rejects.toThrow('no nodes found, only Deployment')
  })
})

describe('fork', () => {
  it('gives equal copies that do not change the original', async () => {
    const cluster = await createCluster()
    await cluster.apply(web())
    const before = places(cluster)
    const forks = [await cluster.fork(), await cluster.fork()]
    for (const fork of forks) {
      expect(places(fork)).toEqual(before)
      await fork.fail('zone-a')
      await fork.advance('10m')
      expect(fork.pods({ phase: 'Running' }).filter(({ spec }) => spec.nodeName !== 'node-1')).toHaveLength(6)
    }
    expect(places(forks[0] as Cluster)).toEqual(places(forks[1] as Cluster))
    expect(places(cluster)).toEqual(before)
    expect(forks[0]?.now).toBe(cluster.now + 600_000)
  })

  it.each(['written', 'computed'] as const)(
    'continues failures and countdowns with %s heartbeats',
    async (heartbeats) => {
      const cluster = await createCluster({ heartbeats })
      await cluster.apply(web())
      await cluster.advance('1m')
      await cluster.fail('node-2')
      await cluster.advance('30s')
      const fork = await cluster.fork()
      const unknown = (each: Cluster) =>
        each.get('nodes', 'node-2')?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'Unknown'
      expect(unknown(fork)).toBe(false)
      await fork.advance('30s')
      expect(unknown(fork)).toBe(true)
      const again = await fork.fork()
      await again.advance('6m')
      expect(
        again
          .pods()
          .filter(({ spec, metadata }) => spec.nodeName === 'node-2' && metadata.deletionTimestamp === undefined),
      ).toHaveLength(0)
      await again.revive('node-2')
      await again.advance('2m')
      expect(
        again.pods({ node: 'node-2' }).filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
      ).toHaveLength(0)
    },
  )
})

describe('time', () => {
  it('advances until a condition holds', async () => {
    const cluster = await createCluster()
    await cluster.apply(web())
    await cluster.silence('node-1')
    const lost = (each: Cluster) => each.events({ reason: 'NodeNotReady' }).length > 0
    const tookMs = await cluster.advanceUntil(lost, { within: '10m' })
    expect(tookMs).toBeGreaterThanOrEqual(40_000)
    expect(tookMs).toBeLessThan(70_000)
    await expect(cluster.advanceUntil(() => false, { within: '1m' })).rejects.toThrow('does not hold within 1m')
  })

  it('drains a node, and reports what blocks the drain', async () => {
    const cluster = await createCluster()
    await cluster.apply(web())
    expect(await cluster.drain('node-3', { within: '10m' })).toMatchObject({ open: [], blocked: [] })
    expect(cluster.pods({ node: 'node-3' })).toHaveLength(0)
    await cluster.apply(`
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { maxUnavailable: 0, selector: { matchLabels: { app: web } } }
`)
    const { open, blocked } = await cluster.drain('node-1', { within: '10m' })
    expect(open).toEqual(['node-1'])
    expect(blocked[0]?.why).toContain('The disruption budget web needs 6 healthy pods and has 6 currently')
  })

  it('an error about an unknown target lists the existing nodes and zones', async () => {
    const cluster = await createCluster()
    await expect(cluster.fail('zone-d')).rejects.toThrow('node or zone "zone-d" not found; did you mean "zone-a"')
    await expect(cluster.taint('nod-3', 'a:NoExecute')).rejects.toThrow('did you mean "node-3"?')
  })
})

it('answers webhooks from a recording', async () => {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
  const registered = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'stamp' },
    webhooks: [
      {
        name: 'stamp.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://hooks.example/' },
        rules,
      },
    ],
  }
  const patch = [{ op: 'add', path: '/data', value: { stamped: 'yes' } }]
  const recording = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'WebhookRecording',
    answers: [{ webhook: 'stamp.example.com', response: { allowed: true, jsonPatch: patch } }],
  }
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } }
  const answered = await createCluster({ webhooks: { recording } })
  const [, made] = await answered.apply([registered, map])
  expect(made).toMatchObject({ data: { stamped: 'yes' } })
  const unanswered = await createCluster()
  await expect(unanswered.apply([registered, map])).rejects.toThrow('failed calling webhook "stamp.example.com"')
  await expect(createCluster({ webhooks: { recording: { kind: 'x' } } })).rejects.toThrow('webhooks.recording: ')
})
