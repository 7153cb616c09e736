import type { Call, Outcome } from '../../../src/api/call.ts'
import { withCondition } from '../../../src/api/conditions.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Node, NodeCondition } from '../../../src/api/objects/node.ts'
import type { Pod, Toleration } from '../../../src/api/objects/pod.ts'
import { failure, type StatusReason } from '../../../src/api/status.ts'
import { formatMicroTime, formatTime } from '../../../src/api/time.ts'
import { MetricRegistry } from '../../../src/base/metrics.ts'
import { createRandom } from '../../../src/base/random.ts'
import { must } from '../../../src/base/result.ts'
import { VirtualClock } from '../../../src/base/virtual-clock.ts'
import type { DirectClient } from '../../../src/client/contract.ts'
import { createInProcessClient } from '../../../src/client/in-process-client.ts'
import { chooseFixes } from '../../../src/controllers/fixes.ts'
import {
  createNodeLifecycle,
  nodeLifecycle,
  upstreamWorkers,
} from '../../../src/controllers/node-lifecycle/controller.ts'
import { readNodeLifecycleFlags } from '../../../src/controllers/node-lifecycle/options.ts'
import { createTaintEviction, taintEviction } from '../../../src/controllers/taint-eviction/controller.ts'
import { createRegistry } from '../../../src/registry/registry.ts'
import type { Controller } from '../../../src/runtime/controller.ts'
import { readRequestLimits } from '../../../src/runtime/request-limits.ts'
import { createStepDriver, type StepDriver } from '../../../src/runtime/step-driver.ts'
import { createStore } from '../../../src/store/memory-store.ts'
import { fieldsIn, type HeartbeatStory, milliseconds, namesIn, taintIn, tolerationsIn } from './story.ts'
import { type Trace, traceChanges } from './trace.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

interface Fault {
  readonly verb: string
  readonly resource: string
  readonly reason: StatusReason
  left: number
}

/** The cluster of one story: the two controllers in virtual time, and kubelets that follow the story. */
export class StoryCluster {
  readonly trace: Trace
  readonly driver: StepDriver
  readonly metrics = new MetricRegistry()
  private readonly story: HeartbeatStory
  private readonly fixes: readonly string[]
  private readonly clock: VirtualClock
  private readonly client: DirectClient
  private readonly silent = new Set<string>()
  private readonly beats = new Map<string, number>()
  private readonly faults: Fault[] = []

  constructor(story: HeartbeatStory, fixes: readonly string[], trace: Trace) {
    this.story = story
    this.fixes = fixes
    this.trace = trace
    // A time in the past, at which the initial objects were created.
    this.clock = new VirtualClock(start - milliseconds(story.settings['past'] ?? '0s'))
    const store = createStore()
    const random = createRandom(story.title.join('\n'))
    const registry = createRegistry({ store, clock: this.clock, random })
    this.client = createInProcessClient(registry)
    const client: DirectClient = { ...this.client, callNow: (call) => this.answer(call) }
    this.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
    this.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'kube-node-lease' } } })
    for (const line of story.setup) this.carryOut(line.words)
    this.clock.advanceTo(start)
    this.driver = createStepDriver({
      client,
      source: store,
      clock: this.clock,
      random,
      controllers: [],
      events: 'drop',
      requestLimits: () =>
        story.settings['kube-api-qps'] === undefined ? undefined : must(readRequestLimits(story.settings)),
    })
    this.driver.onChanges((changes) => traceChanges(changes, trace))
  }

  run(): void {
    const { settings, events, untilMs } = this.story
    const controllers = (settings['controllers'] ?? `${nodeLifecycle} ${taintEviction}`).split(' ')
    for (const name of controllers) this.driver.add(this.createController(name))
    for (const name of this.nodeNames()) this.startKubelet(name)
    for (const { atMs, words, text } of events) {
      this.driver.at(start + atMs, () => {
        this.trace.say(`— ${text}`)
        this.carryOut(words)
      })
    }
    this.driver.advanceTo(start + untilMs)
    this.trace.end()
  }

  /** Milliseconds since the beginning. */
  elapsed(): number {
    return this.clock.now() - start
  }

  private createController(name: string): Controller {
    const fixes = must(chooseFixes({ fix: this.fixes }))
    const { settings } = this.story
    const computed = settings['heartbeats'] === 'computed' ? { heartbeats: (node: string) => this.beats.get(node) } : {}
    const flags = must(readNodeLifecycleFlags(settings))
    const rate = settings['evictions-per-second']
    const resumed = settings['resumed'] === 'true'
    const { metrics } = this
    const workers = settings['kube-api-qps'] === undefined ? undefined : upstreamWorkers
    const controller =
      name === taintEviction
        ? createTaintEviction({ fixes, metrics, resumed, ...(rate && { evictionsPerSecond: Number(rate) }) })
        : createNodeLifecycle({ ...flags, ...computed, fixes, metrics, resumed, workers })
    return recorded(controller, this.trace)
  }

  /** The connection of the controllers: rejections are reported. */
  private answer(call: Call): Outcome {
    const resource = call.subresource === undefined ? call.resource : `${call.resource}/${call.subresource}`
    const fault = this.faults.find((rule) => rule.left > 0 && rule.verb === call.verb && rule.resource === resource)
    if (fault !== undefined) fault.left--
    const outcome = fault === undefined ? this.client.callNow(call) : failure(fault.reason, 'the story says so')
    const name = 'name' in call && call.name !== undefined ? ` ${call.name}` : ''
    if (!outcome.ok) this.trace.say(`refused: ${call.verb} ${resource}${name} (${outcome.status.reason})`)
    return outcome
  }

  private call(call: Call): KubeObject | undefined {
    const outcome = this.client.callNow(call)
    if (!outcome.ok) throw new Error(`${call.verb} ${call.resource}: ${outcome.status.message}`)
    return outcome.kind === 'object' ? outcome.object : undefined
  }

  private nodeNames(): readonly string[] {
    return this.list('nodes').map((node) => node.metadata.name)
  }

  private list(resource: string): readonly KubeObject[] {
    const outcome = this.client.callNow({ verb: 'list', resource })
    return outcome.ok && outcome.kind === 'list' ? outcome.items : []
  }

  private node(name: string): Node {
    return this.call({ verb: 'get', resource: 'nodes', name }) as Node
  }

  private pod(name: string): Pod {
    return this.call({ verb: 'get', resource: 'pods', namespace: 'default', name }) as Pod
  }

  private carryOut(words: readonly string[]): void {
    const [verb = '', subject = '', ...rest] = words
    const action = this.verbs[verb]
    if (action === undefined) throw new Error(`unknown story verb: ${verb}`)
    action(subject, rest)
  }

  private readonly verbs: Readonly<Record<string, (subject: string, rest: readonly string[]) => void>> = {
    node: (names, rest) => this.eachNode(names, (name) => this.createNode(name, rest)),
    pod: (name, rest) => this.createPod(name, rest),
    pods: (names, rest) => {
      for (const name of namesIn(names)) this.createPod(name, rest)
    },
    budget: (name, [words = '']) => this.createBudget(name, Number(words)),
    taint: (names, [taint = '']) =>
      this.eachNode(names, (name) => {
        const node = this.node(name)
        this.patchNode(name, { spec: { taints: [...(node.spec?.taints ?? []), taintIn(taint)] } })
      }),
    untaint: (names, [taint = '']) =>
      this.eachNode(names, (name) => {
        const { key, effect } = taintIn(taint)
        const taints = this.node(name).spec?.taints?.filter((t) => t.key !== key || t.effect !== effect)
        this.patchNode(name, { spec: { taints: taints ?? null } })
      }),
    cordon: (name) => this.patchNode(name, { spec: { unschedulable: true } }),
    uncordon: (name) => this.patchNode(name, { spec: { unschedulable: null } }),
    label: (names, rest) =>
      this.eachNode(names, (name) => this.patchNode(name, { metadata: { labels: fieldsIn(rest) } })),
    silence: (names) => this.eachNode(names, (name) => this.silent.add(name)),
    revive: (names) => this.eachNode(names, (name) => this.revive(name)),
    post: (names, rest) => this.eachNode(names, (name) => this.postStatus(name, fieldsIn(rest))),
    tolerate: (pod, rest) => this.tolerate(pod, tolerationsIn(rest)),
    bind: (pod, [node = '']) => this.bind(pod, node),
    finish: (name) => this.updatePodStatus(name, { phase: 'Succeeded' }),
    remove: (kind, [name = '']) => this.remove(kind, name),
    refuse: (verb, [resource = '', reason = 'InternalError', times = '1']) => {
      this.faults.push({ verb, resource, reason: reason as StatusReason, left: Number(times) })
    },
    restart: (name) => this.driver.restart(name, () => this.createController(name)),
    replace: (name, rest) => {
      this.remove('pod', name)
      this.createPod(name, rest)
    },
    show: (what) => this.show(what),
  }

  private eachNode(names: string, act: (name: string) => void): void {
    for (const name of namesIn(names)) act(name)
  }

  private createNode(name: string, rest: readonly string[]): void {
    const { zone, region, taint, ready = 'True', added, ...labels } = fieldsIn(rest)
    const where = {
      ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
      ...(region === undefined ? {} : { 'topology.kubernetes.io/region': region }),
    }
    const timeAdded = added === undefined ? {} : { timeAdded: formatTime(start + milliseconds(added)) }
    const taints = taint === undefined ? {} : { taints: taint.split(';').map((t) => ({ ...taintIn(t), ...timeAdded })) }
    this.call({
      verb: 'create',
      resource: 'nodes',
      object: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { ...where, ...labels } },
        spec: taints,
      } as Node,
    })
    if (ready !== 'none') this.postStatus(name, { Ready: ready })
    if (this.driver !== undefined) this.startKubelet(name)
  }

  private createPod(name: string, rest: readonly string[]): void {
    const on = rest.indexOf('on')
    const tolerating = rest.indexOf('tolerating')
    const spec = {
      containers: [{ name: 'c', image: 'pause' }],
      terminationGracePeriodSeconds: 2,
      ...(tolerating < 0 ? {} : { tolerations: tolerationsIn(rest.slice(tolerating + 1)) }),
    }
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { app: name } },
      spec,
    }
    this.call({ verb: 'create', resource: 'pods', namespace: 'default', object: object as Pod })
    if (on >= 0) this.bind(name, rest[on + 1] as string)
  }

  private createBudget(name: string, minAvailable: number): void {
    const metadata = { name, namespace: 'default' }
    const selector = { matchLabels: { app: name } }
    const object = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { minAvailable, selector } }
    const resource = 'poddisruptionbudgets.policy'
    const made = this.call({ verb: 'create', resource, namespace: 'default', object })
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    }
    this.call({
      verb: 'update',
      resource,
      namespace: 'default',
      name,
      subresource: 'status',
      object: { ...made, status } as unknown as KubeObject,
    })
  }

  private bind(pod: string, node: string): void {
    const object = { metadata: { name: pod }, target: { kind: 'Node', name: node } } as unknown as KubeObject
    this.call({ verb: 'create', resource: 'pods', namespace: 'default', name: pod, subresource: 'binding', object })
    this.updatePodStatus(pod, { phase: 'Running', ready: true })
  }

  private updatePodStatus(name: string, { phase, ready }: { phase: string; ready?: boolean }): void {
    const pod = this.pod(name)
    const now = formatTime(this.clock.now())
    const before = pod.status?.conditions
    const conditions = ready === true ? withCondition(before, { type: 'Ready', status: 'True' }, now) : before
    const object = { ...pod, status: { ...pod.status, phase, ...(conditions && { conditions }) } } as Pod
    this.call({ verb: 'update', resource: 'pods', namespace: 'default', name, subresource: 'status', object })
  }

  /** Of a toleration that a pod has, only the seconds can be changed; others can be added. */
  private tolerate(name: string, edits: readonly Toleration[]): void {
    const pod = this.pod(name)
    const before = pod.spec.tolerations ?? []
    const kept = before.map((toleration) => edits.find((edit) => edit.key === toleration.key) ?? toleration)
    const added = edits.filter((edit) => !before.some((toleration) => edit.key === toleration.key))
    const object: Pod = { ...pod, spec: { ...pod.spec, tolerations: [...kept, ...added] } }
    this.call({ verb: 'update', resource: 'pods', namespace: 'default', name, object })
  }

  private patchNode(name: string, patch: object): void {
    this.call({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch: patch as never } })
  }

  private remove(kind: string, name: string): void {
    const options = { gracePeriodSeconds: 0 }
    if (kind === 'node') this.call({ verb: 'delete', resource: 'nodes', name })
    else if (kind === 'budget')
      this.call({ verb: 'delete', resource: 'poddisruptionbudgets.policy', namespace: 'default', name })
    else this.call({ verb: 'delete', resource: 'pods', namespace: 'default', name, options })
  }

  private postStatus(name: string, posted: Readonly<Record<string, string>>): void {
    const node = this.node(name)
    const now = formatTime(this.clock.now())
    let conditions: readonly NodeCondition[] = node.status?.conditions ?? []
    for (const [type, status] of Object.entries(posted)) {
      const reason = type === 'Ready' && status === 'True' ? 'KubeletReady' : 'Story'
      const condition = { type, status, reason, lastHeartbeatTime: now } as NodeCondition
      conditions = withCondition(conditions, condition, now)
    }
    const object = { ...node, status: { ...node.status, conditions } }
    this.call({ verb: 'update', resource: 'nodes', name, subresource: 'status', object })
  }

  private startKubelet(name: string): void {
    const leaseMs = milliseconds(this.story.settings['lease'] ?? '10s')
    const statusMs = milliseconds(this.story.settings['status'] ?? '0s')
    if (this.story.settings['lease'] !== '0s') this.repeat(leaseMs, () => this.beat(name))
    if (statusMs > 0) this.repeat(statusMs, () => this.isAlive(name) && this.postStatus(name, { Ready: 'True' }))
    this.repeat(1000, () => this.isAlive(name) && this.finishPods(name))
  }

  private repeat(everyMs: number, act: () => void): void {
    act()
    this.driver.at(this.clock.now() + everyMs, () => this.repeat(everyMs, act))
  }

  private isAlive(name: string): boolean {
    return !this.silent.has(name) && this.nodeNames().includes(name)
  }

  private beat(name: string): void {
    if (!this.isAlive(name)) return
    this.beats.set(name, this.clock.now())
    if (this.story.settings['heartbeats'] === 'computed') return
    const resource = 'leases.coordination.k8s.io'
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(this.clock.now()) }
    const at = { resource, namespace: 'kube-node-lease', name }
    const known = this.client.callNow({ verb: 'get', ...at })
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
    }
    if (known.ok && known.kind === 'object')
      this.call({ verb: 'update', ...at, object: { ...known.object, spec } as KubeObject })
    else this.call({ verb: 'create', resource, namespace: 'kube-node-lease', object: { ...lease, spec } as KubeObject })
  }

  private revive(name: string): void {
    this.silent.delete(name)
    this.beat(name)
    this.postStatus(name, { Ready: 'True' })
    this.finishPods(name)
  }

  /** A kubelet ends its terminating pods when their grace period is over. */
  private finishPods(node: string): void {
    for (const pod of this.list('pods') as readonly Pod[]) {
      const { deletionTimestamp, name } = pod.metadata
      if (pod.spec.nodeName !== node || deletionTimestamp === undefined) continue
      if (Date.parse(deletionTimestamp) <= this.clock.now()) this.remove('pod', name)
    }
  }

  private show(what: string): void {
    const controller = this.driver.controller(what === 'evictions' ? taintEviction : nodeLifecycle)
    const held = controller?.inspect?.(this.clock.now())
    for (const line of this.trace.describe(what, held)) this.trace.say(line)
    if (what === 'metrics') for (const line of this.metrics.expose().split('\n')) this.trace.metric(line)
  }
}

/** The same controller, with the events it records put on the trace. */
function recorded(controller: Controller, trace: Trace): Controller {
  return {
    ...controller,
    step(input) {
      const output = controller.step(input)
      for (const action of output.actions ?? []) {
        if (action.kind !== 'event') continue
        const { regarding, type, reason, message } = action.event
        const what = `${regarding.kind?.toLowerCase()}/${regarding.name}`
        trace.fact(what, `event ${type === 'Normal' ? '' : `${type} `}${reason}: ${message}`)
      }
      return output
    },
  }
}
