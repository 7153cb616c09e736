import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, Volume } from '../../api/objects/pod.ts'
import type { ResourceName } from '../../api/objects/resources.ts'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../api/objects/storage.ts'
import { createRandom } from '../../base/random.ts'
import { SchedulerCache } from '../cache/scheduler-cache.ts'
import type { CycleResult, Explanation, ObjectReader } from '../contract/contract.ts'
import { createScheduling } from '../cycle.ts'
import { PodNominator } from '../queue/nominator.ts'
import { createDefaultProfile } from './default-plugins.ts'

/** Objects by resource; the latest state of each. */
export class FixtureObjects implements ObjectReader {
  private readonly tables = new Map<string, Map<string, KubeObject>>()

  constructor(tables: Readonly<Record<string, readonly KubeObject[]>> = {}) {
    for (const [resource, list] of Object.entries(tables)) for (const one of list) this.put(resource, one)
  }

  put(resource: string, object: KubeObject): void {
    const table = this.tables.get(resource) ?? new Map<string, KubeObject>()
    table.set(keyOf(object), object)
    this.tables.set(resource, table)
  }

  remove(resource: string, key: string): void {
    this.tables.get(resource)?.delete(key)
  }

  get: ObjectReader['get'] = (resource, key) => this.tables.get(resource)?.get(key) as never
  list: ObjectReader['list'] = (resource) => [...(this.tables.get(resource)?.values() ?? [])] as never
}

export interface VolumeCluster {
  readonly nodes: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly claims?: readonly PersistentVolumeClaim[]
  readonly volumes?: readonly PersistentVolume[]
  readonly classes?: readonly StorageClass[]
  readonly others?: Readonly<Record<string, readonly KubeObject[]>>
}

function open(cluster: VolumeCluster, pod: Pod) {
  const cache = new SchedulerCache()
  for (const one of cluster.nodes) cache.addNode(one)
  for (const one of cluster.pods ?? []) cache.addPod(one)
  const nominator = new PodNominator()
  const tables: Readonly<Record<string, readonly KubeObject[]>> = {
    persistentvolumeclaims: cluster.claims ?? [],
    persistentvolumes: cluster.volumes ?? [],
    'storageclasses.storage.k8s.io': cluster.classes ?? [],
    ...cluster.others,
  }
  for (const [resource, list] of Object.entries(tables)) {
    for (const one of list) cache.noteChange(resource as ResourceName, undefined, one)
  }
  const objects = new FixtureObjects(tables)
  const scheduling = createScheduling({ profile: createDefaultProfile(), cache, nominator })
  return { scheduling, parsed: cache.parser.parse(pod), input: { objects, random: createRandom('volumes') } }
}

export function explain(cluster: VolumeCluster, pod: Pod): Explanation {
  const { scheduling, parsed, input } = open(cluster, pod)
  return scheduling.explain(parsed, input)
}

export function schedule(cluster: VolumeCluster, pod: Pod): CycleResult {
  const { scheduling, parsed, input } = open(cluster, pod)
  return scheduling.schedule(parsed, input)
}

/** The feasible nodes, and the status of each rejected node. */
export function verdicts(cluster: VolumeCluster, pod: Pod): Record<string, string> {
  const { feasible, rejected, preFilter } = explain(cluster, pod)
  const all: Record<string, string> = {}
  if (preFilter !== undefined) all['*'] = `${preFilter.plugin}: ${preFilter.reasons.join(', ')}`
  for (const name of feasible) all[name] = 'ok'
  for (const [name, { plugin, code, reasons }] of rejected) {
    all[name] = `${plugin}${code === 'Unschedulable' ? '' : '!'}: ${reasons.join(', ')}`
  }
  return all
}

export function node(name: string, labels: Record<string, string> = {}): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
  }
}

export function podWith(
  name: string,
  volumes: readonly (string | Omit<Volume, 'name'>)[],
  more: Partial<Pod['spec']> = {},
): Pod {
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      schedulerName: 'default-scheduler',
      volumes: volumes.map((volume, i) => ({
        name: `v${i}`,
        ...(typeof volume === 'string' ? { persistentVolumeClaim: { claimName: volume } } : volume),
      })),
      ...more,
    },
  }
}

export function claim(
  name: string,
  spec: PersistentVolumeClaim['spec'] = {},
  meta: object = {},
): PersistentVolumeClaim {
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', ...meta },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, ...spec },
    status: { phase: 'Pending' },
  }
}

/** A claim that is bound to a volume with the same name. */
export function boundClaim(name: string, spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim {
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' }
  return { ...claim(name, { volumeName: name, ...spec }, { annotations }), status: { phase: 'Bound' } }
}

export function volume(name: string, spec: PersistentVolume['spec'] = {}, meta: object = {}): PersistentVolume {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1', ...meta },
    spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
    status: { phase: 'Available' },
  }
}

export function storageClass(name: string, more: Partial<StorageClass> = {}): StorageClass {
  return { metadata: { name }, provisioner: 'csi.example.com', volumeBindingMode: 'WaitForFirstConsumer', ...more }
}

export function onNodes(...hosts: string[]): Pick<PersistentVolume['spec'], 'nodeAffinity'> {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: hosts }]
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }
}
