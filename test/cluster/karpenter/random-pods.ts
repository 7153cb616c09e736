import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'
import { chance, nowMs, some, zones } from './random-question.ts'

/** The common settings of the pods of an app. */
export interface PodShape {
  readonly app: string
  readonly spec: JsonObject
  readonly annotations: JsonObject
}

const zoneKey = 'topology.kubernetes.io/zone'
const hostKey = 'kubernetes.io/hostname'

const expression = (random: RandomStream): JsonObject =>
  random.pick<() => JsonObject>([
    () => ({ key: zoneKey, operator: random.pick(['In', 'NotIn']), values: some(random, zones) as string[] }),
    () => ({ key: 'kubernetes.io/arch', operator: 'In', values: [random.pick(['amd64', 'arm64'])] }),
    () => ({ key: 'karpenter.sh/capacity-type', operator: 'In', values: [random.pick(['spot', 'on-demand'])] }),
    () => ({
      key: 'karpenter.kwok.sh/instance-family',
      operator: random.pick(['In', 'NotIn']),
      values: some(random, ['c', 'm', 'r']) as string[],
    }),
    () => ({ key: 'team', operator: random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']), values: ['x'] }),
    () => ({
      key: 'karpenter.kwok.sh/instance-cpu',
      operator: random.pick(['Gt', 'Lt']),
      values: [random.pick(['1', '4'])],
    }),
  ])()

const clean = (each: JsonObject): JsonObject =>
  each['operator'] === 'Exists' || each['operator'] === 'DoesNotExist'
    ? { key: each['key'] as string, operator: each['operator'] as string }
    : each

const term = (random: RandomStream): JsonObject => ({
  matchExpressions: Array.from({ length: 1 + random.int(2) }, () => clean(expression(random))),
})

const affinityTerm = (random: RandomStream, app: string): JsonObject => ({
  topologyKey: random.pick([zoneKey, zoneKey, hostKey]),
  labelSelector: { matchLabels: { app: chance(random, 0.7) ? app : `app-${random.int(3)}` } },
  ...(chance(random, 0.1) ? { namespaceSelector: { matchLabels: { team: random.pick(['x', 'y']) } } } : {}),
})

export function podShape(random: RandomStream, app: string): PodShape {
  const requests = {
    cpu: random.pick(['100m', '500m', '1', '1500m', '3']),
    memory: random.pick(['128Mi', '1Gi', '3Gi', '10Gi']),
    ...(chance(random, 0.03) ? { 'example.com/device': '1' } : {}),
  }
  const nodeAffinity = {
    ...(chance(random, 0.25)
      ? {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: Array.from({ length: 1 + random.int(2) }, () => term(random)),
          },
        }
      : {}),
    ...(chance(random, 0.2)
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 1 + random.int(2) }, (_, at) => ({
            weight: 1 + 10 * at + random.int(9),
            preference: term(random),
          })),
        }
      : {}),
  }
  const podAffinity = chance(random, 0.12) ? { podAffinity: affinities(random, app) } : {}
  const podAntiAffinity = chance(random, 0.15) ? { podAntiAffinity: affinities(random, app) } : {}
  // Two constraints with one key contradict each other at random in upstream.
  const keys = random.shuffle([zoneKey, hostKey, 'karpenter.sh/capacity-type'])
  const spreads = keys.slice(0, chance(random, 0.35) ? 1 + random.int(2) : 0).map((key) => spread(random, app, key))
  const ports = chance(random, 0.08) ? { ports: [{ containerPort: 80, hostPort: 8080, protocol: 'TCP' }] } : {}
  const volumes = chance(random, 0.08)
    ? [
        {
          name: 'data',
          persistentVolumeClaim: { claimName: random.pick(['claim-zone-a', 'claim-zone-b', 'claim-unbound']) },
        },
      ]
    : []
  return {
    app,
    annotations: {
      ...(chance(random, 0.06) ? { 'karpenter.sh/do-not-disrupt': random.pick(['true', '5m', '24h']) } : {}),
      ...(chance(random, 0.1)
        ? { 'controller.kubernetes.io/pod-deletion-cost': random.pick(['-2147483647', '100000000']) }
        : {}),
    },
    spec: {
      containers: [{ name: 'c', image: 'a', resources: { requests }, ...ports }],
      ...(chance(random, 0.15)
        ? {
            nodeSelector: random.pick([
              { [zoneKey]: random.pick(zones) },
              { 'kubernetes.io/arch': 'amd64' },
              { tier: 'web' },
              { team: 'x' },
            ]),
          }
        : {}),
      affinity: { nodeAffinity, ...podAffinity, ...podAntiAffinity },
      ...(chance(random, 0.4) ? { tolerations: [{ key: 'dedicated', operator: 'Exists' }] } : {}),
      ...(spreads.length > 0 ? { topologySpreadConstraints: spreads } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
      ...(chance(random, 0.1) ? { priority: random.pick([1000, 1_000_000_000, -100_000_000]) } : {}),
    } as unknown as JsonObject,
  }
}

function affinities(random: RandomStream, app: string): JsonObject {
  return chance(random, 0.5)
    ? { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm(random, app)] }
    : {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1 + random.int(99), podAffinityTerm: affinityTerm(random, app) },
        ],
      }
}

function spread(random: RandomStream, app: string, topologyKey: string): JsonObject {
  return {
    topologyKey,
    maxSkew: 1 + random.int(2),
    whenUnsatisfiable: random.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: { app } },
    ...(chance(random, 0.1) ? { matchLabelKeys: ['version'] } : {}),
    ...(chance(random, 0.15) ? { minDomains: 1 + random.int(3) } : {}),
    ...(chance(random, 0.2) ? { nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) } : {}),
    ...(chance(random, 0.2) ? { nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) } : {}),
  }
}

const ownerOf = (kind: string, name: string): JsonObject => ({
  apiVersion: kind === 'Node' ? 'v1' : 'apps/v1',
  kind,
  name,
  uid: `uid-${name}`,
  controller: true,
})

const otherOwners: readonly (JsonObject | undefined)[] = [
  ownerOf('StatefulSet', 'set'),
  ownerOf('DaemonSet', 'daemon-0'),
  ownerOf('Node', 'node'),
  undefined,
]

/** A pod that is pending, or runs on a node. */
export function podOf(random: RandomStream, shape: PodShape, name: string, node: string | undefined): KubeObject {
  const owner = node === undefined || chance(random, 0.85) ? ownerOf('ReplicaSet', shape.app) : random.pick(otherOwners)
  const isEnding = node !== undefined && chance(random, 0.05)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${random.hex(8)}-${name}`,
      labels: { app: shape.app, version: String(random.int(2)) },
      annotations: shape.annotations,
      creationTimestamp: '2026-01-01T11:59:00Z',
      ...(isEnding ? { deletionTimestamp: '2026-01-01T11:59:50Z', finalizers: ['example.com/keep'] } : {}),
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: { ...shape.spec, ...(node === undefined ? {} : { nodeName: node }) },
    status:
      node === undefined
        ? { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }
        : {
            phase: chance(random, 0.97) ? 'Running' : random.pick(['Succeeded', 'Failed']),
            startTime: new Date(nowMs - 600_000).toISOString().replace('.000', ''),
            conditions: [
              { type: 'PodScheduled', status: 'True' },
              { type: 'Ready', status: chance(random, 0.9) ? 'True' : 'False' },
            ],
          },
  } as unknown as KubeObject
}
