import type { Call } from '../../src/api/call.ts'
import { isPodReady } from '../../src/api/conditions.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { ReplicaSet } from '../../src/api/objects/workloads.ts'
import { controllerOf } from '../../src/api/owner-references.ts'
import { bootstrap } from '../../src/apiserver/bootstrap.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { createHollowKubelet } from '../../src/controllers/hollow-kubelet/controller.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { createControllers } from '../../src/controlplane/controllers.ts'
import { hollowNodes, parseNodeShape } from '../../src/controlplane/hollow-nodes.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createRunDriver } from '../../src/runtime/run-driver.ts'
import type { View } from '../../src/runtime/view.ts'
import type { Store } from '../../src/store/contract.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { createFaultyClient, type Fault, type WatchFault } from '../doubles/faulty-client.ts'
import { letTimePass } from '../doubles/manual-time.ts'
import { BrokenInvariant, hold } from './broken-invariant.ts'
import type { PartRun } from './swarm-run.ts'

/** The controllers of the parts that run as on a real cluster. */
export const drivenControllers = [
  'scheduler',
  'deployment',
  'replicaset',
  'taint-eviction',
  'node-lifecycle',
  'podgc',
  'garbagecollector',
]

/**
 * The controllers run as in a real cluster, over a client that refuses calls, loses answers after the write, and whose watches
 * are cut, reset, or expired. When the connection works again, the cluster must be in the same state as without the faults.
 */
export async function runConnection(seed: string): Promise<PartRun> {
  const random = createRandom(seed).stream('connection')
  const faults: Record<string, number> = {}
  const count = (what: string) => {
    faults[what] = (faults[what] ?? 0) + 1
  }
  const store = createStore()
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const registry = createRegistry({ store, clock, random: createRandom(seed) })
  bootstrap(registry, { rbac: false })
  const outside = createInProcessClient(registry)
  let isWell = true
  const callFault = (call: Call): Fault => {
    if (isWell || call.verb === 'list' || call.verb === 'get') return 'none'
    const draw = random.int(20)
    const fault = draw === 0 ? 'refused' : draw === 1 ? 'answer-lost' : 'none'
    if (fault !== 'none') count(fault === 'refused' ? 'calls refused' : 'answers lost')
    return fault
  }
  const watchFault = (): WatchFault => {
    const draw = isWell ? 99 : random.int(30)
    if (draw > 1) return 'none'
    count(draw === 0 ? 'events twice' : 'events late')
    return draw === 0 ? 'twice' : 'late'
  }
  const client = createFaultyClient(outside, callFault, watchFault)
  const context = { settings: defaultSettings, metrics: new MetricRegistry(), log: silentLogger, isOwnCluster: true }
  const kubelet = createHollowKubelet({ serves: 'all', stages: packs.fast })
  const driver = createRunDriver({
    client,
    clock,
    random: createRandom(seed),
    controllers: [...createControllers(drivenControllers, context), kubelet],
    events: 'drop',
    onCrash: (name, error) => {
      throw error instanceof Error ? error : new Error(`${name} crashed`)
    },
  })
  const write = (resource: string, object: KubeObject) => {
    const { namespace } = object.metadata
    outside.callNow({ verb: 'create', resource, object, ...(namespace === undefined ? {} : { namespace }) })
  }
  for (const node of hollowNodes(4, parseNodeShape('cpu=4,memory=16Gi,zones=2'))) write('nodes', node)
  try {
    driver.start()
    await letTimePass(driver, clock, 5_000)
    for (let turn = 0; turn < 25; turn++) {
      isWell = false
      changeWorkload(random, write, outside)
      if (random.int(4) === 0) {
        clock.setWall(random.pick([3_600_000, -3_600_000, 45_000, -45_000]))
        count('clocks set')
      }
      trouble(random, client, () => store.compact(store.revision), count)
      if (random.int(3) > 0) client.deliverLate()
      await letTimePass(driver, clock, random.pick([100, 1_000, 15_000]))
    }
    isWell = true
    client.restore()
    client.deliverLate()
    await letTimePass(driver, clock, 15 * 60_000)
    checkConnectionEnd(store, driver.view)
    return { faults }
  } catch (error) {
    if (!(error instanceof BrokenInvariant)) return { broken: `no error: ${(error as Error).message}`, faults }
    return { broken: error.message, faults }
  } finally {
    await driver.stop()
  }
}

type Outside = ReturnType<typeof createInProcessClient>

/** Creates, scales or deletes one of a few Deployments. */
export function changeWorkload(
  random: RandomStream,
  write: (resource: string, object: KubeObject) => void,
  outside: Outside,
): void {
  const name = `app-${random.int(4)}`
  const labels = { app: name }
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '200m' } } }] },
  }
  const spec = { replicas: 1 + random.int(5), selector: { matchLabels: labels }, template }
  const at = { resource: 'deployments.apps', namespace: 'default', name } as const
  switch (random.int(4)) {
    case 0:
    case 1:
      write('deployments.apps', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'default' },
        spec,
      } as unknown as KubeObject)
      return
    case 2:
      outside.callNow({ verb: 'patch', ...at, patch: { kind: 'merge', patch: { spec: { replicas: random.int(6) } } } })
      return
    default:
      outside.callNow({ verb: 'delete', ...at, options: { propagationPolicy: 'Background' } })
  }
}

function trouble(
  random: RandomStream,
  client: ReturnType<typeof createFaultyClient>,
  compact: () => void,
  count: (what: string) => void,
): void {
  switch (random.int(6)) {
    case 0:
      client.endWatches()
      count('watches ended')
      return
    case 1:
      client.endWatches(new Error('connection reset'))
      count('watches reset')
      return
    case 2:
      client.endWatches(new Error('connection reset'))
      compact()
      count('versions expired (410)')
      return
    case 3:
      client.cut()
      count('connections cut')
      return
    default:
      client.restore()
  }
}

/** Every workload has its pods, all ready, and the read model of the controllers is the store. */
export function checkConnectionEnd(store: Store, view?: View): void {
  const pods = store.list('pods') as readonly Pod[]
  for (const set of store.list('replicasets.apps') as readonly ReplicaSet[]) {
    const own = pods.filter((pod) => controllerOf(pod)?.uid === set.metadata.uid)
    const { name } = set.metadata
    hold(
      'workloads',
      own.length === (set.spec?.replicas ?? 1),
      () => `${name} has ${own.length} pods, ${set.spec?.replicas} wanted`,
    )
  }
  for (const pod of pods) {
    const { name } = pod.metadata
    hold('recovery', isPodReady(pod), () => `pod ${name} on ${pod.spec.nodeName ?? 'no node'} is not ready`)
    const owner = controllerOf(pod)
    hold(
      'workloads',
      owner === undefined || store.get('replicasets.apps', `default/${owner.name}`) !== undefined,
      () => `pod ${name} has outlived its owner`,
    )
    hold(
      'read model',
      view === undefined ||
        view.get('pods', `default/${name}`)?.metadata.resourceVersion === pod.metadata.resourceVersion,
      () => `pod ${name} differs`,
    )
  }
  const seen = view?.list('pods').length ?? pods.length
  hold('read model', seen === pods.length, () => `${seen} pods seen, ${pods.length} stored`)
}
