import type { LabelSelector, StringMap } from '../../src/api/objects/meta.ts'
import type { Node, NodeSelectorTerm, Taint } from '../../src/api/objects/node.ts'
import type {
  Affinity,
  Container,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodDisruptionBudget,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../../src/api/objects/pod.ts'
import type { RandomStream } from '../../src/base/random.ts'

// Few names and few amounts, so that pods select each other, nodes fill up, and scores are equal.
const apps = ['web', 'db', 'cache']
const tiers = ['front', 'back']
const namespaceNames = ['default', 'prod']
const zones = ['zone-a', 'zone-b', 'zone-c']
const keys = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'rack']
const imageNames = ['registry.example/web:1', 'registry.example/db:2', 'nginx']
const priorities = [0, 0, 0, 50, 1000, -5]
const mebibyte = 1024 * 1024

export const namespaces = namespaceNames.map((name) => ({
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, team: name === 'prod' ? 'blue' : 'red' } },
}))

export interface ClusterTraits {
  readonly nodes: number
  readonly affinity: boolean
  readonly spread: boolean
}

/** Creates random objects of a cluster. The same stream gives the same cluster. */
export class ClusterDice {
  private readonly dice: RandomStream
  private readonly traits: ClusterTraits
  private made = 0

  constructor(dice: RandomStream, traits: ClusterTraits) {
    this.dice = dice
    this.traits = traits
  }

  chance(share: number): boolean {
    return this.dice.next() < share
  }

  pick<T>(items: readonly T[]): T {
    return this.dice.pick(items)
  }

  node(name: string): Node {
    const labels: Record<string, string> = {}
    if (this.chance(0.95)) labels['kubernetes.io/hostname'] = name
    if (this.chance(0.85)) labels['topology.kubernetes.io/zone'] = this.pick(zones)
    if (this.chance(0.7)) labels['rack'] = `rack-${this.dice.int(Math.max(2, Math.floor(this.traits.nodes / 2)))}`
    if (this.chance(0.5)) labels['disk'] = this.pick(['ssd', 'hdd'])
    if (this.chance(0.3)) labels['rank'] = String(this.dice.int(4))
    const taints = this.taints()
    return {
      metadata: { name, uid: `node-${name}`, labels },
      spec: { ...(taints.length > 0 ? { taints } : {}), ...(this.chance(0.06) ? { unschedulable: true } : {}) },
      status: {
        allocatable: {
          cpu: this.pick(['2', '4', '3920m']),
          memory: this.pick(['4Gi', '8Gi', '7500M']),
          pods: this.pick(['3', '8', '110']),
          'ephemeral-storage': this.pick(['20Gi', '50G']),
          ...(this.chance(0.4) ? { 'example.com/gpu': this.pick(['0', '1', '4']) } : {}),
        },
        ...(this.chance(0.6) ? { images: this.images() } : {}),
        ...(this.chance(0.5) ? { declaredFeatures: ['RestartAllContainersOnContainerExits'] } : {}),
      },
    }
  }

  private images(): NonNullable<NonNullable<Node['status']>['images']> {
    return imageNames
      .filter(() => this.chance(0.5))
      .map((image) => ({
        names: [image === 'nginx' ? 'nginx:latest' : image],
        sizeBytes: this.pick([20, 150, 600, 2500]) * mebibyte,
      }))
  }

  private taints(): readonly Taint[] {
    const taints: Taint[] = []
    if (this.chance(0.15)) taints.push({ key: 'dedicated', value: this.pick(['db', 'web']), effect: 'NoSchedule' })
    if (this.chance(0.2)) taints.push({ key: 'slow', effect: 'PreferNoSchedule' })
    if (this.chance(0.1)) taints.push({ key: 'old', value: 'yes', effect: 'PreferNoSchedule' })
    if (this.chance(0.05)) taints.push({ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' })
    return taints
  }

  /** A pod without a node. */
  pod(): Pod {
    const name = `p${this.made++}`
    const labels: StringMap = { app: this.pick(apps), tier: this.pick(tiers) }
    const affinity = this.affinity()
    const tolerations = this.tolerations()
    const spread = this.spread()
    const priority = this.pick(priorities)
    const spec: PodSpec = {
      containers: this.containers(),
      priority,
      ...(this.chance(0.1) ? { preemptionPolicy: 'Never' as const } : {}),
      ...(this.chance(0.15) ? { nodeSelector: { disk: this.pick(['ssd', 'hdd']) } } : {}),
      ...(affinity === undefined ? {} : { affinity }),
      ...(tolerations.length === 0 ? {} : { tolerations }),
      ...(spread.length === 0 ? {} : { topologySpreadConstraints: spread }),
      ...(this.chance(0.1) ? { overhead: { cpu: '100m' } } : {}),
      ...(this.chance(0.05) ? { hostNetwork: true, hostUsers: false } : {}),
    }
    return {
      metadata: {
        name,
        namespace: this.pick(namespaceNames),
        uid: `uid-${name}`,
        ...(this.chance(0.9) ? { labels } : {}),
      },
      spec,
      status: {},
    }
  }

  /** The pod after it was bound to a node. */
  placed(pod: Pod, nodeName: string): Pod {
    const minute = String(this.dice.int(60)).padStart(2, '0')
    return {
      ...pod,
      metadata: { ...pod.metadata, ...(this.chance(0.1) ? { deletionTimestamp: '2026-01-01T05:00:00Z' } : {}) },
      spec: { ...pod.spec, nodeName },
      status: { phase: 'Running', ...(this.chance(0.9) ? { startTime: `2026-01-01T00:${minute}:00Z` } : {}) },
    }
  }

  budget(i: number): PodDisruptionBudget {
    return {
      metadata: { name: `budget-${i}`, namespace: this.pick(namespaceNames) },
      spec: { selector: { matchLabels: { app: this.pick(apps) } } },
      status: {
        disruptionsAllowed: this.dice.int(3),
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      },
    }
  }

  private containers(): readonly Container[] {
    const count = this.chance(0.2) ? 2 : 1
    return Array.from({ length: count }, (_, i) => ({
      name: `c${i}`,
      image: this.pick(imageNames),
      resources: {
        requests: {
          ...(this.chance(0.8) ? { cpu: this.pick(['100m', '500m', '1']) } : {}),
          ...(this.chance(0.8) ? { memory: this.pick(['128Mi', '1Gi', '2Gi']) } : {}),
          ...(this.chance(0.1) ? { 'example.com/gpu': '1' } : {}),
          ...(this.chance(0.1) ? { 'ephemeral-storage': '10Gi' } : {}),
        },
      },
      ...(this.chance(0.15)
        ? { ports: [{ containerPort: 80, hostPort: this.pick([80, 443]), ...this.address() }] }
        : {}),
      ...(this.chance(0.05) ? { restartPolicyRules: [{ action: 'RestartAllContainers' }] } : {}),
    }))
  }

  private address(): { readonly hostIP?: string } {
    return this.chance(0.3) ? { hostIP: this.pick(['127.0.0.1', '10.0.0.1']) } : {}
  }

  private tolerations(): readonly Toleration[] {
    const tolerations: Toleration[] = []
    if (this.chance(0.3)) tolerations.push({ key: 'dedicated', operator: 'Equal', value: this.pick(['db', 'web']) })
    if (this.chance(0.2)) tolerations.push({ key: 'slow', operator: 'Exists', effect: 'PreferNoSchedule' })
    if (this.chance(0.1)) tolerations.push({ operator: 'Exists' })
    return tolerations
  }

  private affinity(): Affinity | undefined {
    const nodeAffinity = this.chance(0.25) ? { nodeAffinity: this.nodeAffinity() } : {}
    const pods = this.traits.affinity
    const podAffinity = pods && this.chance(0.3) ? { podAffinity: this.podAffinity(0.4) } : {}
    const podAntiAffinity = pods && this.chance(0.35) ? { podAntiAffinity: this.podAffinity(0.5) } : {}
    const affinity = { ...nodeAffinity, ...podAffinity, ...podAntiAffinity }
    return Object.keys(affinity).length === 0 ? undefined : affinity
  }

  private nodeAffinity(): NonNullable<Affinity['nodeAffinity']> {
    const required = this.chance(0.5) ? [this.nodeTerm(), ...(this.chance(0.3) ? [this.nodeTerm()] : [])] : undefined
    const preferred = Array.from({ length: this.dice.int(3) }, () => ({
      weight: this.pick([1, 10, 100]),
      preference: this.nodeTerm(),
    }))
    return {
      ...(required === undefined
        ? {}
        : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required } }),
      ...(preferred.length === 0 ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
    }
  }

  private nodeTerm(): NodeSelectorTerm {
    switch (this.dice.int(5)) {
      case 0:
        return { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }
      case 1:
        // The API server accepts values that are not numbers.
        return { matchExpressions: [{ key: 'rank', operator: 'Gt', values: [this.chance(0.9) ? '1' : 'one'] }] }
      case 2:
        return {
          matchExpressions: [
            { key: 'topology.kubernetes.io/zone', operator: 'NotIn', values: [this.pick(zones)] },
            { key: 'disk', operator: 'Exists' },
          ],
        }
      case 3:
        return { matchFields: [{ key: 'metadata.name', operator: this.pick(['In', 'NotIn']), values: ['n1'] }] }
      default:
        return { matchExpressions: [{ key: 'rank', operator: 'DoesNotExist' }] }
    }
  }

  private podAffinity(requiredShare: number): PodAffinity {
    const required = this.chance(requiredShare) ? [this.podTerm(), ...(this.chance(0.2) ? [this.podTerm()] : [])] : []
    const preferred = this.chance(0.6) ? [{ weight: this.pick([1, 7, 100]), podAffinityTerm: this.podTerm() }] : []
    return {
      ...(required.length === 0 ? {} : { requiredDuringSchedulingIgnoredDuringExecution: required }),
      ...(preferred.length === 0 ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
    }
  }

  private podTerm(): PodAffinityTerm {
    const scope = this.dice.int(6)
    return {
      topologyKey: this.pick(keys),
      labelSelector: this.selector(),
      ...(scope === 0 ? { namespaces: ['prod'] } : {}),
      ...(scope === 1 ? { namespaceSelector: {} } : {}),
      ...(scope === 2 ? { namespaceSelector: { matchLabels: { team: 'blue' } } } : {}),
      ...(scope === 3
        ? { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['blue'] }] } }
        : {}),
    }
  }

  private selector(): LabelSelector {
    switch (this.dice.int(4)) {
      case 0:
        return { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db'] }] }
      case 1:
        return { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['back'] }] }
      default:
        return { matchLabels: { app: this.pick(apps) } }
    }
  }

  private spread(): readonly TopologySpreadConstraint[] {
    if (!this.traits.spread || this.chance(0.5)) return []
    return Array.from({ length: 1 + this.dice.int(2) }, () => ({
      maxSkew: 1 + this.dice.int(2),
      topologyKey: this.pick(keys),
      whenUnsatisfiable: this.pick(['DoNotSchedule', 'ScheduleAnyway'] as const),
      labelSelector: this.chance(0.1) ? {} : this.selector(),
      ...(this.chance(0.2) ? { minDomains: 3 } : {}),
      ...(this.chance(0.2) ? { nodeAffinityPolicy: 'Ignore' as const } : {}),
      ...(this.chance(0.3) ? { nodeTaintsPolicy: 'Honor' as const } : {}),
      ...(this.chance(0.2) ? { matchLabelKeys: ['tier'] } : {}),
    }))
  }
}
