import type { Outcome } from '../api/call.ts'
import { parseGoDurationMs } from '../api/go-duration.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { Event } from '../api/objects/cluster.ts'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod, PodPhase } from '../api/objects/pod.ts'
import type { ObjectOf, ResourceName } from '../api/objects/resources.ts'
import { withoutTaint, withTaint } from '../api/taints.ts'
import { formatTime } from '../api/time.ts'
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { packs } from '../controllers/hollow-kubelet/packs.ts'
import type { KindTable } from '../registry/kinds/kind.ts'
import { defaultShape, hollowNodes, type NodeShape, parseNodeShape } from './hollow-nodes.ts'
import { standardStorageClass } from './hollow-storage.ts'
import { parseManifests } from './manifests.ts'
import { readSettings } from './settings.ts'
import { createVirtualCluster, type VirtualCluster } from './virtual.ts'

export interface ClusterOptions {
  /** Initial number of hollow nodes. Default: 3. */
  readonly nodes?: number
  /** For example `cpu=8,memory=32Gi,zones=3`. */
  readonly nodeShape?: string | NodeShape
  /** The behavior of hollow kubelets. Default: fast. */
  readonly pack?: keyof typeof packs
  /** Flags with the names of kube-controller-manager and kube-scheduler; also `behavior` and `fix`. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** The release of Kubernetes: `1.36`, or with its patch level, `1.36.2`. Default: 1.36. */
  readonly kubernetesVersion?: string
  /** For example `MaxUnavailableStatefulSet=true`, or an object by name. */
  readonly featureGates?: string | Readonly<Record<string, boolean>>
  /** Random seed: makes names and ties reproducible. Default: 1. */
  readonly seed?: string | number
  /** The initial time. Default: 2026-01-01T00:00:00Z. */
  readonly start?: Date | number | string
}

export interface PodFilter {
  readonly namespace?: string
  readonly node?: string
  /** A label selector as text: `app=web,tier!=cache`. */
  readonly selector?: string
  readonly phase?: PodPhase
}

/** A rejected call, as an error with the server's Status. */
export class ClusterError extends Error {
  readonly status: Extract<Outcome, { ok: false }>['status']

  constructor(status: Extract<Outcome, { ok: false }>['status']) {
    super(status.message ?? status.reason ?? 'the call was rejected')
    this.name = 'ClusterError'
    this.status = status
  }
}

/**
 * A whole cluster inside a test: API, scheduler, controllers and hollow nodes, in virtual time. A change resolves when
 * all its consequences at the same instant have happened; time passes only with `advance`.
 */
export interface Cluster {
  /** The cluster's time in milliseconds since the epoch. */
  readonly now: number
  /** Creates or updates objects: YAML or JSON text, an object, or several. */
  apply(manifests: string | KubeObject | readonly KubeObject[]): Promise<readonly KubeObject[]>
  /** Advances the time: `'5m'`, or milliseconds. */
  advance(duration: string | number): Promise<void>
  get<R extends ResourceName>(resource: R, name: string, namespace?: string): ObjectOf<R> | undefined
  list<R extends ResourceName>(resource: R, namespace?: string): readonly ObjectOf<R>[]
  pods(filter?: PodFilter): readonly Pod[]
  nodes(): readonly Node[]
  events(filter?: { readonly reason?: string; readonly about?: string }): readonly Event[]
  patch(resource: ResourceName, name: string, patch: JsonObject, namespace?: string): Promise<KubeObject>
  delete(resource: ResourceName, name: string, namespace?: string): Promise<void>
  scale(
    resource: 'deployments.apps' | 'replicasets.apps' | 'statefulsets.apps',
    name: string,
    replicas: number,
    namespace?: string,
  ): Promise<void>
  /** `key=value:Effect` or `key:Effect`. */
  taint(node: string, taint: string): Promise<void>
  untaint(node: string, taint: string): Promise<void>
  cordon(node: string): Promise<void>
  uncordon(node: string): Promise<void>
  /** Their kubelets do nothing until they are revived. */
  silence(...nodes: readonly string[]): Promise<void>
  revive(...nodes: readonly string[]): Promise<void>
  /** Serves the API on a loopback address, for kubectl; time still passes only with `advance`. */
  serve(port?: number): Promise<{ readonly url: string; readonly kubeconfig: string; close(): Promise<void> }>
  close(): Promise<void>
}

export async function createCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { kubernetesVersion, featureGates } = options
  const settings = readSettings({
    ...options.flags,
    ...(kubernetesVersion === undefined ? {} : { 'kubernetes-version': kubernetesVersion }),
    ...(featureGates === undefined ? {} : { 'feature-gates': featureGates }),
  })
  if (!settings.ok) throw new Error(settings.message)
  const startMs = new Date(options.start ?? Date.UTC(2026, 0, 1)).getTime()
  if (Number.isNaN(startMs)) throw new Error(`start: ${String(options.start)} is not a date`)
  const virtual = createVirtualCluster({
    startMs,
    settings: settings.value,
    seed: String(options.seed ?? 1),
    hollow: { serves: 'all', stages: packs[options.pack ?? 'fast'] },
    events: 'record',
  })
  const shape =
    typeof options.nodeShape === 'string' ? parseNodeShape(options.nodeShape) : (options.nodeShape ?? defaultShape)
  const cluster = new InProcessCluster(virtual)
  await cluster.apply([standardStorageClass, ...hollowNodes(options.nodes ?? 3, shape)])
  return cluster
}

class InProcessCluster implements Cluster {
  private readonly virtual: VirtualCluster
  private readonly kinds: KindTable
  private readonly servers = new Set<{ close(): Promise<void> }>()

  constructor(virtual: VirtualCluster) {
    this.virtual = virtual
    this.kinds = (virtual.registry as unknown as { readonly kinds: KindTable }).kinds
    virtual.driver.settle()
  }

  get now(): number {
    return this.virtual.clock.now()
  }

  async apply(manifests: string | KubeObject | readonly KubeObject[]): Promise<readonly KubeObject[]> {
    const objects = typeof manifests === 'string' ? parseManifests(manifests) : [manifests].flat()
    const applied = objects.map((object) => this.applyOne(object as KubeObject))
    this.virtual.driver.settle()
    return applied
  }

  private applyOne(object: KubeObject): KubeObject {
    const { apiVersion = 'v1', kind: name = '' } = object
    const slash = apiVersion.indexOf('/')
    const kind = this.kinds.findKind(slash < 0 ? '' : apiVersion.slice(0, slash), name)
    if (kind === undefined) throw new Error(`kind ${JSON.stringify(name)} not found in ${JSON.stringify(apiVersion)}`)
    const namespace = kind.namespaced ? { namespace: object.metadata.namespace ?? 'default' } : {}
    const target = { resource: kind.resource, ...namespace }
    const created = this.virtual.client.callNow({
      verb: 'create',
      ...target,
      object: { ...object, metadata: { ...object.metadata, ...namespace } },
    })
    if (created.ok || created.status.reason !== 'AlreadyExists') return objectOf(created)
    const patch = { kind: 'merge', patch: object as unknown as JsonObject } as const
    return objectOf(this.virtual.client.callNow({ verb: 'patch', ...target, name: object.metadata.name, patch }))
  }

  async advance(duration: string | number): Promise<void> {
    this.virtual.driver.advance(typeof duration === 'number' ? duration : durationMs(duration))
  }

  get<R extends ResourceName>(resource: R, name: string, namespace?: string): ObjectOf<R> | undefined {
    const key = this.kinds.find(resource)?.namespaced === true ? `${namespace ?? 'default'}/${name}` : name
    return this.virtual.store.get(resource, key) as ObjectOf<R> | undefined
  }

  list<R extends ResourceName>(resource: R, namespace?: string): readonly ObjectOf<R>[] {
    return this.virtual.store.list(resource, namespace === undefined ? {} : { namespace }) as readonly ObjectOf<R>[]
  }

  pods(filter: PodFilter = {}): readonly Pod[] {
    const selector = parseLabelSelector(filter.selector ?? '')
    if (!selector.ok) throw new Error(selector.message)
    return this.list('pods', filter.namespace).filter(
      (pod) =>
        (filter.node === undefined || pod.spec.nodeName === filter.node) &&
        (filter.phase === undefined || pod.status?.phase === filter.phase) &&
        selector.value.matches(pod.metadata.labels),
    )
  }

  nodes(): readonly Node[] {
    return this.list('nodes')
  }

  events(filter: { readonly reason?: string; readonly about?: string } = {}): readonly Event[] {
    return this.list('events').filter(
      (event) =>
        (filter.reason === undefined || event.reason === filter.reason) &&
        (filter.about === undefined || event.involvedObject.name === filter.about),
    )
  }

  async patch(resource: ResourceName, name: string, patch: JsonObject, namespace?: string): Promise<KubeObject> {
    const home = this.home(resource, namespace)
    const outcome = this.virtual.client.callNow({
      verb: 'patch',
      resource,
      name,
      ...home,
      patch: { kind: 'merge', patch },
    })
    this.virtual.driver.settle()
    return objectOf(outcome)
  }

  async delete(resource: ResourceName, name: string, namespace?: string): Promise<void> {
    const outcome = this.virtual.client.callNow({ verb: 'delete', resource, name, ...this.home(resource, namespace) })
    if (!outcome.ok) throw new ClusterError(outcome.status)
    this.virtual.driver.settle()
  }

  async scale(resource: ResourceName, name: string, replicas: number, namespace?: string): Promise<void> {
    await this.patch(resource, name, { spec: { replicas } }, namespace)
  }

  async taint(node: string, taint: string): Promise<void> {
    const { key, value, effect } = readTaint(taint)
    const found = this.nodeNamed(node)
    const timeAdded = effect === 'NoExecute' ? { timeAdded: formatTime(this.now) } : {}
    const taints = withTaint(found.spec?.taints ?? [], {
      key,
      ...(value === '' ? {} : { value }),
      effect,
      ...timeAdded,
    })
    await this.patch('nodes', node, { spec: { taints } } as unknown as JsonObject)
  }

  async untaint(node: string, taint: string): Promise<void> {
    const { key, effect } = readTaint(taint)
    const taints = withoutTaint(this.nodeNamed(node).spec?.taints ?? [], { key, effect })
    await this.patch('nodes', node, { spec: { taints } } as unknown as JsonObject)
  }

  async cordon(node: string): Promise<void> {
    await this.patch('nodes', node, { spec: { unschedulable: true } })
  }

  async uncordon(node: string): Promise<void> {
    await this.patch('nodes', node, { spec: { unschedulable: null } })
  }

  async silence(...nodes: readonly string[]): Promise<void> {
    for (const node of nodes) this.nodeNamed(node)
    this.virtual.kubelet?.silence(nodes, this.now)
  }

  async revive(...nodes: readonly string[]): Promise<void> {
    for (const node of nodes) this.nodeNamed(node)
    this.virtual.revive(nodes)
    this.virtual.driver.settle()
  }

  async serve(port = 0) {
    const [{ startApiServer }, { kubeconfigOf }, { RealClock }] = await Promise.all([
      import('../apiserver/api-server.ts'),
      import('../apiserver/kubeconfig.ts'),
      import('../base/real-clock.ts'),
    ])
    const call = this.callAndSettle
    const { store, registry: own } = this.virtual
    const registry = {
      store,
      kinds: this.kinds,
      release: own.release,
      call,
      begin: call,
      convert: this.virtual.registry.convert,
    }
    const server = await startApiServer({
      registry,
      clock: new RealClock(),
      log: silentLogger,
      metrics: new MetricRegistry(),
      host: '127.0.0.1',
      port,
    })
    const kubeconfig = `${JSON.stringify(kubeconfigOf({ server: server.url, name: 'berth' }), null, 2)}\n`
    this.servers.add(server)
    return { url: server.url, kubeconfig, close: () => server.close() }
  }

  /** A write over HTTP is answered after its consequences have happened, as for all other callers. */
  private readonly callAndSettle = (...args: Parameters<VirtualCluster['registry']['call']>): Outcome => {
    const outcome = this.virtual.registry.call(...args)
    if (args[0].verb !== 'get' && args[0].verb !== 'list') this.virtual.driver.settle()
    return outcome
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.close()
    this.servers.clear()
  }

  private home(resource: ResourceName, namespace: string | undefined): { readonly namespace?: string } {
    return this.kinds.find(resource)?.namespaced === true ? { namespace: namespace ?? 'default' } : {}
  }

  private nodeNamed(name: string): Node {
    const node = this.get('nodes', name)
    if (node === undefined)
      throw new Error(
        `node ${JSON.stringify(name)} not found; existing nodes: ${this.nodes()
          .map(({ metadata }) => metadata.name)
          .join(', ')}`,
      )
    return node
  }
}

function objectOf(outcome: Outcome): KubeObject {
  if (!outcome.ok) throw new ClusterError(outcome.status)
  if (outcome.kind !== 'object') throw new Error('the response is not an object')
  return outcome.object
}

function durationMs(text: string): number {
  const parsed = parseGoDurationMs(text)
  if (!parsed.ok) throw new Error(`${parsed.message}; write a duration such as 90s, 5m or 1h30m`)
  return parsed.value
}

function readTaint(text: string): {
  readonly key: string
  readonly value: string
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
} {
  const match = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text)
  if (match === null) throw new Error(`${JSON.stringify(text)} is not a taint; write it as maintenance=now:NoExecute`)
  return { key: match[1]!, value: match[2] ?? '', effect: match[3] as 'NoExecute' }
}
