import type { Call, Outcome } from '../api/call.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import { labels } from '../api/well-known.ts'
import { must } from '../base/result.ts'
import { parseManifests } from '../controlplane/manifests.ts'
import { createVirtualCluster, type VirtualCluster, type VirtualOptions } from '../controlplane/virtual.ts'
import type { Kind, KindTable } from '../registry/kinds/kind.ts'
import type { Controller } from '../runtime/controller.ts'
import { createDrainer, type DrainProgress } from '../whatif/run/drain.ts'
import { StepRunner } from '../whatif/run/step-runner.ts'
import { kindOfObject } from '../whatif/scenario/kind-names.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'
import { drainActor, type NodeTarget, type Step } from '../whatif/scenario/step.ts'
import { parseTaint, parseTaintPattern } from '../whatif/scenario/taint-text.ts'
import { type ApiClass, createApiClients } from './api-client.ts'
import {
  ClusterOptionError,
  checkFunction,
  checkMembers,
  checkOneOf,
  checkText,
  durationMs,
} from './argument-checks.ts'
import { AsyncWork } from './async-work.ts'
import {
  type Cluster,
  ClusterTimeoutError,
  type DrainSettings,
  type PodFilter,
  type ServedCluster,
  type ServeSettings,
} from './cluster.ts'
import { ClusterError } from './cluster-error.ts'
import type { ControllerDefinition } from './controller-definition.ts'
import { type ClientWatch, createClientWatch, type Informer, ListWatchInformer } from './informer.ts'
import { type ClientList, type ClientObject, createObjectClient, type ObjectClient } from './object-client.ts'
import { createObjectWatch, type ObjectWatch, type WatchOptions } from './object-watch.ts'
import { type ReconcileFailure, type ReconcilerHost, ReconcilerRunner } from './reconciler-runner.ts'
import { kindNamed, type ObjectNamed, type ServedResource } from './resource-name.ts'

export interface ClusterPlan {
  readonly virtual: VirtualOptions
  readonly definitions: readonly ControllerDefinition[]
  readonly notes: readonly string[]
}

const mostFailures = 1000

export class InProcessCluster implements Cluster {
  readonly client: ObjectClient
  readonly watcher: ClientWatch
  readonly failures: ReconcileFailure[] = []
  private readonly plan: ClusterPlan
  private readonly virtual: VirtualCluster
  private readonly work: AsyncWork
  private readonly kinds: KindTable
  private readonly drainer = createDrainer()
  private readonly steps: StepRunner
  private makeApi: (<A>(type: ApiClass<A>) => A) | undefined
  private readonly servers = new Set<ServedCluster>()

  constructor(plan: ClusterPlan) {
    this.plan = plan
    this.virtual = createVirtualCluster(plan.virtual)
    this.kinds = this.virtual.registry.kinds
    this.work = new AsyncWork(this.virtual)
    this.client = createObjectClient({
      kinds: this.kinds,
      release: this.release,
      call: (call) => this.virtual.client.callNow(call),
      written: () => this.afterWrite(),
    })
    this.watcher = createClientWatch({ work: this.work, client: this.virtual.client, kinds: this.kinds })
    this.steps = new StepRunner(this.virtual, {
      drain: (nodes, how) => {
        if (this.virtual.driver.controller(drainActor) === undefined) this.virtual.driver.add(this.drainer)
        this.drainer.begin(nodes, how)
        this.virtual.driver.wake(drainActor)
      },
    })
    const host = this.reconcilerHost()
    for (const definition of plan.definitions) {
      this.virtual.driver.add(
        definition.kind === 'step' ? resolved(definition.create(), host) : new ReconcilerRunner(definition, host),
      )
    }
    this.virtual.driver.settle()
  }

  get now(): number {
    return this.virtual.clock.now()
  }

  get release() {
    return this.virtual.registry.release
  }

  get seed(): string {
    return this.plan.virtual.seed ?? '1'
  }

  get notes(): readonly string[] {
    return this.plan.notes
  }

  async apply(manifests: string | KubeObject | readonly KubeObject[]): Promise<readonly KubeObject[]> {
    const objects = typeof manifests === 'string' ? parseManifests(manifests) : [manifests].flat()
    return this.applyAll(objects as readonly KubeObject[], 'Strict')
  }

  /** `fieldValidation`: whether a field that the release does not know is an error, as for kubectl. */
  async applyAll(objects: readonly KubeObject[], fieldValidation: 'Strict' | 'Ignore'): Promise<readonly KubeObject[]> {
    const applied = objects.map((object) => this.applyOne(object, fieldValidation))
    await this.afterWrite()
    return applied
  }

  private applyOne(object: KubeObject, fieldValidation: 'Strict' | 'Ignore'): KubeObject {
    const { apiVersion = '', kind: kindName = '' } = object ?? {}
    const kind = object == null ? undefined : kindOfObject(this.kinds, object)
    if (kind === undefined)
      throw new Error(`kind ${JSON.stringify(kindName)} not found in ${JSON.stringify(apiVersion)}`)
    if (object.metadata === undefined) throw new Error(`${kindName}: metadata is missing`)
    const namespace = kind.namespaced ? { namespace: object.metadata.namespace ?? 'default' } : {}
    const target = { resource: kind.resource, ...namespace }
    const created = this.call({
      verb: 'create',
      ...target,
      fieldValidation,
      object: { ...object, metadata: { ...object.metadata, ...namespace } },
    })
    if (created.ok || created.status.reason !== 'AlreadyExists') return objectOf(created)
    const patch = { kind: 'merge', patch: object as unknown as JsonObject } as const
    return objectOf(this.call({ verb: 'patch', ...target, fieldValidation, name: object.metadata.name, patch }))
  }

  settle(): Promise<void> {
    return this.work.quiet()
  }

  async advance(duration: string | number): Promise<void> {
    await this.advanceTo(this.now + durationMs('advance', duration))
  }

  async advanceUntil(
    condition: (cluster: Cluster) => boolean | Promise<boolean>,
    options: { readonly within: string | number },
  ): Promise<number> {
    checkFunction('advanceUntil', condition)
    checkMembers('advanceUntil', options, ['within'])
    const { now } = this
    const { within } = options
    const limitMs = durationMs('within', within)
    if (await this.advanceTo(now + limitMs, () => condition(this))) return this.now - now
    throw new ClusterTimeoutError(
      `the condition does not hold within ${within}${typeof within === 'number' ? 'ms' : ''}`,
    )
  }

  /** Stops at the first quiet instant at which the condition holds; returns whether it holds. */
  private async advanceTo(ms: number, condition?: () => boolean | Promise<boolean>): Promise<boolean> {
    const { driver, clock } = this.virtual
    await this.work.quiet()
    if (condition !== undefined && (await condition())) return true
    while (clock.now() < ms) {
      if (condition === undefined) driver.advanceTo(ms, () => this.work.isDue)
      // A condition may be asynchronous, so it is evaluated between two instants.
      else driver.advanceTo(Math.min(Math.max(driver.nextAt() ?? ms, clock.now()), ms))
      if (this.work.isDue) await this.work.quiet()
      if (condition !== undefined && (await condition())) return true
    }
    return false
  }

  sleep(duration: string | number): Promise<void> {
    return this.work.sleep(durationMs('sleep', duration))
  }

  async fork(): Promise<Cluster> {
    await this.work.quiet()
    const { store, kubelet } = this.virtual
    const { virtual } = this.plan
    return new InProcessCluster({
      ...this.plan,
      virtual: {
        ...virtual,
        store,
        startMs: this.now,
        resumed: true,
        // Forks of the same state are equal, and do not generate the names of the original again.
        seed: `${this.seed} ${store.revision}`,
        ...(virtual.hollow === undefined || kubelet === undefined
          ? {}
          : { hollow: { ...virtual.hollow, continues: kubelet.state() } }),
      },
    })
  }

  get<R extends ServedResource>(resource: R, name: string, namespace?: string): ObjectNamed<R> | undefined {
    const kind = kindNamed(this.kinds, resource)
    checkText(`get ${resource}: name`, name)
    const outcome = this.call({ verb: 'get', ...place(kind, namespace), name })
    if (!outcome.ok && outcome.status.reason === 'NotFound') return undefined
    return objectOf(outcome) as ObjectNamed<R>
  }

  list<R extends ServedResource>(resource: R, namespace?: string): readonly ObjectNamed<R>[] {
    const kind = kindNamed(this.kinds, resource)
    const outcome = this.call({
      verb: 'list',
      resource: kind.resource,
      ...(namespace === undefined || !kind.namespaced ? {} : { namespace }),
    })
    if (!outcome.ok) throw new ClusterError(outcome.status)
    return (outcome.kind === 'list' ? outcome.items : []) as unknown as readonly ObjectNamed<R>[]
  }

  watch<R extends ServedResource>(resource: R, options: WatchOptions = {}): ObjectWatch<ObjectNamed<R>> {
    const kind = kindNamed(this.kinds, resource)
    checkMembers('watch', options, ['namespace', 'labelSelector', 'fieldSelector', 'resourceVersion'])
    const request = { ...options, resource: kind.resource }
    return createObjectWatch<ObjectNamed<R>>(this.work, this.virtual.client, request)
  }

  pods(filter: PodFilter = {}): readonly ObjectNamed<'pods'>[] {
    checkMembers('pods', filter, ['namespace', 'node', 'selector', 'phase'])
    checkOneOf('pods: phase', filter.phase, ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'])
    const selector = parseLabelSelector(filter.selector ?? '')
    if (!selector.ok) throw new Error(selector.message)
    return this.list('pods', filter.namespace).filter(
      (pod) =>
        (filter.node === undefined || pod.spec.nodeName === filter.node) &&
        (filter.phase === undefined || pod.status?.phase === filter.phase) &&
        selector.value.matches(pod.metadata.labels),
    )
  }

  nodes(): readonly ObjectNamed<'nodes'>[] {
    return this.list('nodes')
  }

  events(filter: { readonly reason?: string; readonly about?: string } = {}): readonly ObjectNamed<'events'>[] {
    checkMembers('events', filter, ['reason', 'about'])
    return this.list('events').filter(
      (event) =>
        (filter.reason === undefined || event.reason === filter.reason) &&
        (filter.about === undefined || event.involvedObject.name === filter.about),
    )
  }

  objects(): readonly KubeObject[] {
    const { store } = this.virtual
    return store.resources().flatMap((resource) => store.list(resource))
  }

  async patch<R extends ServedResource>(
    resource: R,
    name: string,
    patch: JsonObject,
    namespace?: string,
  ): Promise<ObjectNamed<R>> {
    const target = place(kindNamed(this.kinds, resource), namespace)
    const outcome = this.call({ verb: 'patch', ...target, name, patch: { kind: 'merge', patch } })
    await this.afterWrite()
    return objectOf(outcome) as ObjectNamed<R>
  }

  async delete(resource: ServedResource, name: string, namespace?: string): Promise<void> {
    const outcome = this.call({ verb: 'delete', ...place(kindNamed(this.kinds, resource), namespace), name })
    if (!outcome.ok) throw new ClusterError(outcome.status)
    await this.afterWrite()
  }

  async scale(resource: ServedResource, name: string, replicas: number, namespace?: string): Promise<void> {
    const target = place(kindNamed(this.kinds, resource), namespace)
    const patch = { kind: 'merge', patch: { spec: { replicas } } } as const
    objectOf(this.call({ verb: 'patch', ...target, name, subresource: 'scale', patch }))
    await this.afterWrite()
  }

  async taint(node: string, text: string): Promise<void> {
    await this.take({ kind: 'taint', nodes: this.node(node), taint: must(parseTaint(text)) })
  }

  async untaint(node: string, text: string): Promise<void> {
    await this.take({ kind: 'untaint', nodes: this.node(node), taint: must(parseTaintPattern(text)) })
  }

  async cordon(node: string): Promise<void> {
    await this.take({ kind: 'cordon', nodes: this.node(node) })
  }

  async uncordon(node: string): Promise<void> {
    await this.take({ kind: 'uncordon', nodes: this.node(node) })
  }

  async drain(node: string, settings: DrainSettings = {}): Promise<DrainProgress> {
    checkMembers('drain', settings, ['force', 'within'])
    const { force, within } = settings
    const limitMs = within === undefined ? undefined : durationMs('within', within)
    await this.take({ kind: 'drain', nodes: this.node(node), options: force === undefined ? {} : { force } })
    const isDone = () => !this.drainer.progress().open.includes(node)
    if (limitMs !== undefined) await this.advanceTo(this.now + limitMs, isDone)
    return this.drainer.progress()
  }

  async silence(...targets: readonly string[]): Promise<void> {
    await this.take({ kind: 'silence', nodes: this.nodesIn(targets) })
  }

  async fail(...targets: readonly string[]): Promise<void> {
    await this.take({ kind: 'fail', nodes: this.nodesIn(targets) })
  }

  async revive(...targets: readonly string[]): Promise<void> {
    await this.take({ kind: 'revive', nodes: this.nodesIn(targets) })
  }

  async restart(controller: string): Promise<void> {
    await this.take({ kind: 'restart', controller })
  }

  private async take(step: Step): Promise<void> {
    this.steps.take(step)
    await this.afterWrite()
  }

  private node(name: string): NodeTarget {
    return { kind: 'names', names: [name] }
  }

  /** Nodes by name, or by the name of their zone. */
  private nodesIn(targets: readonly string[]): NodeTarget {
    if (targets.length === 0) throw new ClusterOptionError('at least one node or zone is required')
    const nodes = this.nodes()
    const zoneOf = ({ metadata }: Node) => metadata.labels?.[labels.zone]
    const names = targets.flatMap((target) => {
      if (nodes.some(({ metadata }) => metadata.name === target)) return [target]
      const inZone = nodes.filter((node) => zoneOf(node) === target).map(({ metadata }) => metadata.name)
      if (inZone.length > 0) return inZone
      const zones = new Set(nodes.map(zoneOf).filter((zone) => zone !== undefined))
      const known = [...zones, ...nodes.map(({ metadata }) => metadata.name)]
      throw new Error(`node or zone ${JSON.stringify(target)} not found; ${nameHint(target, known)}`)
    })
    return { kind: 'names', names: [...new Set(names)] }
  }

  makeApiClient<A>(type: ApiClass<A>): A {
    this.makeApi ??= createApiClients(this.virtual, () => this.afterWrite())
    return this.makeApi(type)
  }

  makeInformer<T extends ClientObject>(
    path: string,
    listFn: () => Promise<ClientList<T>>,
    labelSelector?: string,
  ): Informer<T> {
    return new ListWatchInformer(this.watcher, path, listFn, labelSelector)
  }

  async serve(settings: ServeSettings = {}): Promise<ServedCluster> {
    checkMembers('serve', settings, ['port', 'speed'])
    const { serveCluster } = await import('./serve-cluster.ts')
    const served = await serveCluster({
      ...settings,
      cluster: this.virtual,
      stir: () => this.work.stir(),
      advance: (ms) => this.advance(ms),
    })
    this.servers.add(served)
    return served
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.close()
    this.servers.clear()
    this.virtual.driver.close()
  }

  /** Code that the cluster runs does not wait for the consequences of its writes. Other code does. */
  private async afterWrite(): Promise<void> {
    if (!this.work.isInside) await this.work.quiet()
  }

  private call(call: Call): Outcome {
    return this.virtual.client.callNow(call)
  }

  private reconcilerHost(): ReconcilerHost {
    const { clock } = this.virtual
    return {
      work: this.work,
      context: {
        client: this.client,
        now: () => clock.now(),
        sleep: (duration) => this.sleep(duration),
      },
      kindOf: (resource) =>
        (this.kinds.find(resource) ?? resource.includes('.'))
          ? this.kinds.find(resource)
          : kindNamed(this.kinds, resource),
      durationMs: (duration) => durationMs('requeueAfter', duration),
      failed: (failure) => {
        this.failures.push(failure)
        if (this.failures.length > mostFailures) this.failures.shift()
      },
    }
  }
}

/** The controller with the full names of the resources that it watches. */
function resolved(controller: Controller, { kindOf }: ReconcilerHost): Controller {
  return { ...controller, watches: controller.watches.map((name) => kindOf(name)?.storage ?? name) }
}

function place(kind: Kind, namespace: string | undefined): { readonly resource: string; readonly namespace?: string } {
  return { resource: kind.resource, ...(kind.namespaced ? { namespace: namespace ?? 'default' } : {}) }
}

function objectOf(outcome: Outcome): KubeObject {
  if (!outcome.ok) throw new ClusterError(outcome.status)
  if (outcome.kind !== 'object') throw new Error('the response is not an object')
  return outcome.object
}
