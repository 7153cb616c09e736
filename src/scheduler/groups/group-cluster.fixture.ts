import type { PodGroup } from '../../api/objects/groups.ts'
import { releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import type { MetricRegistry } from '../../base/metrics.ts'
import { must } from '../../base/result.ts'
import { createPodGroupProtection } from '../../controllers/pod-group-protection/controller.ts'
import { WorkloadCluster } from '../../controllers/workload-cluster.fixture.ts'
import { createScheduler } from '../scheduler.ts'

const workloadRef = { workloadName: 'work', templateName: 'all' }

/** A scheduler with pod groups, and no kubelets. */
export class GroupCluster extends WorkloadCluster {
  constructor(minor: '1.36' | '1.37', ...options: readonly (string | MetricRegistry)[]) {
    const gates = options.filter((option) => typeof option === 'string')
    const [metrics] = options.filter((option) => typeof option !== 'string')
    const names = ['GenericWorkload', ...(minor === '1.36' ? ['GangScheduling'] : []), ...gates]
    const set = new Map(names.map((gate) => [gate, true] as const))
    const release = must(withFeatureGates(must(releaseOf(minor)), set))
    super({
      controllers: [createScheduler({ release, ...(metrics && { metrics }) }), createPodGroupProtection()],
      kubelet: 'none',
      release,
    })
  }

  addNodes(names: readonly string[], cpu: string, labels: (name: string) => object = () => ({})): void {
    for (const name of names) {
      this.create('nodes', {
        metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels(name) } },
        status: { allocatable: { cpu, memory: '64Gi', pods: '110' }, capacity: { cpu, memory: '64Gi', pods: '110' } },
      })
      this.patch('nodes', name, { spec: { taints: null } })
    }
  }

  addGroup(name: string, spec: object): void {
    this.create('podgroups.scheduling.k8s.io', { metadata: { name, namespace: 'default' }, spec })
  }

  gang(name: string, minCount: number, more: object = {}): void {
    this.addGroup(name, { schedulingPolicy: { gang: { minCount } }, ...more })
  }

  composite(name: string, spec: object = {}): void {
    this.create('compositepodgroups.scheduling.k8s.io', {
      metadata: { name, namespace: 'default' },
      spec: { workloadRef, schedulingPolicy: { basic: {} }, ...spec },
    })
  }

  /** A gang of a composite group. */
  child(name: string, minCount: number, parent: string, more: object = {}): void {
    this.gang(name, minCount, { parentCompositePodGroupName: parent, workloadRef, ...more })
  }

  addPods(group: string | undefined, names: readonly string[], cpu: string, spec: object = {}): void {
    for (const name of names) {
      this.create('pods', {
        metadata: { name, namespace: 'default' },
        spec: {
          containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
          ...(group === undefined ? {} : { schedulingGroup: { podGroupName: group } }),
          ...spec,
        },
      })
    }
  }

  /** Pods on the nodes, then the gang `train` of two pods with a higher priority. */
  addGangAfter(pods: readonly string[]): void {
    this.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 })
    this.addPods(undefined, pods, '2')
    this.settle()
    this.gang('train', 2, { priorityClassName: 'high' })
    this.addPods('train', names('train', 2), '2', { priorityClassName: 'high' })
    this.settle()
  }

  /** Returns the pods that are not terminating. */
  kept(pods: readonly string[]): readonly string[] {
    return pods.filter((name) => this.get('pods', `default/${name}`)?.metadata.deletionTimestamp === undefined)
  }

  /** Confirms that a pod has stopped, as its kubelet does. */
  endPods(pods: readonly string[]): void {
    for (const name of pods) this.delete('pods', `default/${name}`, { gracePeriodSeconds: 0 })
    this.settle()
  }

  /** The node of each pod; `-` without one. */
  nodesOf(...names: readonly string[]): readonly string[] {
    return names.map((name) => this.get('pods', `default/${name}`)?.spec.nodeName ?? '-')
  }

  messageOf(name: string): string | undefined {
    const conditions = this.get('pods', `default/${name}`)?.status?.conditions
    return conditions?.find(({ type }) => type === 'PodScheduled')?.message
  }

  condition(group: string): string {
    const { status } = this.get('podgroups.scheduling.k8s.io', `default/${group}`) as PodGroup
    const [condition] = status?.conditions ?? []
    return condition === undefined ? '' : `${condition.status} ${condition.reason}: ${condition.message}`
  }
}

export const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

export interface GangChoice {
  readonly minCount: number
  readonly pods: number
}

/** A cluster in which each node has room for one pod of the gang `train`. */
export function gangCluster(
  minor: '1.36' | '1.37',
  nodes: readonly string[],
  { minCount, pods }: GangChoice,
): GroupCluster {
  const c = new GroupCluster(minor)
  c.addNodes(nodes, '2')
  c.gang('train', minCount)
  c.addPods('train', names('train', pods), '2')
  c.settle()
  return c
}
