import type { Call, Outcome } from '../api/call.ts'
import { isPodTerminal } from '../api/conditions.ts'
import { keyOf, splitKey } from '../api/object-key.ts'
import type { Event } from '../api/objects/cluster.ts'
import type { DeleteOptions, JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { ObjectOf, ResourceName } from '../api/objects/resources.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { formatTime } from '../api/time.ts'
import { DeadlineQueue } from '../base/deadline-queue.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { createRegistry } from '../registry/registry.ts'
import { bindPod, createActionIds, deleteObject, patchStatus } from '../runtime/actions.ts'
import type { Action, Controller } from '../runtime/controller.ts'
import { createStepDriver, type StepDriver } from '../runtime/step-driver.ts'
import { createStore } from '../store/memory-store.ts'

export const start = Date.parse('2026-01-01T00:00:00Z')

export interface WorkloadClusterOptions {
  readonly controllers: readonly Controller[]
  /** Pods are bound to these nodes in turn, if a kubelet runs. */
  readonly nodes?: readonly string[]
  readonly kubelet?: KubeletOptions | 'none'
  readonly namespaces?: readonly string[]
  readonly seed?: string
  readonly release?: KubernetesRelease
  /** Makes calls of controllers fail, as a quota or a lost connection does. */
  readonly refuse?: (call: Call) => Outcome | undefined
}

export interface KubeletOptions {
  /** From creation to Running and Ready. Default: 0. */
  readonly startMs?: number
  /** From Running to Succeeded, for pods that do not restart. Absent: never. */
  readonly runMs?: number
}

/** A cluster in memory and virtual time, with calls that must succeed. */
export class WorkloadCluster {
  readonly driver: StepDriver
  readonly call: (call: Call) => Outcome
  private readonly store = createStore()

  constructor(options: WorkloadClusterOptions) {
    const clock = new VirtualClock(start)
    const random = createRandom(options.seed ?? 'test')
    const { release } = options
    const registry = createRegistry({
      store: this.store,
      clock,
      random,
      options: release === undefined ? {} : { release },
    })
    const client = createInProcessClient(registry)
    this.call = (call) => client.callNow(call)
    for (const name of options.namespaces ?? ['default']) this.create('namespaces', { metadata: { name } })
    for (const name of options.nodes ?? []) this.addNode(name)
    const kubelet =
      options.kubelet === 'none' ? [] : [createInstantKubelet(options.nodes ?? ['node'], options.kubelet ?? {})]
    const controllers = [...options.controllers, ...kubelet]
    const callNow = (call: Call): Outcome => options.refuse?.(call) ?? client.callNow(call)
    this.driver = createStepDriver({ client: { ...client, callNow }, source: this.store, clock, random, controllers })
  }

  now(): number {
    return this.driver.now()
  }

  settle(): void {
    this.driver.settle()
  }

  advance(ms: number): void {
    this.driver.advance(ms)
  }

  must(call: Call): KubeObject {
    const outcome = this.call(call)
    if (!outcome.ok) throw new Error(`${call.verb} ${call.resource}: ${outcome.status.message}`)
    return outcome.kind === 'object' ? outcome.object : { metadata: { name: '' } }
  }

  create<R extends ResourceName>(resource: R, object: object): ObjectOf<R> {
    const { namespace } = (object as KubeObject).metadata
    const at = namespace === undefined ? {} : { namespace }
    return this.must({ verb: 'create', resource, ...at, object: object as KubeObject }) as ObjectOf<R>
  }

  /** Adds a ready node. A new node is tainted until its kubelet reports. */
  addNode(name: string): void {
    this.create('nodes', { metadata: { name } })
    this.patch('nodes', name, { spec: { taints: null } })
  }

  patch(resource: ResourceName, key: string, patch: object, subresource?: string): KubeObject {
    return this.must({
      verb: 'patch',
      resource,
      ...splitKey(key),
      patch: { kind: 'merge', patch: patch as JsonObject },
      ...(subresource === undefined ? {} : { subresource }),
    })
  }

  delete(resource: ResourceName, key: string, options?: DeleteOptions): void {
    this.must({ verb: 'delete', resource, ...splitKey(key), ...(options === undefined ? {} : { options }) })
  }

  get<R extends ResourceName>(resource: R, key: string): ObjectOf<R> | undefined {
    return this.store.get(resource, key) as ObjectOf<R> | undefined
  }

  list<R extends ResourceName>(resource: R): readonly ObjectOf<R>[] {
    return this.store.list(resource) as readonly ObjectOf<R>[]
  }

  pods(): readonly Pod[] {
    return this.list('pods')
  }

  setReady(key: string, ready = true): void {
    const lastTransitionTime = formatTime(this.now())
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }]
    this.patch('pods', key, { status: { phase: 'Running', conditions } }, 'status')
  }

  /**
   * `Reason: message` of the recorded events, in the order in which they were first recorded; counts above one are
   * shown.
   */
  events(regarding?: string): readonly string[] {
    const found = this.list('events').filter(
      (event) => regarding === undefined || event.involvedObject.name === regarding,
    )
    return inOrder(found).map((event) => {
      const times = (event.count ?? 1) > 1 ? ` (x${event.count})` : ''
      return `${event.reason}: ${event.message}${times}`
    })
  }
}

/** Sorts events by the revision of their creation, because their names are random. */
function inOrder(events: readonly Event[]): readonly Event[] {
  return [...events].sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
}

/** Binds, starts and ends pods without any checks. */
function createInstantKubelet(nodes: readonly string[], { startMs = 0, runMs }: KubeletOptions): Controller {
  const ids = createActionIds()
  const starts = new DeadlineQueue<string>()
  const ends = new DeadlineQueue<string>()
  const terminating = new Set<string>()
  let turn = 0
  return {
    name: 'instant-kubelet',
    watches: ['pods'],
    step({ changes, now, view }) {
      const actions: Action[] = []
      for (const change of changes) {
        if (change.resource !== 'pods') continue
        const { key, before, after } = change
        if (after === undefined) continue
        if (before === undefined && !isPodTerminal(after)) {
          const node = after.spec.nodeName ?? demandedNode(after) ?? (nodes[turn++ % nodes.length] as string)
          if (after.spec.nodeName === undefined) actions.push(bindPod(ids, { pod: after, node }))
          starts.set(key, now + startMs)
        }
        if (after.metadata.deletionTimestamp !== undefined) terminating.add(key)
      }
      for (const key of terminating) {
        const pod = view.get('pods', key)
        // Another pod of the same name may have been created within the instant.
        if (pod?.metadata.deletionTimestamp === undefined) continue
        const options = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid ?? '' } }
        actions.push(deleteObject(ids, { resource: 'pods', object: pod, options }))
      }
      terminating.clear()
      for (const key of starts.popDue(now)) {
        const pod = view.get('pods', key)
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) continue
        actions.push(patchStatus(ids, { resource: 'pods', object: pod, status: running(now) }))
        if (runMs !== undefined && pod.spec.restartPolicy !== 'Always') ends.set(key, now + runMs)
      }
      for (const key of ends.popDue(now)) {
        const pod = view.get('pods', key)
        if (pod === undefined || keyOf(pod) !== key || isPodTerminal(pod)) continue
        actions.push(patchStatus(ids, { resource: 'pods', object: pod, status: succeeded(now) }))
      }
      const wakeAt = Math.min(starts.nextAt() ?? Number.POSITIVE_INFINITY, ends.nextAt() ?? Number.POSITIVE_INFINITY)
      return { actions, ...(wakeAt === Number.POSITIVE_INFINITY ? {} : { wakeAt }) }
    },
  }
}

/** The one node that a pod's affinity allows, if any. */
function demandedNode({ spec }: Pod): string | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required?.nodeSelectorTerms[0]?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0]
}

function running(now: number): object {
  const time = formatTime(now)
  return {
    phase: 'Running',
    startTime: time,
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }],
  }
}

function succeeded(now: number): object {
  const lastTransitionTime = formatTime(now)
  return { phase: 'Succeeded', conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] }
}
