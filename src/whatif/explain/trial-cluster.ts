import { keyOf } from '../../api/object-key.ts'
import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { createRandom } from '../../base/random.ts'
import { SchedulerCache } from '../../scheduler/cache/scheduler-cache.ts'
import type {
  CycleResult,
  Explanation,
  NodeState,
  ParsedPod,
  PluginStatus,
  Profile,
  Scheduling,
} from '../../scheduler/contract/contract.ts'
import { ok } from '../../scheduler/contract/status.ts'
import { createScheduling } from '../../scheduler/cycle.ts'
import { diagnoseDevices, type RequestDiagnosis } from '../../scheduler/plugins/dynamic-resources/device-diagnosis.ts'
import { PodNominator } from '../../scheduler/queue/nominator.ts'
import type { ObjectSource } from './object-set.ts'

const deviceResources = [
  'resourceslices.resource.k8s.io',
  'deviceclasses.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
  'devicetaintrules.resource.k8s.io',
] as const

/** The state of a scheduler, built from objects, for trial runs. Nothing is bound. */
export class TrialCluster {
  readonly objects: ObjectSource
  readonly cache = new SchedulerCache()
  private readonly scheduling: Scheduling
  /** A profile without PostFilter, because a dry run of preemption is expensive and only the filters matter. */
  private readonly filtersOnly: Scheduling
  private readonly random = createRandom('explain')

  constructor(objects: ObjectSource, profile: Profile, subject: Pod) {
    this.objects = objects
    const nominator = new PodNominator()
    for (const node of objects.list('nodes')) this.cache.addNode(node)
    for (const resource of deviceResources) {
      for (const object of objects.list(resource)) this.cache.noteChange(resource, undefined, object)
    }
    const self = keyOf(subject)
    for (const pod of objects.list('pods')) {
      if (keyOf(pod) === self || isOver(pod)) continue
      if (pod.spec.nodeName) this.cache.addPod(pod)
      else if (pod.status?.nominatedNodeName) nominator.add(this.cache.parser.parse(pod))
    }
    this.scheduling = createScheduling({ profile, cache: this.cache, nominator })
    this.filtersOnly = createScheduling({ profile: { ...profile, postFilter: [] }, cache: this.cache, nominator })
  }

  parse(pod: Pod): ParsedPod {
    const { nodeName: _, ...spec } = pod.spec
    return this.cache.parser.parse({ ...pod, spec })
  }

  explain(pod: Pod): Explanation {
    return this.scheduling.explain(this.parse(pod), this.input())
  }

  schedule(pod: Pod): CycleResult {
    return this.scheduling.schedule(this.parse(pod), this.input())
  }

  /** Counts the pod on the node from now on. */
  place(pod: Pod, node: string): void {
    this.cache.assumePod(this.parse(pod), node)
  }

  /** The result of the filters on one node. */
  statusOn(pod: Pod, node: string): PluginStatus {
    const result = this.filtersOnly.schedule(this.parse(pod), this.input())
    if (result.kind === 'error') return { code: 'Error', reasons: [result.message] } as PluginStatus
    if (result.kind === 'unschedulable') return result.diagnosis?.preFilter ?? result.diagnosis?.statusOf(node) ?? ok
    return this.filtersOnly.explain(this.parse(pod), this.input()).rejected.get(node) ?? ok
  }

  node(name: string): NodeState | undefined {
    return this.cache.cluster(this.objects).node(name)
  }

  nodes(): readonly NodeState[] {
    return this.cache.cluster(this.objects).nodes
  }

  /** Runs `work` with a changed node, then restores the node. */
  withNode<T>(before: Node, after: Node, work: () => T): T {
    if (before === after) return work()
    this.cache.updateNode(before, after)
    try {
      return work()
    } finally {
      this.cache.updateNode(after, before)
    }
  }

  /** Runs `work` with an additional node and its devices, then removes them. */
  withNewNode<T>(node: Node, devices: readonly ResourceSlice[], work: () => T): T {
    for (const slice of devices) this.cache.noteChange('resourceslices.resource.k8s.io', undefined, slice)
    this.cache.addNode(node)
    try {
      return work()
    } finally {
      this.cache.removeNode(node)
      for (const slice of devices) this.cache.noteChange('resourceslices.resource.k8s.io', slice, undefined)
    }
  }

  /** The reasons why the devices of a node do not satisfy the claims of a pod, by request. */
  devicesOn(pod: Pod, name: string, release: KubernetesRelease): readonly RequestDiagnosis[] {
    const cluster = this.cache.cluster(this.objects)
    const node = cluster.node(name)
    return node === undefined ? [] : diagnoseDevices(this.parse(pod), node, cluster, release)
  }

  /** Runs `work` with a changed object of a device kind, then restores the object. */
  withObject<T>(resource: (typeof deviceResources)[number], before: KubeObject, after: KubeObject, work: () => T): T {
    this.cache.noteChange(resource, before, after)
    try {
      return work()
    } finally {
      this.cache.noteChange(resource, after, before)
    }
  }

  private input() {
    return { objects: this.objects, random: this.random }
  }
}

const isOver = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed'
