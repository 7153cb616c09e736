import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'
import { nodesOf } from './random-nodes.ts'
import { podOf, podShape } from './random-pods.ts'

/** A cluster for which Karpenter and berth make a decision. */
export interface KarpenterQuestion {
  readonly nowMs: number
  readonly flags: Readonly<Record<string, string>>
  readonly instanceTypes: readonly JsonObject[]
  /** TYPE/ZONE/CAPACITY-TYPE. */
  readonly unavailable: readonly string[]
  readonly objects: readonly KubeObject[]
  readonly disruption: boolean
}

export const nowMs = Date.UTC(2026, 0, 1, 12)
export const zones = ['zone-a', 'zone-b', 'zone-c']

export const chance = (random: RandomStream, probability: number): boolean => random.next() < probability
export const some = <T>(random: RandomStream, items: readonly T[], least = 1): readonly T[] =>
  random.shuffle(items).slice(0, least + random.int(items.length - least + 1))

const requirement = (key: string, operator: string, values: readonly string[] = []): JsonObject => ({
  key,
  operator,
  ...(values.length === 0 ? {} : { values }),
})

export function randomQuestion(random: RandomStream, disruption: boolean): KarpenterQuestion {
  const hasReservations = chance(random, 0.2)
  const overlays = chance(random, 0.15) ? overlaysOf(random) : []
  const instanceTypes = catalogOf(random, hasReservations)
  const pools = Array.from({ length: 1 + random.int(3) }, (_, at) => poolOf(random, `pool-${at}`, disruption))
  const daemons = Array.from({ length: chance(random, 0.4) ? 1 + random.int(2) : 0 }, (_, at) =>
    daemonSetOf(random, at),
  )
  const nodes = nodesOf(random, { pools, instanceTypes, disruption })
  const shapes = Array.from({ length: 1 + random.int(4) }, (_, at) => podShape(random, `app-${at}`))
  const count = disruption ? random.int(3) : 1 + random.int(chance(random, 0.2) ? 40 : 14)
  const pods = Array.from({ length: count }, (_, at) => podOf(random, random.pick(shapes), `pending-${at}`, undefined))
  return {
    nowMs,
    flags: flagsOf(random, overlays.length > 0),
    instanceTypes,
    unavailable: chance(random, 0.3) ? outOf(random, instanceTypes) : [],
    objects: [nodeClass, namespace, ...volumes, ...overlays, ...pools, ...daemons, ...nodes, ...pods],
    disruption,
  }
}

function flagsOf(random: RandomStream, hasOverlays: boolean): Readonly<Record<string, string>> {
  const gates = [
    ...(chance(random, 0.3) ? ['SpotToSpotConsolidation=true'] : []),
    ...(hasOverlays ? ['NodeOverlay=true'] : []),
    ...(chance(random, 0.1) ? ['ReservedCapacity=false'] : []),
  ]
  return {
    ...(chance(random, 0.15) ? { 'preference-policy': 'Ignore' } : {}),
    ...(chance(random, 0.15) ? { 'min-values-policy': 'BestEffort' } : {}),
    ...(gates.length > 0 ? { 'feature-gates': gates.join(',') } : {}),
  }
}

const nodeClass = { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } }
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { team: 'x' } } }

/** A bound volume in each zone, and a class that allows two of them. */
const volumes: readonly KubeObject[] = [
  ...zones.flatMap((zone): KubeObject[] => [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `volume-${zone}` },
      spec: {
        csi: { driver: 'csi.example.com', volumeHandle: zone },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [requirement('topology.kubernetes.io/zone', 'In', [zone])] }],
          },
        },
      },
    } as KubeObject,
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: `claim-${zone}`,
        namespace: 'default',
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
      },
      spec: { volumeName: `volume-${zone}` },
    } as KubeObject,
  ]),
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'zonal' },
    provisioner: 'csi.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: zones.slice(0, 2).map((zone) => ({
      matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: [zone] }],
    })),
  } as KubeObject,
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'claim-unbound', namespace: 'default' },
    spec: { storageClassName: 'zonal' },
  } as KubeObject,
]

function catalogOf(random: RandomStream, hasReservations: boolean): readonly JsonObject[] {
  const all = ['c', 'm', 'r'].flatMap((family, at) =>
    [1, 2, 4, 8, 16].flatMap((cpu) => ['amd64', 'arm64'].map((arch) => ({ family, cpu, arch, ratio: 2 << at }))),
  )
  const spots = chance(random, 0.2) ? all : some(random, all, 2)
  return spots.map(({ family, cpu, arch, ratio }) => ({
    name: `${family}-${cpu}x-${arch}`,
    architecture: arch,
    operatingSystems: ['linux'],
    resources: {
      cpu: String(cpu),
      memory: `${cpu * ratio}Gi`,
      'ephemeral-storage': '20Gi',
      pods: String(8 + 10 * cpu),
    },
    offerings: some(random, zones).flatMap((zone) =>
      [...some(random, ['on-demand', 'spot']), ...(hasReservations && chance(random, 0.3) ? ['reserved'] : [])].map(
        (capacityType) => ({
          Price: cpu * (0.03 + ratio / 200) * (shareOf[capacityType] ?? 1) * (0.9 + random.next() / 5),
          Available: true,
          ...(capacityType === 'reserved' ? { ReservationCapacity: random.int(4) } : {}),
          Requirements: [
            requirement('karpenter.sh/capacity-type', 'In', [capacityType]),
            requirement('topology.kubernetes.io/zone', 'In', [zone]),
            ...(capacityType === 'reserved'
              ? [requirement('karpenter.kwok.sh/reservation-id', 'In', [`${family}-${cpu}-${zone}`])]
              : []),
          ],
        }),
      ),
    ),
  })) as unknown as readonly JsonObject[]
}

const shareOf: Readonly<Record<string, number>> = { 'on-demand': 1, spot: 0.4, reserved: 0.000_001 }

function overlaysOf(random: RandomStream): readonly KubeObject[] {
  return Array.from({ length: 1 + random.int(3) }, (_, at) => ({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: `overlay-${at}`, uid: `uid-overlay-${at}` },
    spec: {
      requirements: [
        random.pick([
          requirement('karpenter.kwok.sh/instance-family', 'In', some(random, ['c', 'm', 'r'])),
          requirement('karpenter.sh/capacity-type', 'In', [random.pick(['spot', 'on-demand', 'reserved'])]),
          requirement('topology.kubernetes.io/zone', 'NotIn', [random.pick(zones)]),
          requirement('karpenter.sh/nodepool', 'In', ['pool-0']),
          requirement('tier', random.pick(['In', 'NotIn']), ['web']),
          requirement('karpenter.kwok.sh/instance-cpu', 'Gt', ['2']),
        ]),
      ],
      ...random.pick<JsonObject>([
        { price: '0.05' },
        { priceAdjustment: '-50%' },
        { priceAdjustment: '+0.2' },
        { capacity: { 'example.com/device': '2' } },
        { capacity: { 'example.com/device': '4' }, priceAdjustment: '+10%' },
      ]),
      ...(chance(random, 0.5) ? { weight: 1 + random.int(3) } : {}),
    },
  })) as unknown as readonly KubeObject[]
}

function outOf(random: RandomStream, instanceTypes: readonly JsonObject[]): readonly string[] {
  return instanceTypes.flatMap(({ name }) =>
    zones.flatMap((zone) =>
      ['on-demand', 'spot'].flatMap((each) => (chance(random, 0.3) ? [`${name}/${zone}/${each}`] : [])),
    ),
  )
}

function poolOf(random: RandomStream, name: string, disruption: boolean): KubeObject {
  const requirements: JsonObject[] = []
  if (chance(random, 0.8))
    requirements.push(requirement('karpenter.sh/capacity-type', 'In', some(random, ['on-demand', 'spot', 'reserved'])))
  if (chance(random, 0.3)) requirements.push(requirement('kubernetes.io/arch', 'In', [random.pick(['amd64', 'arm64'])]))
  if (chance(random, 0.3))
    requirements.push(requirement('topology.kubernetes.io/zone', random.pick(['In', 'NotIn']), [random.pick(zones)]))
  if (chance(random, 0.2))
    requirements.push(
      requirement('karpenter.kwok.sh/instance-family', random.pick(['In', 'NotIn']), some(random, ['c', 'm', 'r'])),
    )
  if (chance(random, 0.2))
    requirements.push(
      requirement('karpenter.kwok.sh/instance-cpu', random.pick(['Gt', 'Lt', 'Gte', 'Lte']), [
        random.pick(['2', '4', '8']),
      ]),
    )
  if (chance(random, 0.2)) requirements.push(requirement('team', 'In', some(random, ['x', 'y'])))
  if (chance(random, 0.15))
    requirements.push({ key: 'karpenter.kwok.sh/instance-family', operator: 'Exists', minValues: 1 + random.int(3) })
  const taints = [
    ...(chance(random, 0.2) ? [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] : []),
    ...(chance(random, 0.15) ? [{ key: 'soft', effect: 'PreferNoSchedule' }] : []),
  ]
  const isStatic = chance(random, 0.1)
  const dynamic = {
    ...(chance(random, 0.4) ? { weight: 1 + random.int(3) } : {}),
    ...(chance(random, 0.25) ? { limits: { cpu: String(2 + random.int(24)) } } : {}),
  }
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, uid: `uid-${name}` },
    spec: {
      ...(isStatic ? { replicas: random.int(5) } : dynamic),
      ...(chance(random, 0.05) ? { limits: { nodes: String(random.int(4)) } } : {}),
      disruption: {
        consolidateAfter: random.pick(['0s', '30s', '30s', ...(disruption ? ['Never'] : [])]),
        consolidationPolicy: random.pick([
          'WhenEmptyOrUnderutilized',
          'WhenEmptyOrUnderutilized',
          'WhenEmpty',
          'Balanced',
        ]),
        budgets: budgetsOf(random),
      },
      template: {
        metadata: { labels: chance(random, 0.3) ? { tier: random.pick(['web', 'db']) } : {} },
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements,
          ...(taints.length > 0 ? { taints } : {}),
          ...(chance(random, 0.1) ? { startupTaints: [{ key: 'starting', effect: 'NoSchedule' }] } : {}),
          ...(chance(random, 0.2) ? { terminationGracePeriod: '1h' } : {}),
          expireAfter: 'Never',
        },
      },
    },
    status: {
      conditions: ['ValidationSucceeded', 'NodeClassReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        reason: type,
        message: '',
      })),
    },
  } as KubeObject
}

function budgetsOf(random: RandomStream): readonly JsonObject[] {
  const nodes = () => random.pick(['10%', '50%', '100%', '100%', '0', '1', '2'])
  return [
    { nodes: nodes() },
    ...(chance(random, 0.3) ? [{ nodes: nodes(), reasons: some(random, ['Empty', 'Drifted', 'Underutilized']) }] : []),
    ...(chance(random, 0.2)
      ? [
          {
            nodes: '0',
            schedule: random.pick(['0 11 * * *', '0 3 * * *', '@daily']),
            duration: random.pick(['30m', '2h', '13h']),
          },
        ]
      : []),
  ] as unknown as readonly JsonObject[]
}

function daemonSetOf(random: RandomStream, at: number): KubeObject {
  const name = `daemon-${at}`
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: {
      selector: { matchLabels: { daemon: name } },
      template: {
        metadata: { labels: { daemon: name } },
        spec: {
          containers: [
            { name: 'c', image: 'a', resources: { requests: { cpu: random.pick(['50m', '250m']), memory: '64Mi' } } },
          ],
          ...(chance(random, 0.3) ? { nodeSelector: { 'kubernetes.io/arch': random.pick(['amd64', 'arm64']) } } : {}),
          ...(chance(random, 0.4) ? { tolerations: [{ operator: 'Exists' }] } : {}),
        },
      },
    },
  } as KubeObject
}
