import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Lease, Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import type { Client } from '../../src/client/contract.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { loadAccess } from '../../src/client/kubeconfig/load-access.ts'
import { eventually, type RealCluster } from './real-parts.ts'

/** Requests of the administrator: creates objects and reads their state. */
export interface Connection {
  readonly client: Client
  create(resource: string, object: KubeObject): Promise<void>
  list<T extends KubeObject>(resource: string, labelSelector?: string): Promise<readonly T[]>
  get<T extends KubeObject>(resource: string, name: string, namespace?: string): Promise<T | undefined>
  merge(resource: string, name: string, patch: object, subresource?: string): Promise<void>
  /** kube-apiserver taints every new node; without a kubelet the test must remove the taint. */
  createNodes(from: number, to: number, make?: (i: number) => Node): Promise<void>
  /** Removes the objects of an earlier attempt: all pods, and these nodes. */
  clear(nodes?: readonly string[]): Promise<void>
  /** Waits until all pods with this label exist and have a node. */
  allBound(label: string, count: number, seconds?: number): Promise<readonly Pod[]>
  /** Waits until an instance, or an instance other than `not`, holds the lease. */
  leader(name?: string, not?: string): Promise<string>
  close(): void
}

export async function connect(cluster: Pick<RealCluster, 'kubeconfig'>): Promise<Connection> {
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig }, Date.now)
  const random = createRandom('real').stream('watch')
  const client = createHttpClient({ access, clock: new RealClock(), random, maxSockets: 64 })
  const own: Connection = {
    client,
    create: async (resource, object) => {
      const { namespace } = object.metadata
      const where = namespace === undefined ? {} : { namespace }
      const outcome = await client.call({ verb: 'create', resource, object, ...where })
      // A retried test finds the objects of the first try.
      if (!outcome.ok && outcome.status.reason !== 'AlreadyExists') throw new Error(outcome.status.message)
    },
    list: async <T extends KubeObject>(resource: string, labelSelector?: string) => {
      const chosen = labelSelector === undefined ? {} : { labelSelector }
      const outcome = await client.call({ verb: 'list', resource, ...chosen })
      return outcome.ok && outcome.kind === 'list' ? (outcome.items as readonly T[]) : []
    },
    get: async <T extends KubeObject>(resource: string, name: string, namespace?: string) => {
      const where = namespace === undefined ? {} : { namespace }
      const outcome = await client.call({ verb: 'get', resource, name, ...where })
      return outcome.ok && outcome.kind === 'object' ? (outcome.object as T) : undefined
    },
    merge: async (resource, name, patch, subresource) => {
      const where = subresource === undefined ? {} : { subresource }
      const outcome = await client.call({
        ...{ verb: 'patch', resource, name, ...where },
        patch: { kind: 'merge', patch: patch as never },
      })
      if (!outcome.ok) throw new Error(outcome.status.message)
    },
    createNodes: (from, to, make = (i) => node(i)) =>
      inParallel(to - from, async (at) => {
        const object = make(from + at)
        await own.create('nodes', object)
        await own.merge('nodes', object.metadata.name, { spec: { taints: null } })
      }),
    clear: async (nodes = []) => {
      const options = { gracePeriodSeconds: 0 }
      const pods = await own.list<Pod>('pods')
      await inParallel(pods.length, async (i) => {
        const { name, namespace = 'default' } = pods[i]!.metadata
        await client.call({ verb: 'delete', resource: 'pods', namespace, name, options })
      })
      await inParallel(nodes.length, async (i) => {
        await client.call({ verb: 'delete', resource: 'nodes', name: nodes[i]! })
      })
      await eventually(
        'the pods of an earlier try are gone',
        () => own.list<Pod>('pods'),
        (all) => all.length === 0,
      )
    },
    allBound: (label, count, seconds = 120) =>
      eventually(
        `${count} pods are bound`,
        () => own.list<Pod>('pods', label),
        (all) => all.length === count && all.every(({ spec }) => spec.nodeName),
        seconds,
      ),
    leader: async (name = 'berth', not = '') => {
      const lease = await eventually(
        'an instance is the leader',
        () => own.get<Lease>('leases.coordination.k8s.io', name, 'kube-system'),
        (found) => Boolean(found?.spec?.holderIdentity) && found?.spec?.holderIdentity !== not,
      )
      return lease?.spec?.holderIdentity ?? ''
    },
    close: () => client.close(),
  }
  return own
}

/** The names of pods with this prefix, once per binding in the log of the API server. */
export function bindingsOf(cluster: RealCluster, prefix: string): readonly string[] {
  return cluster
    .auditLog()
    .filter(({ objectRef, responseStatus }) => objectRef?.subresource === 'binding' && responseStatus?.code === 201)
    .map(({ objectRef }) => objectRef?.name ?? '')
    .filter((name) => name.startsWith(prefix))
}

export async function inParallel(count: number, one: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: 32 }, worker))
}

export function node(i: number, cpu = '16', labels: Record<string, string> = {}): Node {
  const resources = { cpu, memory: '64Gi', pods: '110' }
  const zone = { 'topology.kubernetes.io/zone': `zone-${i % 3}` }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${i}`, labels: { 'kubernetes.io/hostname': `n${i}`, ...zone, ...labels } },
    status: { capacity: resources, allocatable: resources, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

export function pod(name: string, labels: Record<string, string>, spec: Partial<Pod['spec']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
      ...spec,
    },
  }
}
