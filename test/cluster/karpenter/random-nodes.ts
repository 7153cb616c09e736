import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'
import { podOf, podShape } from './random-pods.ts'
import { chance, nowMs, zones } from './random-question.ts'

const at = (ms: number): string => new Date(ms).toISOString().replace('.000', '')

interface Given {
  readonly pools: readonly KubeObject[]
  readonly instanceTypes: readonly JsonObject[]
  readonly disruption: boolean
}

/** Nodes with their claims and pods, and budgets for the pods. */
export function nodesOf(random: RandomStream, given: Given): readonly KubeObject[] {
  const count = given.disruption ? 1 + random.int(7) : random.int(5)
  const shapes = Array.from({ length: 1 + random.int(3) }, (_, index) => podShape(random, `app-${index}`))
  const all = Array.from({ length: count }, (_, index) => nodeOf(random, given, index, shapes)).flat()
  const budgets = chance(random, given.disruption ? 0.3 : 0.1) ? 1 + random.int(2) : 0
  return [...all, ...Array.from({ length: budgets }, (_, index) => budgetOf(random, index))]
}

function budgetOf(random: RandomStream, index: number): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `budget-${index}`, namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: `app-${random.int(2)}` } },
      ...random.pick([{ maxUnavailable: 0 }, { minAvailable: 1 }, { minAvailable: '100%' }]),
      ...(chance(random, 0.3) ? { unhealthyPodEvictionPolicy: 'AlwaysAllow' } : {}),
    },
    status: { disruptionsAllowed: random.int(2), currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  } as unknown as KubeObject
}

function nodeOf(
  random: RandomStream,
  given: Given,
  index: number,
  shapes: readonly ReturnType<typeof podShape>[],
): readonly KubeObject[] {
  const name = `node-${index}`
  const type = random.pick(given.instanceTypes) as unknown as {
    readonly name: string
    readonly architecture: string
    readonly resources: Readonly<Record<string, string>>
    readonly offerings: readonly { readonly Requirements: readonly { readonly values: readonly string[] }[] }[]
  }
  const offering = random.pick(type.offerings)
  const isManaged = chance(random, given.disruption ? 0.95 : 0.6)
  const isInitialized = chance(random, 0.9)
  const isLeaving = chance(random, 0.1)
  const pool = random.pick(given.pools) as KubeObject & {
    readonly spec: {
      readonly template: { readonly metadata: { readonly labels: Record<string, string> }; readonly spec: JsonObject }
    }
  }
  const [family, size] = type.name.split('-')
  const labels: Record<string, string> = {
    ...(isManaged ? pool.spec.template.metadata.labels : {}),
    'kubernetes.io/hostname': name,
    'kubernetes.io/arch': type.architecture,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': type.name,
    'topology.kubernetes.io/zone': offering.Requirements[1]?.values[0] ?? random.pick(zones),
    'karpenter.kwok.sh/instance-family': family ?? '',
    'karpenter.kwok.sh/instance-cpu': (size ?? '').replace('x', ''),
    ...(isManaged
      ? {
          'karpenter.sh/nodepool': pool.metadata.name,
          'karpenter.sh/capacity-type': offering.Requirements[0]?.values[0] ?? 'on-demand',
          'karpenter.kwok.sh/kwoknodeclass': 'default',
        }
      : {}),
  }
  const providerID = `kwok://${name}`
  const allocatable = { ...type.resources, cpu: `${Number(type.resources['cpu']) * 1000 - 100}m` }
  const fields = pool.spec.template.spec as { readonly taints?: JsonObject[]; readonly startupTaints?: JsonObject[] }
  const isRegistered = isInitialized || chance(random, 0.5)
  const taints: JsonObject[] = isManaged
    ? [
        ...(fields.taints ?? []),
        ...(isInitialized ? [] : (fields.startupTaints ?? [])),
        ...(isInitialized ? [] : [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]),
        ...(isRegistered ? [] : [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }]),
      ]
    : []
  const registered = {
    ...(isRegistered ? { 'karpenter.sh/registered': 'true' } : {}),
    ...(isInitialized ? { 'karpenter.sh/initialized': 'true' } : {}),
  }
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: isManaged ? { ...labels, ...registered } : labels,
      ...(chance(random, 0.05) ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {}),
    },
    spec: { providerID, ...(taints.length > 0 ? { taints } : {}) },
    status: {
      capacity: type.resources,
      allocatable,
      conditions: [{ type: 'Ready', status: chance(random, 0.95) ? 'True' : 'False' }],
    },
  } as unknown as KubeObject
  const hasNode = !isManaged || isInitialized || chance(random, 0.5)
  const pods = hasNode ? podsOf(random, name, Number(type.resources['cpu']), shapes) : []
  const claim = claimOf(random, {
    name,
    pool,
    labels,
    providerID,
    isRegistered,
    isInitialized,
    isLeaving,
    capacity: type.resources,
    allocatable,
  })
  return [...(hasNode ? [node] : []), ...(isManaged ? [claim] : []), ...pods]
}

function podsOf(
  random: RandomStream,
  node: string,
  cpu: number,
  shapes: readonly ReturnType<typeof podShape>[],
): readonly KubeObject[] {
  const count = chance(random, 0.2) ? 0 : random.int(Math.min(6, cpu + 1))
  return Array.from({ length: count }, (_, index) => {
    const shape = random.pick(shapes)
    const light = {
      ...shape,
      spec: {
        ...shape.spec,
        containers: [
          {
            name: 'c',
            image: 'a',
            resources: { requests: { cpu: random.pick(['100m', '300m', '700m']), memory: '256Mi' } },
          },
        ],
      },
    }
    return podOf(random, light as never, `${node}-pod-${index}`, node)
  })
}

function claimOf(
  random: RandomStream,
  of: {
    readonly name: string
    readonly pool: KubeObject & { readonly spec: { readonly template: { readonly spec: JsonObject } } }
    readonly labels: Record<string, string>
    readonly providerID: string
    readonly isRegistered: boolean
    readonly isInitialized: boolean
    readonly isLeaving: boolean
    readonly capacity: Readonly<Record<string, string>>
    readonly allocatable: Readonly<Record<string, string>>
  },
): KubeObject {
  const condition = (type: string, status = 'True', since = nowMs - 300_000) => ({
    type,
    status,
    reason: type,
    message: '',
    lastTransitionTime: at(since),
  })
  const { requirements: _, ...spec } = of.pool.spec.template.spec
  const isDrifted = chance(random, 0.15)
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: `${of.pool.metadata.name}-${of.name}`,
      uid: `uid-claim-${of.name}`,
      labels: of.labels,
      creationTimestamp: at(nowMs - 900_000),
      finalizers: ['karpenter.sh/termination'],
      ...(of.isLeaving ? { deletionTimestamp: at(nowMs - 5_000) } : {}),
    },
    spec: { ...spec, requirements: [] },
    status: {
      providerID: of.providerID,
      nodeName: of.name,
      capacity: of.capacity,
      allocatable: of.allocatable,
      ...(chance(random, 0.3) ? { lastPodEventTime: at(nowMs - random.int(60) * 1000) } : {}),
      conditions: [
        condition('Launched'),
        condition('Registered', of.isRegistered ? 'True' : 'Unknown'),
        condition('Initialized', of.isInitialized ? 'True' : 'Unknown'),
        ...(chance(random, 0.8) ? [condition('Consolidatable')] : []),
        ...(isDrifted ? [condition('Drifted', 'True', nowMs - 1000 * (1 + random.int(500)))] : []),
      ],
    },
  } as unknown as KubeObject
}
