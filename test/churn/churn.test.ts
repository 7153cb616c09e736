import { describe, expect, it } from 'vitest'
import type { JsonObject, KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { Deployment, ReplicaSet } from '../../src/api/objects/workloads.ts'
import { schedulingRequests } from '../../src/api/scheduling-requests.ts'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { hollowNodes, parseNodeShape } from '../../src/controlplane/hollow-nodes.ts'
import { createVirtualCluster, type VirtualCluster } from '../../src/controlplane/virtual.ts'
import { explainPod } from '../../src/whatif/explain/explain-pod.ts'
import { ObjectSet } from '../../src/whatif/explain/object-set.ts'

// A day of churn takes minutes: BERTH_CHURN_HOURS=24 BERTH_CHURN_SEEDS=20 is the long run.
const hours = Number(process.env['BERTH_CHURN_HOURS'] ?? 2)
const seeds = Array.from({ length: Number(process.env['BERTH_CHURN_SEEDS'] ?? 2) }, (_, index) => `churn-${index + 1}`)

const minute = 60_000

describe(`${hours} virtual hours of churn on 50 nodes`, () => {
  it.each(seeds)('keeps the invariants with seed %s', { timeout: 1_800_000 }, (seed) => {
    const story = new Churn(seed)
    for (let passed = 0; passed < hours * 60; passed += 2) {
      story.act()
      story.pass(2 * minute)
    }
    story.comeToRest()
  })
})

class Churn {
  private readonly random: RandomStream
  private readonly cluster: VirtualCluster
  private readonly apps: string[] = []
  private readonly silent = new Set<string>()
  private readonly bindings = new Map<string, string>()
  private made = 0

  constructor(seed: string) {
    this.random = createRandom(seed).stream('churn')
    this.cluster = createVirtualCluster({
      startMs: Date.UTC(2026, 0, 1),
      seed,
      hollow: { serves: 'all', stages: packs.fast },
      events: 'drop',
    })
    this.cluster.driver.onChanges((changes) => {
      for (const change of changes) if (change.resource === 'pods') this.notePod(change.before, change.after)
    })
    for (const node of hollowNodes(50, parseNodeShape('cpu=4,memory=16Gi,zones=3'))) this.call('create', 'nodes', node)
    this.cluster.driver.settle()
    for (let i = 0; i < 10; i++) this.deploy()
    this.pass(minute)
  }

  /** One change: an ordinary operation or a failure. */
  act(): void {
    const acts = [
      () => this.deploy(),
      () => this.scale(),
      () => this.scale(),
      () => this.update(),
      () => this.remove(),
      () => this.taint(),
      () => this.untaint(),
      () => this.silence(),
      () => this.revive(),
      () => this.cordon(),
      () => this.restart(),
    ]
    this.random.pick(acts)()
    this.cluster.driver.settle()
    this.check()
  }

  pass(ms: number): void {
    this.cluster.driver.advance(ms)
    this.check()
  }

  /** Repairs everything. Then every ReplicaSet must have its pods, and no pod that fits a node may be pending. */
  comeToRest(): void {
    this.cluster.revive(this.silent)
    this.silent.clear()
    for (const node of this.nodes()) this.patchNode(node.metadata.name, { taints: null, unschedulable: null })
    this.pass(20 * minute)
    for (const set of this.list<ReplicaSet>('replicasets.apps')) {
      const alive = this.pods().filter(
        ({ metadata, status }) =>
          metadata.ownerReferences?.[0]?.uid === set.metadata.uid &&
          status?.phase !== 'Failed' &&
          metadata.deletionTimestamp === undefined,
      )
      expect(alive.length, `pods of ${set.metadata.name}`).toBe(set.spec?.replicas)
    }
    const pending = this.pods().filter(({ spec }) => !spec.nodeName)
    if (pending.length === 0) return
    const objects = new ObjectSet()
    for (const resource of ['nodes', 'pods', 'namespaces'] as const)
      for (const object of this.list(resource)) objects.add(resource, object)
    for (const pod of pending.slice(0, 5)) {
      const { state, message } = explainPod({ objects, pod, now: this.cluster.clock.now() })
      expect(state, `${pod.metadata.name}: ${message}`).toBe('pending')
    }
  }

  private check(): void {
    const used = new Map<string, { cpuMilli: number; memoryBytes: number; pods: number }>()
    for (const pod of this.pods()) {
      const node = pod.spec.nodeName
      if (!node || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue
      const sum = used.get(node) ?? { cpuMilli: 0, memoryBytes: 0, pods: 0 }
      const { cpuMilli, memoryBytes } = schedulingRequests(pod)
      used.set(node, {
        cpuMilli: sum.cpuMilli + cpuMilli,
        memoryBytes: sum.memoryBytes + memoryBytes,
        pods: sum.pods + 1,
      })
    }
    const holders = new Map<string, string>()
    for (const { metadata, spec } of this.nodes()) {
      const sum = used.get(metadata.name)
      expect(sum?.cpuMilli ?? 0, `CPU of ${metadata.name}`).toBeLessThanOrEqual(4000)
      expect(sum?.memoryBytes ?? 0, `memory of ${metadata.name}`).toBeLessThanOrEqual(16 * 2 ** 30)
      expect(sum?.pods ?? 0, `pods of ${metadata.name}`).toBeLessThanOrEqual(110)
      if (spec?.podCIDR === undefined) continue
      expect(holders.get(spec.podCIDR), `${spec.podCIDR} of ${metadata.name}`).toBeUndefined()
      holders.set(spec.podCIDR, metadata.name)
    }
  }

  private notePod(before: Pod | undefined, after: Pod | undefined): void {
    const uid = (after ?? before)?.metadata.uid ?? ''
    const node = after?.spec.nodeName
    const bound = this.bindings.get(uid)
    if (node && bound !== undefined && bound !== node)
      throw new Error(`pod ${uid} was bound to ${bound} and then to ${node}`)
    if (node) this.bindings.set(uid, node)
    if (after === undefined) this.bindings.delete(uid)
  }

  private deploy(): void {
    if (this.apps.length >= 40) return
    const name = `app-${++this.made}`
    this.apps.push(name)
    const labels = { app: name }
    const spread = {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: labels },
    }
    const spec = {
      terminationGracePeriodSeconds: this.random.pick([0, 10, 30]),
      containers: [
        {
          name: 'c',
          image: 'i:1',
          resources: {
            requests: {
              cpu: this.random.pick(['50m', '200m', '500m', '1']),
              memory: this.random.pick(['64Mi', '256Mi', '1Gi']),
            },
          },
        },
      ],
      ...(this.random.int(4) === 0 ? { topologySpreadConstraints: [spread] } : {}),
    }
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'default' },
      spec: {
        replicas: 1 + this.random.int(25),
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
    }
    this.call('create', 'deployments.apps', deployment as unknown as KubeObject)
  }

  private scale(): void {
    const name = this.pickApp()
    if (name !== undefined) this.patchApp(name, { spec: { replicas: this.random.int(30) } })
  }

  private update(): void {
    const name = this.pickApp()
    const found = this.list<Deployment>('deployments.apps').find(({ metadata }) => metadata.name === name)
    if (name === undefined || found?.spec === undefined) return
    const containers = found.spec.template.spec.containers.map((container) => ({
      ...container,
      image: `i:${this.random.int(1000)}`,
    }))
    this.patchApp(name, { spec: { template: { spec: { containers } } } } as unknown as JsonObject)
  }

  private remove(): void {
    if (this.apps.length < 6) return
    const [name] = this.apps.splice(this.random.int(this.apps.length), 1)
    this.cluster.client.callNow({
      verb: 'delete',
      resource: 'deployments.apps',
      namespace: 'default',
      name: name!,
      options: { propagationPolicy: 'Background' },
    })
  }

  private taint(): void {
    const node = this.random.pick(this.nodes())
    const taint = { key: 'churn', effect: this.random.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) }
    const taints = [...(node.spec?.taints ?? []).filter(({ key }) => key !== 'churn'), taint]
    this.patchNode(node.metadata.name, { taints } as unknown as JsonObject)
  }

  private untaint(): void {
    for (const { metadata, spec } of this.nodes()) {
      const taints = (spec?.taints ?? []).filter(({ key }) => key !== 'churn')
      if (taints.length !== (spec?.taints ?? []).length)
        this.patchNode(metadata.name, { taints } as unknown as JsonObject)
    }
  }

  private silence(): void {
    if (this.silent.size > 15) return
    const names = Array.from({ length: 1 + this.random.int(4) }, () => this.random.pick(this.nodes()).metadata.name)
    for (const name of names) this.silent.add(name)
    this.cluster.kubelet?.silence(names, this.cluster.clock.now())
  }

  private revive(): void {
    const names = [...this.silent].filter(() => this.random.int(2) === 0)
    for (const name of names) this.silent.delete(name)
    this.cluster.revive(names)
  }

  private cordon(): void {
    const node = this.random.pick(this.nodes())
    this.patchNode(node.metadata.name, { unschedulable: node.spec?.unschedulable === true ? null : true })
  }

  private restart(): void {
    this.cluster.restart(
      this.random.pick(['scheduler', 'taint-eviction', 'node-lifecycle', 'replicaset', 'deployment', 'node-ipam']),
    )
  }

  private pickApp(): string | undefined {
    return this.apps.length === 0 ? undefined : this.random.pick(this.apps)
  }

  private nodes(): readonly Node[] {
    return this.list<Node>('nodes')
  }

  private pods(): readonly Pod[] {
    return this.list<Pod>('pods')
  }

  private list<T extends KubeObject>(resource: string): readonly T[] {
    return this.cluster.store.list(resource) as readonly T[]
  }

  private call(verb: 'create', resource: string, object: KubeObject): void {
    const { namespace } = object.metadata
    const outcome = this.cluster.client.callNow({
      verb,
      resource,
      object,
      ...(namespace === undefined ? {} : { namespace }),
    })
    if (!outcome.ok) throw new Error(outcome.status.message)
  }

  private patchApp(name: string, patch: JsonObject): void {
    this.cluster.client.callNow({
      verb: 'patch',
      resource: 'deployments.apps',
      namespace: 'default',
      name,
      patch: { kind: 'merge', patch },
    })
  }

  private patchNode(name: string, spec: JsonObject): void {
    this.cluster.client.callNow({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch: { spec } } })
  }
}
