import type { Call, Outcome } from '../../api/call.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Event } from '../../api/objects/cluster.ts'
import type { KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { ObjectOf, ResourceName } from '../../api/objects/resources.ts'
import { failure } from '../../api/status.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import { createRandom } from '../../base/random.ts'
import { must } from '../../base/result.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import type { DirectClient } from '../../client/contract.ts'
import { createInProcessClient } from '../../client/in-process-client.ts'
import { clusterCidrDefinition } from '../../registry/custom/cluster-cidr-definition.ts'
import { createRegistry } from '../../registry/registry.ts'
import type { Answer, Ask } from '../../runtime/controller.ts'
import { createStepDriver, type StepDriver } from '../../runtime/step-driver.ts'
import { createStore } from '../../store/memory-store.ts'
import { allFixes, noFixes } from '../fixes.ts'
import { createNodeIpam, type NodeIpamInspection, nodeIpam } from './controller.ts'
import { podCidrsOf } from './node-blocks.ts'
import { readNodeIpamFlags } from './options.ts'

/** The fault of a call of the controller: a reason to reject it, or the loss of its answer after it was executed. */
export type Mishap = 'Conflict' | 'Invalid' | 'InternalError' | 'ServerTimeout' | 'answer lost'

export interface IpamClusterOptions {
  readonly flags: Readonly<Record<string, unknown>>
  readonly improved?: boolean
  readonly isOwnCluster?: boolean
  /** The fault of each call. */
  readonly mishap?: (call: Call) => Mishap | undefined
  readonly answer?: (ask: Ask) => Answer['outcome'] | undefined
  /** Adds nodes and other objects that exist before the controller starts. */
  readonly before?: (cluster: IpamCluster) => void
}

/** Nodes in memory and virtual time, and the controller with a connection to the API server that can fail. */
export class IpamCluster {
  metrics = new MetricRegistry()
  readonly driver: StepDriver
  /** Calls of the controller and their outcomes. */
  readonly calls: { readonly at: number; readonly call: Call; readonly outcome: Outcome }[] = []
  private readonly client: DirectClient
  private readonly store = createStore()
  private options: IpamClusterOptions

  constructor(options: IpamClusterOptions) {
    this.options = options
    const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
    const random = createRandom('ipam')
    this.client = createInProcessClient(createRegistry({ store: this.store, clock, random }))
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }
    this.must({ verb: 'create', resource: 'namespaces', object })
    const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
    this.must({ verb: 'create', resource: definitions, object: clusterCidrDefinition })
    options.before?.(this)
    const client: DirectClient = { ...this.client, callNow: (call) => this.controllerCalls(call) }
    this.driver = createStepDriver({
      client,
      source: this.store,
      clock,
      random,
      controllers: [this.controller()],
      answer: (ask) => this.options.answer?.(ask),
    })
  }

  addNode(
    name: string,
    more: { readonly cidrs?: readonly string[]; readonly labels?: StringMap; readonly providerID?: string } = {},
  ): void {
    const { cidrs = [], labels, providerID } = more
    const spec = {
      ...(cidrs.length === 0 ? {} : { podCIDR: cidrs[0], podCIDRs: cidrs }),
      ...(providerID === undefined ? {} : { providerID }),
    }
    const metadata = { name, ...(labels === undefined ? {} : { labels }) }
    this.must({ verb: 'create', resource: 'nodes', object: { apiVersion: 'v1', kind: 'Node', metadata, spec } as Node })
  }

  deleteNode(name: string): void {
    this.must({ verb: 'delete', resource: 'nodes', name })
  }

  /** Sends a heartbeat, which every controller receives. */
  touch(name: string): void {
    const patch = { metadata: { annotations: { touched: String(this.driver.now()) } } }
    this.must({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch } })
  }

  /** Writes an object without validation, as if it was created under other rules. */
  change(resource: ResourceName, object: KubeObject): void {
    this.store.commit([{ kind: 'update', resource, key: keyOf(object), object }])
  }

  must(call: Call): KubeObject {
    const outcome = this.client.callNow(call)
    if (!outcome.ok) throw new Error(`${call.verb} ${call.resource}: ${outcome.status.message}`)
    return outcome.kind === 'object' ? outcome.object : { metadata: { name: '' } }
  }

  settle(): this {
    this.driver.settle()
    return this
  }

  advance(ms: number): this {
    this.driver.advance(ms)
    return this
  }

  restart(change: Partial<IpamClusterOptions> = {}): this {
    this.options = { ...this.options, ...change }
    this.metrics = new MetricRegistry()
    this.driver.restart(nodeIpam, () => this.controller())
    return this
  }

  list<R extends ResourceName>(resource: R): readonly ObjectOf<R>[] {
    return this.store.list(resource) as readonly ObjectOf<R>[]
  }

  /** The blocks of each node. */
  blocks(): Readonly<Record<string, string>> {
    const pairs = this.list('nodes').map((node) => [node.metadata.name, podCidrsOf(node).join(' ')])
    return Object.fromEntries(pairs.sort((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1)))
  }

  events(): readonly string[] {
    const events = this.list('events') as readonly Event[]
    return events.map(({ type, reason, message, count }) => `${type} ${reason} ×${count ?? 1}: ${message}`)
  }

  inspect(): NodeIpamInspection {
    return this.driver.controller(nodeIpam)?.inspect?.(this.driver.now()) as NodeIpamInspection
  }

  private controller() {
    const { flags, improved = false, isOwnCluster = false } = this.options
    const settings = must(readNodeIpamFlags({ 'allocate-node-cidrs': 'true', ...flags }))
    return createNodeIpam({ settings, isOwnCluster, fixes: improved ? allFixes : noFixes, metrics: this.metrics })
  }

  private controllerCalls(call: Call): Outcome {
    const outcome = call.resource === 'events' ? this.client.callNow(call) : this.withMishap(call)
    if (call.resource !== 'events') this.calls.push({ at: this.driver.now(), call, outcome })
    return outcome
  }

  private withMishap(call: Call): Outcome {
    const mishap = this.options.mishap?.(call)
    if (mishap === undefined) return this.client.callNow(call)
    if (mishap !== 'answer lost') return failure(mishap, 'rejected by the test')
    this.client.callNow(call)
    return failure('Timeout', 'the answer did not come in time')
  }
}
