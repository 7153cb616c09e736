import type { Call } from '../../../src/api/call.ts'
import type { Json, JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'

const zone = 'topology.kubernetes.io/zone'
const host = 'kubernetes.io/hostname'

/** Nodes and pods that are added, changed and deleted, one call at a time. The same stream gives the same story. */
export class Story {
  private readonly random: RandomStream
  private readonly nodes: string[] = []
  private named = 0

  private readonly prefix: string

  /** @param prefix The prefix of all names, because events of earlier stories may arrive late. */
  constructor(prefix: string, random: RandomStream) {
    this.prefix = prefix
    this.random = random
  }

  /** The initial objects. */
  opening(): readonly Call[] {
    const calls: Call[] = [
      create('storageclasses.storage.k8s.io', storageClass('late', 'WaitForFirstConsumer')),
      create('storageclasses.storage.k8s.io', storageClass('early', 'Immediate')),
      ...[-10, 100, 1000].map((value) => create('priorityclasses.scheduling.k8s.io', priorityClass(value))),
    ]
    for (let i = 0; i < 2 + this.random.int(3); i++) calls.push(this.addNode())
    if (this.chance(0.5)) calls.push(...this.addBudget())
    return calls
  }

  /** The next change, for the existing pods. */
  next(pods: readonly KubeObject[]): readonly Call[] {
    const bound = pods.filter((pod) => specOf(pod)['nodeName'] !== undefined)
    const leaving = bound.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    const waiting = pods.filter((pod) => specOf(pod)['nodeName'] === undefined)
    if (leaving.length > 0 && this.chance(0.5)) return [remove('pods', this.pick(leaving), 0)]
    const roll = this.random.int(20)
    if (roll < 8) return this.addPod()
    if (roll === 8) return [this.addNode()]
    if (roll < 13) return [this.changeNode()]
    if (roll < 15 && bound.length > 0) return [remove('pods', this.pick(bound), this.chance(0.5) ? 0 : 30)]
    if (roll === 15 && waiting.length > 0) return [remove('pods', this.pick(waiting), 0)]
    if (roll < 18 && waiting.length > 0) return [this.changePod(this.pick(waiting))]
    if (roll === 18) return [this.addVolume()]
    if (roll === 19 && this.nodes.length > 2) return [this.removeNode()]
    return this.addPod()
  }

  private chance(probability: number): boolean {
    return this.random.next() < probability
  }

  private pick<T>(from: readonly T[]): T {
    return this.random.pick(from)
  }

  private addNode(): Call {
    const name = `${this.prefix}-n${this.named++}`
    this.nodes.push(name)
    // No two nodes of one size: ties would be broken at random.
    const size = this.named
    const resources = {
      cpu: `${1000 + 370 * size}m`,
      memory: `${2048 + 811 * size}Mi`,
      pods: this.chance(0.2) ? '2' : '20',
      ...(this.chance(0.3) ? { 'example.com/gpu': '2' } : {}),
    }
    return create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { [host]: name, ...this.nodeLabels() } },
      spec: { taints: this.taints(0.3), ...(this.chance(0.15) ? { unschedulable: true } : {}) },
      status: { capacity: resources, allocatable: resources },
    } as KubeObject)
  }

  private nodeLabels(): Record<string, string> {
    return { [zone]: this.pick(['zone-a', 'zone-b']), disk: this.pick(['ssd', 'hdd']) }
  }

  private taints(probability: number): JsonObject[] {
    if (!this.chance(probability)) return []
    const effect = this.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
    return [{ key: this.pick(['a', 'b']), value: this.pick(['x', 'y']), effect }]
  }

  private changeNode(): Call {
    const name = this.pick(this.nodes)
    const roll = this.random.int(5)
    const status = roll === 4
    const changes: readonly (() => JsonObject)[] = [
      () => ({ metadata: { labels: this.nodeLabels() } }),
      () => ({ spec: { taints: this.taints(0.6) } }),
      () => ({ spec: { taints: [], unschedulable: null } }),
      () => ({ spec: { unschedulable: this.chance(0.3) ? true : null } }),
      () => ({ status: { allocatable: { cpu: this.pick(['700m', '3300m', '5100m']), pods: this.pick(['3', '20']) } } }),
    ]
    const change = (changes[roll] as () => JsonObject)()
    return {
      verb: 'patch',
      resource: 'nodes',
      name,
      ...(status ? { subresource: 'status' } : {}),
      patch: merge(change),
    }
  }

  private removeNode(): Call {
    const [name] = this.nodes.splice(this.random.int(this.nodes.length), 1)
    return { verb: 'delete', resource: 'nodes', name: name as string }
  }

  private addBudget(): readonly Call[] {
    const app = this.pick(['web', 'db'])
    const allowed = this.random.int(2)
    const budget = { verb: 'create', resource: 'poddisruptionbudgets.policy', namespace: 'default' } as const
    const object = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: app, namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    }
    const status = { disruptionsAllowed: allowed, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 }
    return [
      { ...budget, object: object as KubeObject },
      { ...budget, verb: 'patch', subresource: 'status', name: app, patch: merge({ status }) },
    ]
  }

  private changePod({ metadata, spec }: KubeObject & { spec?: JsonObject }): Call {
    const target = { verb: 'patch', resource: 'pods', namespace: 'default', name: metadata.name } as const
    if (spec?.['schedulingGates'] !== undefined) return { ...target, patch: merge({ spec: { schedulingGates: null } }) }
    if (this.chance(0.5)) {
      const added = [{ key: this.pick(['a', 'b']), operator: 'Exists' }]
      const tolerations = [...((spec?.['tolerations'] as JsonObject[]) ?? []), ...added]
      return { ...target, patch: merge({ spec: { tolerations } }) }
    }
    return { ...target, patch: merge({ metadata: { labels: { app: this.pick(['web', 'db']) } } }) }
  }

  private addVolume(): Call {
    const name = `${this.prefix}-pv${this.named++}`
    return create('persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '5Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: this.pick(['late', 'early']),
        persistentVolumeReclaimPolicy: 'Retain',
        local: { path: `/disks/${name}` },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: host, operator: 'In', values: [this.pick(this.nodes)] }] }],
          },
        },
      },
    } as KubeObject)
  }

  private addPod(): readonly Call[] {
    const name = `${this.prefix}-p${this.named++}`
    const requests: Record<string, Json> = {
      cpu: this.pick(['100m', '450m', '900m', '1300m', '1700m', '6']),
      memory: this.pick(['64Mi', '700Mi', '2Gi']),
    }
    if (this.chance(0.1)) requests['example.com/gpu'] = '1'
    const spec: Record<string, Json> = {
      containers: [
        {
          name: 'c',
          image: 'pause',
          resources: { requests, ...('example.com/gpu' in requests ? { limits: { 'example.com/gpu': '1' } } : {}) },
          ...(this.chance(0.15) ? { ports: [{ containerPort: 80, hostPort: 8080 }] } : {}),
        },
      ],
      ...this.placement(),
    }
    const calls: Call[] = []
    if (this.chance(0.15)) {
      spec['volumes'] = [{ name: 'v', persistentVolumeClaim: { claimName: name } }]
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace: 'default' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: this.pick(['late', 'late', 'early', 'gone']),
          resources: { requests: { storage: '1Gi' } },
        },
      }
      if (this.chance(0.8)) calls.push(create('persistentvolumeclaims', claim as KubeObject))
    }
    const labels = { app: this.pick(['web', 'db', 'cache']) }
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels }, spec }
    return [...calls, create('pods', pod as unknown as KubeObject)]
  }

  private placement(): JsonObject {
    const spec: Record<string, Json> = {}
    const app = this.pick(['web', 'db', 'cache'])
    const labelSelector = { matchLabels: { app } }
    if (this.chance(0.5)) spec['priorityClassName'] = `priority-${this.pick([-10, 100, 1000])}`
    if (this.chance(0.15)) spec['nodeSelector'] = { disk: this.pick(['ssd', 'hdd']) }
    if (this.chance(0.2)) spec['tolerations'] = [{ key: this.pick(['a', 'b']), operator: 'Exists' }]
    if (this.chance(0.1)) spec['schedulingGates'] = [{ name: 'example.com/wait' }]
    if (this.chance(0.05)) spec['schedulerName'] = 'somebody-else'
    if (this.chance(0.2)) {
      const term = { labelSelector, topologyKey: this.pick([zone, host]) }
      spec['affinity'] = {
        [this.pick(['podAffinity', 'podAntiAffinity'])]: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
      }
    }
    if (this.chance(0.2)) {
      spec['topologySpreadConstraints'] = [
        { maxSkew: 1, topologyKey: this.pick([zone, host]), whenUnsatisfiable: 'DoNotSchedule', labelSelector },
      ]
    }
    if (this.chance(0.05)) spec['preemptionPolicy'] = 'Never'
    return spec
  }
}

export function specOf(object: KubeObject): JsonObject {
  return (object as KubeObject & { spec?: JsonObject }).spec ?? {}
}

export function merge(patch: JsonObject): { readonly kind: 'merge'; readonly patch: JsonObject } {
  return { kind: 'merge', patch }
}

function create(resource: string, object: KubeObject): Call {
  const { namespace } = object.metadata
  return { verb: 'create', resource, object, ...(namespace === undefined ? {} : { namespace }) } as Call
}

function remove(resource: string, { metadata }: KubeObject, gracePeriodSeconds: number): Call {
  const { name, namespace } = metadata
  return { verb: 'delete', resource, name, namespace, options: { gracePeriodSeconds } } as Call
}

function storageClass(name: string, volumeBindingMode: string): KubeObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode,
  } as KubeObject
}

function priorityClass(value: number): KubeObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: `priority-${value}` },
    value,
  } as KubeObject
}
