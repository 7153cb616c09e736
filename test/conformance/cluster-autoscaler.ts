import type { Call } from '../../src/api/call.ts'
import { deepEqual } from '../../src/api/equality.ts'
import { keyOf } from '../../src/api/object-key.ts'
import type { ResourceSlice } from '../../src/api/objects/devices.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import { formatTime } from '../../src/api/time.ts'
import { AutoscalerLoop } from '../../src/autoscalers/cluster-autoscaler/autoscaler-loop.ts'
import { NodeCloud, nodeOf } from '../../src/autoscalers/cluster-autoscaler/node-cloud.ts'
import { groupLabel, type NodeGroup } from '../../src/autoscalers/cluster-autoscaler/node-group.ts'
import { readAutoscalerOptions } from '../../src/autoscalers/cluster-autoscaler/options.ts'
import { deletionCandidate, hasTaintKey } from '../../src/autoscalers/cluster-autoscaler/taints.ts'
import { createRandom } from '../../src/base/random.ts'
import { must } from '../../src/base/result.ts'
import { createActionIds } from '../../src/runtime/actions.ts'
import type { Action, Change } from '../../src/runtime/controller.ts'
import { createReadModel } from '../../src/runtime/read-model.ts'
import { createDefaultProfile } from '../../src/scheduler/plugins/default-plugins.ts'
import { pass, type Verdict } from './verdict.ts'

/** A cluster, and the times in seconds at which the autoscaler looks at it. */
export interface AutoscalerQuestion {
  readonly nowMs: number
  readonly flags: Readonly<Record<string, string>>
  readonly groups: readonly {
    readonly name: string
    readonly min: number
    readonly max: number
    readonly bootSeconds: number
    readonly stockout: boolean
    readonly template: Node
    /** The ResourceSlices of a node of the group, which name the group instead of the node. */
    readonly devices?: readonly ResourceSlice[]
  }[]
  readonly objects: readonly KubeObject[]
  readonly loops: readonly number[]
}

/** The decision of one loop. New nodes are `GROUP-*`. */
export interface LoopAnswer {
  readonly targets: Readonly<Record<string, number>>
  readonly triggered: readonly string[]
  readonly notTriggered: Readonly<Record<string, readonly string[]>>
  readonly unneeded: readonly string[]
  /** The reasons why nodes are kept: the node and the reason, or the blocking pod and its reason. */
  readonly unremovable: readonly string[]
  readonly empty: readonly string[]
  readonly drained: readonly string[]
  /** The nodes with the soft taint. */
  readonly candidates: readonly string[]
}

/** The report of a loop: the events of the status ConfigMap, and its text. */
export interface LoopReport {
  readonly notes: readonly string[]
  readonly status: string
}

const resources: Readonly<Record<string, string>> = {
  DeviceClass: 'deviceclasses.resource.k8s.io',
  ResourceSlice: 'resourceslices.resource.k8s.io',
  ResourceClaim: 'resourceclaims.resource.k8s.io',
  Node: 'nodes',
  Pod: 'pods',
  ConfigMap: 'configmaps',
  Namespace: 'namespaces',
  DaemonSet: 'daemonsets.apps',
  ReplicaSet: 'replicasets.apps',
  StatefulSet: 'statefulsets.apps',
  Job: 'jobs.batch',
  ReplicationController: 'replicationcontrollers',
  PodDisruptionBudget: 'poddisruptionbudgets.policy',
}

/** The answers of berth until it removes a node. */
export function berthAnswer(question: AutoscalerQuestion): readonly (LoopAnswer & Partial<LoopReport>)[] {
  return berthReports(question).map(({ notes, status, ...answer }) => answer)
}

export function berthReports(question: AutoscalerQuestion): readonly (LoopAnswer & LoopReport)[] {
  const asked = new AskedAutoscaler(question)
  const answers: (LoopAnswer & LoopReport)[] = []
  for (const at of question.loops) {
    const answer = asked.loop(question.nowMs + at * 1000)
    answers.push(answer)
    if (answer.empty.length + answer.drained.length > 0) break
  }
  return answers
}

class AskedAutoscaler {
  private readonly view = createReadModel()
  private readonly cloud = new NodeCloud()
  private readonly groups: readonly NodeGroup[]
  private readonly autoscaler: AutoscalerLoop
  private readonly random = createRandom('1')
  private readonly names: ReadonlySet<string>
  private status = ''

  constructor(question: AutoscalerQuestion) {
    this.names = new Set(question.objects.map(({ metadata }) => metadata.name))
    this.groups = question.groups.map(({ bootSeconds, stockout, ...group }) => ({
      ...group,
      label: { key: groupLabel, value: group.name },
      bootMs: bootSeconds * 1000,
    }))
    const out = new Set(question.groups.filter(({ stockout }) => stockout).map(({ name }) => name))
    this.cloud.setStockout(({ name }) => out.has(name))
    this.autoscaler = new AutoscalerLoop({
      groups: this.groups,
      options: must(readAutoscalerOptions(question.flags)),
      profile: createDefaultProfile(),
      cloud: this.cloud,
      ids: createActionIds(),
    })
    for (const kind of Object.keys(resources)) {
      const objects = question.objects.filter((object) => object.kind === kind)
      for (const object of objects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) this.take(object)
    }
  }

  loop(now: number): LoopAnswer & LoopReport {
    for (const instance of this.cloud.takeDue(now)) {
      const node = nodeOf(instance)
      const time = formatTime(now)
      const ready = { type: 'Ready', status: 'True', lastTransitionTime: time }
      this.take({
        ...node,
        metadata: { ...node.metadata, uid: node.metadata.name, creationTimestamp: time },
        status: { ...node.status, conditions: [ready] },
      } as Node)
      for (const slice of this.autoscaler.devicesOf(instance.group, instance.name)) this.take(slice)
    }
    const actions: Action[] = []
    const { view, random } = this
    this.autoscaler.run({ changes: [], results: [], answers: [], now, wall: now, random, view }, actions)
    return this.answer(actions, now)
  }

  /** Applies the changes of nodes and reads what the loop decided. */
  private answer(actions: readonly Action[], now: number): LoopAnswer & LoopReport {
    const triggered: string[] = []
    const notTriggered: Record<string, readonly string[]> = {}
    const notes: string[] = []
    for (const action of actions) {
      if (action.kind === 'event') {
        const { regarding, reason, message } = action.event
        const pod = `${regarding.namespace}/${regarding.name}`
        if (regarding.kind === 'ConfigMap') notes.push(`${reason} ${message}`)
        if (reason === 'TriggeredScaleUp') triggered.push(pod)
        if (reason === 'NotTriggerScaleUp')
          notTriggered[pod] = (message.split("pod didn't trigger scale-up: ")[1] ?? '').split(', ').toSorted()
      } else if (action.kind === 'call') this.write(action.call)
    }
    const inspected = this.autoscaler.inspect(now) as Inspected
    const drained = new Set(this.autoscaler.deletions.draining)
    const nodes = this.view.list('nodes')
    return {
      targets: Object.fromEntries(this.groups.map((group) => [group.name, this.cloud.targetOf(group)])),
      triggered: triggered.toSorted(),
      notTriggered,
      unneeded: this.sorted(inspected.unneeded.map(({ node }) => node)),
      unremovable: inspected.unremovable
        .map(({ node, reason, pod, because }) =>
          [this.nameOf(node), reason, ...(pod === undefined ? [] : [pod, because])].join(' '),
        )
        .toSorted(),
      empty: this.sorted([...this.autoscaler.deletions.nodes].filter((node) => !drained.has(node))),
      drained: this.sorted([...drained]),
      candidates: this.sorted(
        nodes.filter((node) => hasTaintKey(node, deletionCandidate)).map(({ metadata }) => metadata.name),
      ),
      notes: notes.toSorted(),
      status: this.status,
    }
  }

  private write(call: Call): void {
    const { data } = (call.verb === 'create' ? call.object : call.verb === 'patch' ? patched(call) : {}) as StatusMap
    if (call.resource === 'configmaps') this.status = data?.status ?? ''
    else if (call.verb === 'patch') this.patchNode(call)
  }

  private take(object: KubeObject): void {
    const resource = resources[object.kind ?? '']
    const before = this.view.get(resource as 'nodes', keyOf(object))
    const change = { resource, key: keyOf(object), ...(before === undefined ? {} : { before }), after: object }
    this.view.apply([change as unknown as Change])
    this.autoscaler.take(change as unknown as Change, this.view)
  }

  private patchNode({ name, patch }: Call & { readonly verb: 'patch' }): void {
    const node = this.view.get('nodes', name)
    const { spec } = patched({ patch }) as { readonly spec: Node['spec'] }
    if (node !== undefined) this.take({ ...node, spec: { ...node.spec, ...spec } } as Node)
  }

  private sorted(names: readonly string[]): readonly string[] {
    return names.map((name) => this.nameOf(name)).toSorted()
  }

  private nameOf(node: string): string {
    const group = this.view.get('nodes', node)?.metadata.labels?.[groupLabel]
    return this.names.has(node) || group === undefined ? node : `${group}-*`
  }
}

interface StatusMap {
  readonly data?: { readonly status: string }
}

const patched = ({ patch }: { readonly patch: unknown }) => (patch as { readonly patch: object }).patch

interface Inspected {
  readonly unneeded: readonly { readonly node: string }[]
  readonly unremovable: readonly {
    readonly node: string
    readonly reason: string
    readonly pod?: string
    readonly because?: string
  }[]
}

/** If a random choice decides, `want` has every answer of Cluster Autoscaler. */
export function run(given: AutoscalerQuestion, want: readonly (readonly LoopAnswer[])[]): Verdict {
  const got = JSON.parse(JSON.stringify(berthAnswer(given)))
  return want.some((answer) => deepEqual(got, answer)) ? pass : { ok: false, got: [got] }
}
