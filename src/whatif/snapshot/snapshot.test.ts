import { describe, expect, it } from 'vitest'
import type { Call, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import { createRandom } from '../../base/random.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import type { Client } from '../../client/contract.ts'
import { createInProcessClient } from '../../client/in-process-client.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { createRegistry } from '../../registry/registry.ts'
import { createStore } from '../../store/memory-store.ts'
import { buildForecast } from '../report/build-forecast.ts'
import { ForecastRun } from '../run/forecast-run.ts'
import { budget, deployment, dumpOf } from '../run/story.fixture.ts'
import { plannedStep } from '../scenario/question.ts'
import { createScenarioNodes } from '../scenario/scenario-nodes.fixture.ts'
import { findCluster } from './found-cluster.ts'
import { createRedactor } from './redaction.ts'
import { endLine, headerLine, SnapshotReader } from './snapshot-lines.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { trimObject } from './trimming.ts'

const secretPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'payments-7f9-abcde',
    namespace: 'bank',
    uid: 'u1',
    resourceVersion: '7',
    labels: { app: 'payments', 'topology.kubernetes.io/zone': 'zone-a' },
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"password":"hunter2"}',
      'example.com/token': 'hunter2',
      'controller.kubernetes.io/pod-deletion-cost': '5',
    },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'payments-7f9', uid: 'u2', controller: true }],
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: {
    nodeName: 'machine-17',
    nodeSelector: { team: 'payments', 'kubernetes.io/os': 'linux' },
    containers: [
      {
        name: 'main',
        image: 'registry.internal/payments:1',
        env: [{ name: 'PASSWORD', value: 'hunter2' }],
        envFrom: [{ secretRef: { name: 'hunter2' } }],
        command: ['serve', '--password=hunter2'],
        args: ['hunter2'],
        livenessProbe: { exec: { command: ['hunter2'] } },
        resources: { requests: { cpu: '1' } },
      },
    ],
    volumes: [
      { name: 'certs', secret: { secretName: 'hunter2' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'payments-data' } },
    ],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['payments'] }] },
          },
        ],
      },
    },
  },
  status: {
    phase: 'Running',
    podIP: '10.9.8.7',
    conditions: [{ type: 'Ready', status: 'True', message: 'hunter2' }],
    containerStatuses: [
      {
        name: 'main',
        image: 'x',
        imageID: 'y',
        ready: true,
        restartCount: 0,
        state: { waiting: { message: 'hunter2' } },
      },
    ],
  },
} as unknown as KubeObject

describe('the content of a snapshot', () => {
  it('a snapshot omits environment, commands, probes, secret volumes and custom annotations', () => {
    const text = JSON.stringify(trimObject(secretPod))
    expect(text.replace('"message":"hunter2"', '')).not.toContain('hunter2')
    expect(text).not.toContain('managedFields')
    expect(JSON.parse(text)).toMatchObject({
      metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '5' } },
      spec: {
        containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'payments-data' } }],
      },
    })
  })

  it('a snapshot also omits these fields of the templates of workloads', () => {
    const template = {
      metadata: { annotations: { 'vault.example/secret': 'hunter2' } },
      spec: (secretPod as unknown as { spec: object }).spec,
    }
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { template } }
    const cron = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'x' },
      spec: { jobTemplate: { spec: { template } } },
    }
    for (const object of [workload, cron]) {
      expect(JSON.stringify(trimObject(object as unknown as KubeObject))).not.toContain('hunter2')
    }
  })

  it('a snapshot keeps the flags of Karpenter, and no other arguments and environment', () => {
    const container = {
      name: 'controller',
      image: 'public.ecr.aws/karpenter/controller:1.14.1',
      args: ['--batch-idle-duration=2s', '--password=hunter2'],
      env: [
        { name: 'FEATURE_GATES', value: 'NodeRepair=true' },
        { name: 'AWS_SECRET_ACCESS_KEY', value: 'hunter2' },
      ],
    }
    const trimmed = trimObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'karpenter', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      spec: { template: { spec: { containers: [container] } } },
    } as unknown as KubeObject)
    expect(trimmed).toMatchObject({
      metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      spec: {
        template: {
          spec: {
            containers: [
              { args: ['--batch-idle-duration=2s'], env: [{ name: 'FEATURE_GATES', value: 'NodeRepair=true' }] },
            ],
          },
        },
      },
    })
    expect(JSON.stringify(trimmed)).not.toContain('hunter2')
  })

  it('a redacted snapshot replaces equal names by equal hashes', () => {
    const redact = createRedactor('salt')
    const redacted = redact(trimObject(secretPod)) as unknown as {
      metadata: { name: string; namespace: string; labels: Record<string, string> }
      spec: {
        nodeName: string
        nodeSelector: Record<string, string>
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              labelSelector: { matchExpressions: { values: string[] }[] }
            }[]
          }
        }
      }
    }
    const text = JSON.stringify(redacted)
    for (const name of ['payments', 'bank', 'machine-17', 'registry.internal', 'hunter2', '10.9.8.7']) {
      expect(text).not.toContain(name)
    }
    const { labels } = redacted.metadata
    expect(labels['topology.kubernetes.io/zone']).toBe('zone-a')
    expect(redacted.spec.nodeSelector['team']).toBe(labels['app'])
    expect(redacted.spec.nodeSelector['kubernetes.io/os']).toBe('linux')
    const [term] = redacted.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution
    expect(term?.labelSelector.matchExpressions[0]?.values).toEqual([labels['app']])
    const node = redact({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'machine-17', labels: { 'kubernetes.io/hostname': 'machine-17' } },
    })
    expect(node.metadata.name).toBe(redacted.spec.nodeName)
    expect(node.metadata.labels?.['kubernetes.io/hostname']).toBe(redacted.spec.nodeName)
    expect(createRedactor('other')(secretPod).metadata.name).not.toBe(redacted.metadata.name)
    expect(redact({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }).metadata.name).toBe(
      'kube-system',
    )
  })
})

function clusterClient(refuse: (call: Call) => Outcome | undefined = () => undefined) {
  const clock = new VirtualClock(0)
  const registry = createRegistry({ store: createStore(), clock, random: createRandom('x') })
  const inner = createInProcessClient(registry)
  const calls: Call[] = []
  const client: Client = {
    ...inner,
    call: async (call) => {
      calls.push(call)
      return refuse(call) ?? inner.call(call)
    },
  }
  const create = (resource: string, object: object) => {
    const outcome = inner.callNow({ verb: 'create', resource, object: object as KubeObject, namespace: 'default' })
    if (!outcome.ok) throw new Error(outcome.status.message)
  }
  inner.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  for (let n = 0; n < 7; n++) {
    inner.callNow({ verb: 'create', resource: 'nodes', object: { metadata: { name: `n${n}` } } })
  }
  create('pods', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'pause' }] } })
  create('secrets', { metadata: { name: 's' }, data: { password: 'aHVudGVyMg==' } })
  return { client, calls }
}

async function snapshotOf(client: Client, pageSize = 3) {
  const lines: string[] = []
  for await (const line of takeSnapshot(client, { takenAtMs: 1000, pageSize })) lines.push(line)
  return lines
}

function read(lines: readonly string[]) {
  const reader = new SnapshotReader()
  for (const line of lines) reader.line(line.trimEnd())
  return reader.finish()
}

describe('a snapshot gives the same forecast as the cluster', () => {
  const zone = { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' } as const
  const { zoneA, zoneB } = createScenarioNodes()

  function answerOf(objects: readonly KubeObject[]) {
    const { cluster } = findCluster({ objects, takenAtMs: Date.UTC(2026, 0, 1, 0, 1) })
    const forecastRun = ForecastRun.start({
      title: '',
      settings: defaultSettings,
      hollow: { stages: packs.forecast },
      found: cluster,
      create: [],
      steps: [plannedStep({ kind: 'fail', nodes: zone }), plannedStep({ kind: 'recover', nodes: zone }, 600_000)],
      untilMs: 1_200_000,
      expect: [],
    }).finish()
    const { lines: _, landed, budgetsBroken, ...numbers } = buildForecast(forecastRun).answer
    return { ...numbers, landed: landed.map(({ pods }) => pods), budgetsBroken: budgetsBroken.length }
  }

  it('gives the same forecast from the full, the trimmed and the redacted objects', async () => {
    const dump = await dumpOf([...zoneA(3), ...zoneB(3), budget('web', 5), deployment('web', 6), deployment('db', 2)])
    const { items } = dump as { items: readonly KubeObject[] }
    const whole = answerOf(items)
    expect(whole.deleted).toBeGreaterThan(0)
    expect(answerOf(items.map(trimObject))).toEqual(whole)
    expect(answerOf(items.map(trimObject).map(createRedactor('salt')))).toEqual(whole)
  })
})

it('does not count a pod that was terminating at the start as deleted', async () => {
  const { zoneA } = createScenarioNodes()
  const { items } = (await dumpOf([...zoneA(2), deployment('web', 2)])) as { items: KubeObject[] }
  const going = items.map((object) =>
    object.kind === 'Pod' && object === items.find(({ kind }) => kind === 'Pod')
      ? {
          ...object,
          metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:01:10Z', deletionGracePeriodSeconds: 30 },
        }
      : object,
  )
  const { cluster } = findCluster({ objects: going, takenAtMs: Date.UTC(2026, 0, 1, 0, 1) })
  const { answer } = buildForecast(
    ForecastRun.start({
      title: '',
      settings: defaultSettings,
      hollow: { stages: packs.forecast },
      found: cluster,
      create: [],
      steps: [],
      untilMs: 600_000,
      expect: [],
    }).finish(),
  )
  expect(answer).toMatchObject({ deleted: 0, deletedBefore: 1, lost: 0 })
})

describe('taking a snapshot', () => {
  it('takes a snapshot by lists in pages, without reading secrets', async () => {
    const { client, calls } = clusterClient()
    const { header, end, objects } = read(await snapshotOf(client))
    expect(new Set(calls.map(({ verb }) => verb))).toEqual(new Set(['list', 'get']))
    // Of the ConfigMaps, only the one of Cluster Autoscaler.
    expect(calls.flatMap((call) => (call.verb === 'get' ? [`${call.resource} ${call.name}`] : []))).toEqual([
      'configmaps cluster-autoscaler-status',
      'configmaps cluster-autoscaler-priority-expander',
    ])
    expect(calls.filter(({ resource }) => resource === 'nodes')).toHaveLength(3)
    expect(calls.some(({ resource }) => resource === 'secrets')).toBe(false)
    expect(header).toMatchObject({ kind: 'Snapshot', takenAt: '1970-01-01T00:00:01Z', redacted: false })
    expect(end.counts).toMatchObject({ nodes: 7, pods: 1 })
    expect(objects.filter(({ kind }) => kind === 'Node')).toHaveLength(7)
    expect(JSON.stringify(objects)).not.toContain('aHVudGVyMg')
  })

  it('custom resources that the cluster does not serve are not missing', async () => {
    const { client, calls } = clusterClient()
    const { end } = read(await snapshotOf(client))
    expect(calls.some(({ resource }) => resource === 'nodepools.karpenter.sh')).toBe(true)
    expect(end.missing).toEqual({})
  })

  it('reports custom resources that it is not allowed to read', async () => {
    const forbidden = failure('Forbidden', 'nodepools is forbidden')
    const { client } = clusterClient(({ resource }) => (resource.startsWith('nodepools') ? forbidden : undefined))
    const { end, objects } = read(await snapshotOf(client))
    expect(end.missing).toEqual({ 'nodepools.karpenter.sh': 'nodepools is forbidden' })
    expect(findCluster({ objects, missing: end.missing }).notes.map(({ text }) => text)).toContain(
      'NodePools could not be read (nodepools is forbidden): Karpenter neither adds nor removes nodes',
    )
  })

  it('lists resources that cannot be read, and continues', async () => {
    const forbidden = failure('Forbidden', 'leases is forbidden')
    const { client } = clusterClient(({ resource }) => (resource.startsWith('leases') ? forbidden : undefined))
    const { end, objects } = read(await snapshotOf(client))
    expect(end.missing).toEqual({ 'leases.coordination.k8s.io': 'leases is forbidden' })
    const { notes } = findCluster({ objects, missing: end.missing })
    expect(notes.map(({ text }) => text).join('\n')).toMatch(
      /Leases could not be read \(leases is forbidden\): the time of the last heartbeat/,
    )
  })

  it('fails to take a snapshot if nodes or pods cannot be read', async () => {
    const down = failure('ServiceUnavailable', 'connection refused')
    const { client } = clusterClient(() => down)
    await expect(snapshotOf(client)).rejects.toThrow('cannot read nodes: connection refused')
  })
})

describe('reading a snapshot', () => {
  const node = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'u' } })
  it.each<[string, readonly string[], string]>([
    ['an empty file', [], 'snapshot is empty'],
    ['another kind of file', ['{"kind":"List"}'], 'not a snapshot: the first line is not of kind Snapshot'],
    [
      'another version',
      ['{"kind":"Snapshot","apiVersion":"berth.dev/v9"}'],
      'unsupported version berth.dev/v9; expected berth.dev/v1alpha1',
    ],
    [
      'a file without the last line',
      [headerLine(0, false), node],
      'snapshot is incomplete: it ends after 1 objects; take it again',
    ],
    ['a truncated line', [headerLine(0, false), node.slice(0, 20)], 'line 2: invalid JSON; the file may be incomplete'],
    [
      'content after the last line',
      [headerLine(0, false), endLine({}, {}), node],
      'line 3: content after the end of the snapshot',
    ],
  ])('refuses to read a snapshot from %s', (_name, lines, message) => {
    expect(() => read(lines)).toThrow(message)
  })
})

describe('a found cluster', () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'n1', resourceVersion: '5' } }
  const owned = {
    ...secretPod,
    spec: { ...(secretPod as unknown as { spec: object }).spec, priorityClassName: 'gold', priority: 7 },
  } as unknown as KubeObject

  it('adds missing namespaces and priority classes of pods', () => {
    const { cluster } = findCluster({ objects: [node, owned] })
    expect(cluster.store.get('namespaces', 'bank')?.metadata.name).toBe('bank')
    expect(cluster.store.get('priorityclasses.scheduling.k8s.io', 'gold')).toMatchObject({ value: 7 })
  })

  it('reports missing objects, and disables garbage collection if owners are missing', () => {
    const { notes, without } = findCluster({ objects: [node, owned] })
    expect(without).toEqual(['garbagecollector'])
    expect(notes.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      expect.stringMatching(/^missing: no Lease found: /),
      'missing: no ReplicaSet found: deleted pods of ReplicaSets are not replaced',
      expect.stringMatching(/^missing: no PodDisruptionBudget found: /),
      'missing: no PersistentVolume found: pods with volumes are placed without regard to their volumes',
      'missing: no PersistentVolumeClaim found: pods with claims remain pending',
      'missing: no StorageClass found: claims that wait for their pod are not bound',
      'missing: 1 node has no allocatable resources: 8 CPUs, 32Gi of memory and 110 pods are assumed',
      'assumed: 1 node has no condition Ready: assumed to be ready',
      expect.stringMatching(/^assumed: the owners of 1 object are missing/),
    ])
  })

  it('starts a forecast at the newest timestamp of the objects', () => {
    const beating = {
      ...node,
      status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-05-04T03:02:01Z' }] },
    }
    expect(findCluster({ objects: [beating as KubeObject] }).cluster.takenAtMs).toBe(Date.parse('2026-05-04T03:02:01Z'))
    expect(findCluster({ objects: [beating as KubeObject], takenAtMs: 5000 }).cluster.takenAtMs).toBe(5000)
  })

  it('separates manifests from objects of a running cluster', () => {
    const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { containers: [] } } as KubeObject
    const { manifests, cluster } = findCluster({ objects: [node, manifest] })
    expect(manifests).toEqual([manifest])
    expect(cluster.store.count('pods')).toBe(0)
  })

  it('ignores unknown kinds and reports this', () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', uid: 'w' } }
    expect(findCluster({ objects: [node, widget] }).notes.at(-1)?.text).toBe(
      'objects of kind Widget do not affect the forecast and were ignored',
    )
  })

  it.each([
    ['CapacityBuffer', /CapacityBuffers are not forecast: .* feature gate CapacityBuffer of Karpenter is on$/],
    ['ProvisioningRequest', /ProvisioningRequests are not forecast: .* unless --enable-provisioning-requests is on$/],
  ])('a cluster with objects of kind %s has a note that an autoscaler may act on them', (kind, text) => {
    const object = { apiVersion: 'autoscaling.x-k8s.io/v1beta1', kind, metadata: { name: 'b', uid: 'b' } }
    const { notes } = findCluster({ objects: [node, object] })
    expect(notes.filter((note) => note.text.includes(kind))).toEqual([
      { kind: 'uncertain', text: expect.stringMatching(text) },
    ])
  })

  it.each<[string, readonly KubeObject[], RegExp]>([
    ['no objects', [], /^no objects found; create a dump with: kubectl get/],
    ['no nodes', [secretPod], /^no nodes found, only Pod; include nodes/],
  ])('refuses a cluster with %s', (_name, objects, message) => {
    expect(() => findCluster({ objects })).toThrow(message)
  })
})
