import type { Call } from '../../../src/api/call.ts'
import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'
import { conditionTypes, type Kubelets } from './kubelets.ts'
import { merge, specOf } from './story.ts'

const notReady = 'node.kubernetes.io/not-ready'
const unreachable = 'node.kubernetes.io/unreachable'

/** Nodes that fall silent or are tainted, and the pods on them. */
export class LifecycleStory {
  private readonly random: RandomStream
  private readonly kubelets: Kubelets
  private named = 0

  private readonly prefix: string

  /** @param prefix The prefix of all names, because events of earlier stories may arrive late. */
  constructor(prefix: string, random: RandomStream, kubelets: Kubelets) {
    this.prefix = prefix
    this.random = random
    this.kubelets = kubelets
  }

  opening(): readonly Call[] {
    const nodes = Array.from({ length: 3 + this.random.int(2) }, () => this.addNode())
    return [...nodes, ...Array.from({ length: 6 }, () => this.addPod())]
  }

  next(pods: readonly KubeObject[]): readonly Call[] {
    const kubelet = this.kubelets.reports.get(this.node())
    if (kubelet === undefined) return [this.addNode()]
    const roll = this.random.int(12)
    if (roll < 3) kubelet.silent = true
    else if (roll < 5) for (const one of this.kubelets.reports.values()) one.silent = false
    else if (roll === 5)
      kubelet.status[this.random.pick(conditionTypes)] = this.random.pick(['True', 'False', 'Unknown'])
    else if (roll < 9) return [this.taint()]
    else if (roll === 9) return [this.addPod()]
    else if (roll === 10) return [this.tolerate(pods)]
    else return [this.cordon()]
    return []
  }

  private node(): string {
    return this.random.pick([...this.kubelets.reports.keys()])
  }

  private addNode(): Call {
    const name = `${this.prefix}-n${this.named++}`
    this.kubelets.add(name)
    const resources = { cpu: '4', memory: '8Gi', pods: '110' }
    const labels = {
      'kubernetes.io/hostname': name,
      'topology.kubernetes.io/zone': this.random.pick(['zone-a', 'zone-b']),
      'topology.kubernetes.io/region': 'r1',
    }
    const status = { capacity: resources, allocatable: resources }
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {}, status }
    return { verb: 'create', resource: 'nodes', object: object as KubeObject }
  }

  private addPod(): Call {
    const name = `${this.prefix}-p${this.named++}`
    const tolerations = [notReady, unreachable].map((key) => this.toleration(key))
    if (this.random.int(2) === 0) tolerations.push(this.toleration('user'))
    const spec = { nodeName: this.node(), containers: [{ name: 'c', image: 'pause' }], tolerations }
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec }
    return { verb: 'create', resource: 'pods', namespace: 'default', object: object as unknown as KubeObject }
  }

  private toleration(key: string): JsonObject {
    const seconds = this.random.pick([0, 2, 1000, undefined])
    return {
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
    }
  }

  private taint(): Call {
    const taints = this.random.pick([
      [],
      [{ key: 'user', value: 'v', effect: 'NoExecute' }],
      [{ key: 'user', value: 'v', effect: 'NoSchedule' }],
      [
        { key: 'user', value: 'v', effect: 'NoExecute' },
        { key: 'other', value: 'v', effect: 'PreferNoSchedule' },
      ],
    ])
    return { verb: 'patch', resource: 'nodes', name: this.node(), patch: merge({ spec: { taints } }) }
  }

  private tolerate(pods: readonly KubeObject[]): Call {
    if (pods.length === 0) return this.addPod()
    const pod = this.random.pick(pods)
    const tolerations = [...(specOf(pod)['tolerations'] as JsonObject[]), { key: 'user', operator: 'Exists' }]
    const { name } = pod.metadata
    return { verb: 'patch', resource: 'pods', namespace: 'default', name, patch: merge({ spec: { tolerations } }) }
  }

  private cordon(): Call {
    const unschedulable = this.random.int(2) === 0 ? true : null
    return { verb: 'patch', resource: 'nodes', name: this.node(), patch: merge({ spec: { unschedulable } }) }
  }
}
