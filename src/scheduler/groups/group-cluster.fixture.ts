import type { PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { defaultRelease, withFeatureGates } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { WorkloadCluster } from '../../controllers/workload-cluster.fixture.ts'
import { createScheduler } from '../scheduler.ts'

const gangs = new Map([
  ['GenericWorkload', true],
  ['GangScheduling', true],
])

/** A scheduler with pod groups, and no kubelets. */
export class GroupCluster extends WorkloadCluster {
  constructor(...gates: readonly string[]) {
    const set = new Map([...gangs, ...gates.map((gate) => [gate, true] as const)])
    const release = must(withFeatureGates(defaultRelease, set))
    super({ controllers: [createScheduler({ release })], kubelet: 'none' })
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
    const object: PodGroup = {
      apiVersion: 'scheduling.k8s.io/v1alpha2',
      kind: 'PodGroup',
      metadata: { name, namespace: 'default', uid: `uid-${name}`, generation: 1 },
      spec: spec as PodGroup['spec'],
    }
    this.store.commit([{ kind: 'create', resource: 'podgroups.scheduling.k8s.io', key: `default/${name}`, object }])
  }

  gang(name: string, minCount: number, more: object = {}): void {
    this.addGroup(name, { schedulingPolicy: { gang: { minCount } }, ...more })
  }

  addPods(group: string | undefined, names: readonly string[], cpu: string, spec: object = {}): void {
    for (const name of names) {
      const pod = this.create('pods', {
        metadata: { name, namespace: 'default' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...spec },
      })
      if (group === undefined) continue
      const object: Pod = { ...pod, spec: { ...pod.spec, schedulingGroup: { podGroupName: group } } }
      this.store.commit([{ kind: 'update', resource: 'pods', key: `default/${name}`, object }])
    }
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
