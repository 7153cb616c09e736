import { describe, expect, it } from 'vitest'
import { keyOf } from '../api/object-key.ts'
import { controllerOf } from '../api/owner-references.ts'
import { defaultRelease } from '../api/releases/release-of.ts'
import { formatTime } from '../api/time.ts'
import { createRandom, type RandomStream } from '../base/random.ts'
import { builtinKindsOf } from '../registry/kinds/kinds.ts'
import type { Controller } from '../runtime/controller.ts'
import { createDaemonSetController } from './daemon-set/controller.ts'
import { createDeploymentController } from './deployment/controller.ts'
import { createDisruptionController } from './disruption/controller.ts'
import { createGarbageCollector } from './garbage-collection/controller.ts'
import { createJobController } from './job/controller.ts'
import { isPodActive } from './pod-activity.ts'
import { createPodGarbageCollector } from './pod-gc/controller.ts'
import { createReplicaSetController } from './replica-set/controller.ts'
import { createStatefulSetController } from './stateful-set/controller.ts'
import { WorkloadCluster } from './workload-cluster.fixture.ts'

const factories: readonly (() => Controller)[] = [
  createDeploymentController,
  createReplicaSetController,
  createStatefulSetController,
  createDaemonSetController,
  createJobController,
  createDisruptionController,
  createPodGarbageCollector,
  () => createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) }),
]

const nodes = ['n1', 'n2', 'n3']
const apps = ['a', 'b', 'c']

const template = (app: string, image: string, restartPolicy = 'Always') => ({
  metadata: { labels: { app } },
  spec: { restartPolicy, containers: [{ name: 'c', image }] },
})

/** A user that makes random changes. */
class Vandal {
  private readonly c: WorkloadCluster
  private readonly random: RandomStream

  constructor(c: WorkloadCluster, random: RandomStream) {
    this.c = c
    this.random = random
  }

  act(): void {
    const { c, random } = this
    const app = random.pick(apps)
    const kind = random.pick(['deployments.apps', 'statefulsets.apps', 'daemonsets.apps'])
    const present = c.get(kind, `default/${app}`)
    random.pick([
      () => (present === undefined ? this.create(kind, app) : this.changeImage(kind, app)),
      () => present !== undefined && this.scale(kind, app),
      () => present !== undefined && random.int(3) === 0 && this.remove(kind, app),
      () => this.killPod(),
      () => this.killPod(),
      () => this.failPod(),
      () => this.restart(),
      () => this.runJob(),
    ])()
  }

  private create(resource: string, app: string): void {
    const replicas = resource === 'daemonsets.apps' ? {} : { replicas: this.random.int(6) }
    const labels = { app, kind: resource.slice(0, 4) }
    const spec = {
      ...replicas,
      ...(resource === 'statefulsets.apps' ? { serviceName: app } : {}),
      selector: { matchLabels: labels },
      template: { ...template(app, 'v1'), metadata: { labels } },
    }
    this.c.create(resource, { metadata: { name: app, namespace: 'default' }, spec })
  }

  private changeImage(resource: string, app: string): void {
    const image = `v${this.random.int(3)}`
    this.c.patch(resource, `default/${app}`, { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } })
  }

  private scale(resource: string, app: string): void {
    if (resource === 'daemonsets.apps') return
    this.c.patch(resource, `default/${app}`, { spec: { replicas: this.random.int(7) } })
  }

  private remove(resource: string, app: string): void {
    const propagationPolicy = this.random.pick(['Background', 'Foreground', 'Orphan'] as const)
    if (this.c.get(resource, `default/${app}`)?.metadata.deletionTimestamp !== undefined) return
    this.c.delete(resource, `default/${app}`, { propagationPolicy })
  }

  private killPod(): void {
    const pods = this.c.pods()
    if (pods.length > 0) this.c.delete('pods', keyOf(this.random.pick(pods)))
  }

  private failPod(): void {
    // A StatefulSet that scales down waits forever for the second of two failed pods, as in upstream.
    const pods = this.c.pods().filter((pod) => isPodActive(pod) && controllerOf(pod)?.kind !== 'StatefulSet')
    if (pods.length === 0) return
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: formatTime(this.c.now()) }]
    this.c.patch('pods', keyOf(this.random.pick(pods)), { status: { phase: 'Failed', conditions } }, 'status')
  }

  private restart(): void {
    const create = this.random.pick(factories)
    this.c.driver.restart(create().name, create)
  }

  private runJob(): void {
    const name = `job-${this.random.int(1000)}`
    if (this.c.get('jobs.batch', `default/${name}`) !== undefined) return
    const spec = { completions: 3, parallelism: 2, backoffLimit: 100, template: template('job', 'v1', 'Never') }
    this.c.create('jobs.batch', { metadata: { name, namespace: 'default' }, spec })
  }
}

function expectPeace(c: WorkloadCluster): void {
  const active = c.pods().filter(isPodActive)
  const ownedBy = (uid: string | undefined) => active.filter((pod) => controllerOf(pod)?.uid === uid)
  const uids = new Set(
    ['deployments.apps', 'replicasets.apps', 'statefulsets.apps', 'daemonsets.apps', 'jobs.batch'].flatMap((resource) =>
      c.list(resource).map(({ metadata }) => metadata.uid),
    ),
  )
  for (const pod of c.pods()) {
    const owner = controllerOf(pod)
    if (owner !== undefined) expect(uids, `${keyOf(pod)} has lost its owner`).toContain(owner.uid)
    expect(pod.metadata.deletionTimestamp, `${keyOf(pod)} does not go`).toBeUndefined()
  }
  for (const { metadata, spec, status } of c.list('replicasets.apps')) {
    expect(ownedBy(metadata.uid).length, `pods of ${metadata.name}`).toBe(spec?.replicas)
    expect(status?.replicas).toBe(spec?.replicas)
  }
  for (const { metadata, spec, status } of c.list('deployments.apps')) {
    const { updatedReplicas = 0, availableReplicas = 0, replicas = 0, observedGeneration } = status ?? {}
    expect({ updatedReplicas, availableReplicas, replicas }, metadata.name).toEqual({
      updatedReplicas: spec?.replicas,
      availableReplicas: spec?.replicas,
      replicas: spec?.replicas,
    })
    expect(observedGeneration).toBe(metadata.generation)
  }
  for (const { metadata, spec, status } of c.list('statefulsets.apps')) {
    const names = ownedBy(metadata.uid).map((pod) => pod.metadata.name)
    expect(names.sort()).toEqual(Array.from({ length: spec?.replicas ?? 0 }, (_, i) => `${metadata.name}-${i}`))
    expect(status?.currentRevision).toBe(status?.updateRevision)
  }
  for (const { metadata, status } of c.list('daemonsets.apps')) {
    expect(
      ownedBy(metadata.uid)
        .map(({ spec }) => spec.nodeName)
        .sort(),
    ).toEqual(nodes)
    expect(status).toMatchObject({ numberReady: 3, updatedNumberScheduled: 3 })
  }
  for (const { metadata, status } of c.list('jobs.batch')) {
    expect(status?.conditions?.at(-1)?.type, metadata.name).toBe('Complete')
    expect(status?.succeeded).toBe(3)
  }
}

describe('all workloads together', () => {
  it.each(Array.from({ length: 12 }, (_, i) => `churn-${i}`))(
    'all workloads together reach the desired state: seed %s',
    (seed) => {
      const c = new WorkloadCluster({
        controllers: factories.map((create) => create()),
        nodes,
        kubelet: { startMs: 1000, runMs: 5000 },
        seed,
      })
      const random = createRandom(seed).stream('vandal')
      const vandal = new Vandal(c, random)
      for (let i = 0; i < 60; i++) {
        vandal.act()
        c.advance(random.int(5000))
      }
      c.advance(3_600_000)
      expectPeace(c)
    },
  )

  it('all workloads together give the same history with the same seed', () => {
    const history = () => {
      const c = new WorkloadCluster({ controllers: factories.map((create) => create()), nodes, seed: 'twice' })
      const seen: string[] = []
      c.driver.onChanges((changes, by, now) => {
        for (const { resource, key, after } of changes) {
          seen.push(`${now} ${by} ${resource} ${key} ${after?.metadata.resourceVersion}`)
        }
      })
      const random = createRandom('twice').stream('vandal')
      const vandal = new Vandal(c, random)
      for (let i = 0; i < 30; i++) {
        vandal.act()
        c.advance(random.int(5000))
      }
      return seen
    }
    const first = history()
    expect(first.length).toBeGreaterThan(50)
    expect(history()).toEqual(first)
  })
})
