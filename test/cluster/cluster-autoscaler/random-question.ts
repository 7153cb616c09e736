import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'
import type { AutoscalerQuestion } from '../../conformance/cluster-autoscaler.ts'
import { chance, nowMs, type Owner, owners, pendingPods, podsOn, timeBefore } from './random-pods.ts'

const zones = ['zone-a', 'zone-b', 'zone-c']
const zoneLabel = 'topology.kubernetes.io/zone'

/** A random cluster with node groups. */
export function randomQuestion(random: RandomStream): AutoscalerQuestion {
  const groups = Array.from({ length: 1 + random.int(4) }, (_, at) => groupOf(random, `group-${at}`))
  const owned = owners(random)
  const nodes = groups.flatMap((group) =>
    Array.from({ length: random.int(Math.min(group.max, 5) + 1) }, (_, at) =>
      nodeOf(random, group, `${group.name}-${at}`),
    ),
  )
  if (chance(random, 0.2)) nodes.push(strangeNode(random))
  const running = nodes.flatMap((node, at) => podsOn(random, node, at, owned))
  return {
    nowMs,
    flags: flagsOf(random),
    groups,
    objects: [
      ...owned.map(({ object }) => object),
      ...budgetsOf(random, owned),
      ...daemonSets(random),
      ...priorities(random),
      ...nodes,
      ...running,
      ...pendingPods(random, owned, nodes),
    ],
    // The instances of the cloud are listed again every two minutes: no loop at the same time.
    loops: random.pick([[10], [10, 20], [10, 20, 30, 70], [10, 100, 700, 1300], [10, 70, 130, 190, 250, 370]]),
  }
}

interface AskedGroup {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly bootSeconds: number
  readonly stockout: boolean
  readonly template: never
}

function groupOf(random: RandomStream, name: string): AskedGroup {
  const min = random.pick([0, 0, 1, 2])
  const [cpu, memory] = random.pick([
    ['2', '8Gi'],
    ['4', '16Gi'],
    ['4', '16300Mi'],
    ['8', '16Gi'],
    ['8', '64Gi'],
  ])
  const allocatable = { cpu, memory, pods: random.pick(['8', '110']) }
  const template: JsonObject = {
    metadata: {
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/arch': 'amd64',
        [zoneLabel]: random.pick(zones),
        ...(chance(random, 0.4) ? { disk: random.pick(['ssd', 'hdd']) } : {}),
      },
    },
    ...(chance(random, 0.15) ? { spec: { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] } } : {}),
    status: { capacity: allocatable, allocatable },
  } as never
  return {
    name,
    min,
    max: min + random.pick([1, 2, 4, 12]),
    bootSeconds: random.pick([0, 5, 45, 1200]),
    stockout: chance(random, 0.12),
    template: template as never,
  }
}

function nodeOf(random: RandomStream, { name: group, template }: AskedGroup, name: string): KubeObject {
  const { metadata, spec, status } = template as unknown as {
    metadata: { labels: Record<string, string> }
    spec?: { taints?: readonly JsonObject[] }
    status: JsonObject
  }
  const isReady = chance(random, 0.88)
  const age = random.pick([30, 600, 7200])
  const taints = [
    ...(spec?.taints ?? []),
    ...(chance(random, 0.08)
      ? [{ key: 'DeletionCandidateOfClusterAutoscaler', effect: 'PreferNoSchedule', value: '1767268000' }]
      : []),
    ...(chance(random, 0.04) ? [{ key: 'maintenance', effect: 'NoSchedule' }] : []),
  ]
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: name,
      creationTimestamp: timeBefore(age),
      labels: { ...metadata.labels, 'kubernetes.io/hostname': name, 'kwok-nodegroup': group },
      annotations: {
        'kwok.x-k8s.io/node': 'fake',
        ...(chance(random, 0.06)
          ? { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': random.pick(['true', 'false']) }
          : {}),
      },
    },
    spec: {
      providerID: `kwok:${name}`,
      ...(taints.length === 0 ? {} : { taints }),
      ...(chance(random, 0.04) ? { unschedulable: true } : {}),
    },
    status: {
      ...status,
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : random.pick(['False', 'Unknown']),
          lastTransitionTime: timeBefore(Math.min(age, random.pick([20, 600]))),
        },
      ],
    },
  } as never
}

/** A node of no group. */
function strangeNode(random: RandomStream): KubeObject {
  const allocatable = { cpu: random.pick(['1', '4']), memory: '16Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'static-0',
      uid: 'static-0',
      creationTimestamp: timeBefore(7200),
      labels: { 'kubernetes.io/hostname': 'static-0', 'kubernetes.io/arch': 'amd64', [zoneLabel]: 'zone-a' },
    },
    spec: {},
    status: {
      capacity: allocatable,
      allocatable,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: timeBefore(7200) }],
    },
  } as never
}

function budgetsOf(random: RandomStream, owned: readonly Owner[]): readonly KubeObject[] {
  return owned
    .filter(() => chance(random, 0.3))
    .map(({ app, namespace }) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: app, namespace, uid: `pdb-${app}` },
      spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      status: { disruptionsAllowed: random.int(3), currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    })) as never
}

function daemonSets(random: RandomStream): readonly KubeObject[] {
  if (!chance(random, 0.35)) return []
  const spec = {
    containers: [
      { name: 'c', image: 'a', resources: { requests: { cpu: random.pick(['100m', '500m']), memory: '100Mi' } } },
    ],
    tolerations: [{ operator: 'Exists' }],
    ...(chance(random, 0.5) ? { priorityClassName: 'system-node-critical' } : {}),
    ...(chance(random, 0.3) ? { nodeSelector: { disk: 'ssd' } } : {}),
  }
  const labels = { app: 'agent' }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'kube-system', uid: 'DaemonSet-agent' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  ] as never
}

function priorities(random: RandomStream): readonly KubeObject[] {
  if (!chance(random, 0.5)) return []
  const text = random.pick([
    '10:\n  - .*-1\n  - .*-2\n20:\n  - group-3\n',
    '1:\n  - .*\n50:\n  - group-0\n  - group-1\n',
    '7:\n  - nothing\n',
  ])
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cluster-autoscaler-priority-expander', namespace: 'kube-system', uid: 'priorities' },
      data: { priorities: text },
    },
  ] as never
}

type Choice = readonly [flag: string, probability: number, values: readonly string[]]

const choices: readonly Choice[] = [
  [
    'expander',
    0.8,
    ['random', 'most-pods', 'least-waste', 'least-nodes', 'priority', 'most-pods,least-waste', 'priority,least-nodes'],
  ],
  ['balance-similar-node-groups', 0.4, ['true']],
  ['balancing-ignore-label', 0.15, ['disk']],
  ['cores-total', 0.15, ['12:60', '0:16', '8:24']],
  ['memory-total', 0.15, ['0:64', '16:100', '32:400']],
  ['max-nodes-total', 0.15, ['3', '6', '9', '12']],
  ['max-nodes-per-scaleup', 0.1, ['1', '3']],
  ['max-node-provision-time', 0.2, ['30s', '5m']],
  ['max-node-startup-time', 0.1, ['1m']],
  ['initial-node-group-backoff-duration', 0.2, ['20s']],
  ['new-pod-scale-up-delay', 0.1, ['20s']],
  ['expendable-pods-priority-cutoff', 0.1, ['10', '-30']],
  ['enforce-node-group-min-size', 0.1, ['true']],
  ['force-ds', 0.1, ['true']],
  ['ok-total-unready-count', 0.1, ['0', '1']],
  ['max-total-unready-percentage', 0.1, ['20']],
  ['scale-down-enabled', 0.06, ['false']],
  ['scale-down-unready-enabled', 0.1, ['false']],
  ['scale-down-unneeded-time', 0.5, ['0s', '15s', '1m']],
  ['scale-down-unready-time', 0.35, ['0s', '30s']],
  ['scale-down-delay-after-add', 0.5, ['0s', '15s', '1m']],
  ['scale-down-utilization-threshold', 0.3, ['0.2', '0.8', '1']],
  ['unremovable-node-recheck-timeout', 0.15, ['0s', '15s']],
  ['max-bulk-soft-taint-count', 0.1, ['0', '1']],
  ['max-scale-down-parallelism', 0.15, ['1', '2']],
  ['max-drain-parallelism', 0.15, ['1', '3']],
  ['ignore-daemonsets-utilization', 0.1, ['true']],
  ['ignore-mirror-pods-utilization', 0.1, ['true']],
  ['skip-nodes-with-system-pods', 0.1, ['false']],
  ['skip-nodes-with-local-storage', 0.1, ['false']],
  ['skip-nodes-with-custom-controller-pods', 0.1, ['false']],
  ['min-replica-count', 0.1, ['2', '4']],
]

function flagsOf(random: RandomStream): Readonly<Record<string, string>> {
  return Object.fromEntries(
    choices
      .filter(([, probability]) => chance(random, probability))
      .map(([flag, , values]) => [flag, random.pick(values)]),
  )
}
