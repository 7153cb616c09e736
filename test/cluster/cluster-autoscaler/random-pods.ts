import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'

export const nowMs = Date.UTC(2026, 0, 1, 12)

export const chance = (random: RandomStream, probability: number): boolean => random.next() < probability
export const timeBefore = (seconds: number): string =>
  new Date(nowMs - seconds * 1000).toISOString().replace('.000Z', 'Z')

/** A controller of pods. */
export interface Owner {
  readonly app: string
  readonly namespace: string
  readonly object: KubeObject
}

const kinds = { web: 'ReplicaSet', api: 'ReplicaSet', db: 'StatefulSet', dns: 'ReplicaSet', batch: 'Job' } as const

export function owners(random: RandomStream): readonly Owner[] {
  return Object.entries(kinds).map(([app, kind]) => {
    const namespace = app === 'dns' ? 'kube-system' : 'default'
    const replicas = 1 + random.int(5)
    const counted = {
      spec: { replicas, selector: { matchLabels: { app } } },
      status: { replicas: chance(random, 0.9) ? replicas : replicas - 1 },
    }
    const object = {
      apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
      kind,
      metadata: { name: app, namespace, uid: `${kind}-${app}` },
      ...(kind === 'Job' ? {} : counted),
    }
    return { app, namespace, object: object as never }
  })
}

function ownedBy({ app, object }: Owner): JsonObject {
  const { apiVersion, kind, metadata } = object
  return { apiVersion, kind, name: app, uid: metadata.uid, controller: true } as never
}

const container = (random: RandomStream, cpu: readonly string[], memory: readonly string[]): JsonObject =>
  ({
    name: 'c',
    image: 'a',
    resources: { requests: { cpu: random.pick(cpu), memory: random.pick(memory) } },
    ...(chance(random, 0.04) ? { ports: [{ containerPort: 80, hostPort: 80 }] } : {}),
  }) as never

/** The pods on a node: owned, static, of a DaemonSet, without an owner, or of a controller that does not exist. */
export function podsOn(
  random: RandomStream,
  node: KubeObject,
  at: number,
  owned: readonly Owner[],
): readonly KubeObject[] {
  const { name } = node.metadata
  const pods = Array.from({ length: chance(random, 0.3) ? 0 : random.int(4) }, (_, index) => {
    const owner = random.pick(owned)
    const isLost = chance(random, 0.04)
    const safe = chance(random, 0.12) ? random.pick(['true', 'false', 'on-completion']) : undefined
    const volume = chance(random, 0.08)
      ? random.pick([{ emptyDir: {} }, { hostPath: { path: '/x' } }, { emptyDir: { medium: 'Memory' } }])
      : undefined
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${owner.app}-${at}-${index}`,
        namespace: owner.namespace,
        uid: `${owner.app}-${at}-${index}`,
        creationTimestamp: timeBefore(random.pick([7000, 300])),
        labels: { app: owner.app },
        ...(safe === undefined ? {} : { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': safe } }),
        ...(chance(random, 0.95)
          ? { ownerReferences: [{ ...ownedBy(owner), ...(isLost ? { name: 'lost', uid: 'lost' } : {}) }] }
          : {}),
        ...(chance(random, 0.04) ? { deletionTimestamp: timeBefore(random.pick([10, 200])), finalizers: ['x/y'] } : {}),
      },
      spec: {
        nodeName: name,
        terminationGracePeriodSeconds: 30,
        containers: [container(random, ['50m', '300m', '1', '3'], ['64Mi', '1Gi', '4Gi'])],
        priority: random.pick([0, 0, 0, 100, -20]),
        ...(volume === undefined ? {} : { volumes: [{ name: 'data', ...volume }] }),
      },
      status: { phase: chance(random, 0.95) ? 'Running' : 'Succeeded' },
    }
  })
  return [
    ...pods,
    ...(chance(random, 0.15) ? [mirrorPod(name, at)] : []),
    ...(chance(random, 0.2) ? [daemonPod(name, at)] : []),
  ] as never
}

const mirrorPod = (node: string, at: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `mirror-${at}`,
    namespace: 'kube-system',
    uid: `mirror-${at}`,
    creationTimestamp: timeBefore(7000),
    annotations: { 'kubernetes.io/config.mirror': 'x' },
  },
  spec: {
    nodeName: node,
    containers: [{ name: 'c', image: 'a', resources: { requests: { cpu: '100m', memory: '100Mi' } } }],
    priority: 0,
  },
  status: { phase: 'Running' },
})

const daemonPod = (node: string, at: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `agent-${at}`,
    namespace: 'kube-system',
    uid: `agent-${at}`,
    creationTimestamp: timeBefore(7000),
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'DaemonSet-agent', controller: true },
    ],
  },
  spec: {
    nodeName: node,
    containers: [{ name: 'c', image: 'a', resources: { requests: { cpu: '100m', memory: '100Mi' } } }],
    priority: 0,
  },
  status: { phase: 'Running' },
})

/** Pods without a node, in groups of equal pods. */
export function pendingPods(
  random: RandomStream,
  owned: readonly Owner[],
  nodes: readonly KubeObject[],
): readonly KubeObject[] {
  const shapes = Array.from({ length: random.int(4) }, (_, at) => shapeOf(random, owned, `app-${at}`))
  return shapes.flatMap(({ app, metadata, spec }) =>
    Array.from({ length: 1 + random.int(chance(random, 0.2) ? 20 : 5) }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        name: `pending-${app}-${index}`,
        uid: `pending-${app}-${index}`,
        creationTimestamp: timeBefore(random.pick([-9, 5, 60, 600])),
      },
      spec,
      status: {
        phase: 'Pending',
        ...(chance(random, 0.05) && nodes.length > 0 ? { nominatedNodeName: random.pick(nodes).metadata.name } : {}),
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
      },
    })),
  ) as never
}

function shapeOf(random: RandomStream, owned: readonly Owner[], ownName: string) {
  const owner = chance(random, 0.8) ? random.pick(owned) : undefined
  const app = owner?.app ?? ownName
  const labels = { app }
  const terms = [{ labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' }]
  const spread = {
    maxSkew: 1,
    topologyKey: random.pick(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']),
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: labels },
  }
  return {
    app: ownName,
    metadata: {
      namespace: owner?.namespace ?? 'default',
      labels,
      ...(owner === undefined ? {} : { ownerReferences: [ownedBy(owner)] }),
      ...(chance(random, 0.06)
        ? { annotations: { 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay': '60s' } }
        : {}),
    },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [container(random, ['100m', '600m', '1500m', '3', '7'], ['128Mi', '1Gi', '6Gi', '20Gi'])],
      priority: random.pick([0, 0, 0, 100, -20]),
      ...(chance(random, 0.1)
        ? { nodeSelector: { 'topology.kubernetes.io/zone': random.pick(['zone-a', 'zone-b']) } }
        : {}),
      ...(chance(random, 0.1) ? { tolerations: [{ key: 'team', operator: 'Exists' }] } : {}),
      ...(chance(random, 0.1)
        ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } }
        : {}),
      ...(chance(random, 0.1) ? { topologySpreadConstraints: [spread] } : {}),
    },
  }
}
